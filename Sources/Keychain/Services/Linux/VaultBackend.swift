#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// What ``Keychain`` does on a vault. Secrets go from locked memory to locked memory. Blocks.
    enum KeychainBackend {
        static func store(
            _ secret: LockedBytes, _ name: PasswordName, _ access: AccessControl, _ context: AuthenticationContext
        ) throws(KeychainError) {
            let keychain = try KeychainVault.current()
            let attributes = name.attributes(in: keychain)
            _ = try keychain.vault.add(
                NewItem(
                    itemClass: ItemClass.genericPassword.rawValue,
                    uniqueKey: ItemClass.genericPassword.uniqueKey(attributes), attributes: attributes, secret: secret,
                    access: access),
                context: context)
        }

        static func read(
            _ name: PasswordName, _ context: AuthenticationContext
        ) throws(KeychainError) -> LockedBytes {
            let vault = try KeychainVault.current().vault
            return try vault.read(try item(name).id, context: context)
        }

        static func update(
            _ secret: LockedBytes, _ name: PasswordName, _ context: AuthenticationContext
        ) throws(KeychainError) {
            let vault = try KeychainVault.current().vault
            try vault.update(try item(name).id, with: ItemChange(secret: secret), context: context)
        }

        static func remove(_ name: PasswordName) throws(KeychainError) {
            let vault = try KeychainVault.current().vault
            try vault.delete([try item(name).id])
        }

        static func contains(_ name: PasswordName) throws(KeychainError) -> Bool {
            try found(name) != nil
        }

        static func accounts(service: String) throws(KeychainError) -> [String] {
            let wanted = Array(service.utf8)
            return try KeychainVault.current().vault.items(ofClass: ItemClass.genericPassword.rawValue) {
                attributes, _ in
                bytes(of: "svce", in: attributes) == wanted
            }.map { String(decoding: bytes(of: "acct", in: $0.attributes), as: UTF8.self) }
        }

        private static func item(_ name: PasswordName) throws(KeychainError) -> VaultItem {
            guard let item = try found(name) else { throw .itemNotFound }
            return item
        }

        private static func found(_ name: PasswordName) throws(KeychainError) -> VaultItem? {
            let keychain = try KeychainVault.current()
            return try keychain.vault.item(
                ofClass: ItemClass.genericPassword.rawValue,
                uniqueKey: ItemClass.genericPassword.uniqueKey(name.attributes(in: keychain)))
        }

        /// What an attribute that came as text or as data is compared by.
        private static func bytes(of name: String, in attributes: ItemAttributes) -> [UInt8] {
            switch attributes[name] {
            case .string(let text): Array(text.utf8)
            case .data(let data): Array(data)
            case .number, .date, .none: []
            }
        }
    }

    extension PasswordName {
        /// All of the primary key.
        fileprivate func attributes(in keychain: KeychainVault.Opened) -> ItemAttributes {
            ItemClass.genericPassword.completed([
                "acct": .string(account), "svce": .string(service), "agrp": .string(keychain.application),
            ])
        }
    }

    // Keys.
    extension KeychainBackend {
        static func makeKey(
            _ kind: KeyKind, tag: String, _ access: AccessControl, inHardware: Bool, _ context: AuthenticationContext
        ) throws(KeychainError) -> KeyInfo {
            let keychain = try KeychainVault.current()
            guard try keys(tag: tag, in: keychain.vault).isEmpty else { throw .duplicateItem }
            let id =
                inHardware
                ? try makeInHardware(kind, tag: tag, access, in: keychain, context)
                : try makeInFile(kind, tag: tag, access, in: keychain, context)
            return try info(try settle(id, tag: tag, in: keychain.vault), tag: tag)
        }

        private static func makeInHardware(
            _ kind: KeyKind, tag: String, _ access: AccessControl, in keychain: KeychainVault.Opened,
            _ context: AuthenticationContext
        ) throws(KeychainError) -> ItemID {
            guard keychain.hasHardware else {
                throw .unsupported("this process has configured no chip: KeychainVault.configure(hardware:)")
            }
            let hardwareKind: HardwareKeyKind =
                switch kind {
                case .p256: .p256
                case .rsa2048: .rsa2048
                case .rsa3072, .rsa4096: throw .unsupported("chips make P-256 and RSA keys of 2048 bits")
                }
            return try keychain.vault.makeHardwareKey(
                hardwareKind, itemClass: ItemClass.key.rawValue, access: access, context: context
            ) { made in
                let all = ItemClass.hardwareKey(made, with: ["atag": .data(Data(tag.utf8))], in: keychain)
                return (ItemClass.key.uniqueKey(all), all)
            }.id
        }

        private static func makeInFile(
            _ kind: KeyKind, tag: String, _ access: AccessControl, in keychain: KeychainVault.Opened,
            _ context: AuthenticationContext
        ) throws(KeychainError) -> ItemID {
            let type: KeyType = kind.isRSA ? .rsa(bits: kind.bits) : .p256
            let key = SecKey(.privateKey(try PrivateKey(generating: type)))
            var attributes = key.identity
            attributes.merge(key.permissions) { own, _ in own }
            attributes.merge(key.hidden) { own, _ in own }
            attributes["atag"] = .data(Data(tag.utf8))
            attributes["agrp"] = .string(keychain.application)
            attributes = ItemClass.key.completed(attributes)
            return try keychain.vault.add(
                NewItem(
                    itemClass: ItemClass.key.rawValue, uniqueKey: ItemClass.key.uniqueKey(attributes),
                    attributes: attributes, secret: try key.storable(), access: access),
                context: context)
        }

        /// The primary key of keys has their hash in it, so another process may have made one with the same tag at the same
        /// time. Both look again, and the one that is later takes its own back.
        private static func settle(_ id: ItemID, tag: String, in vault: Vault) throws(KeychainError) -> VaultItem {
            let all = try keys(tag: tag, in: vault)
            let first = all.min {
                $0.created != $1.created
                    ? $0.created < $1.created : $0.id.bytes.lexicographicallyPrecedes($1.id.bytes)
            }
            guard let first, first.id == id else {
                try vault.delete([id])
                throw .duplicateItem
            }
            return first
        }

        static func key(tag: String) throws(KeychainError) -> KeyInfo {
            try info(try item(tag: tag, in: KeychainVault.current().vault), tag: tag)
        }

        static func removeKey(tag: String) throws(KeychainError) {
            let vault = try KeychainVault.current().vault
            let keys = try keys(tag: tag, in: vault)
            guard !keys.isEmpty else { throw .itemNotFound }
            try vault.delete(keys.map(\.id))
        }

        static func sign(
            _ message: Data, with tag: String, _ algorithm: SignatureAlgorithm, _ context: AuthenticationContext
        ) throws(KeychainError) -> Data {
            let vault = try KeychainVault.current().vault
            let key = try storedKey(try item(tag: tag, in: vault))
            guard algorithm.isRSA == key.publicKey.type.isRSA else {
                throw .parameter("the algorithm is for another type of key")
            }
            return try key.signature(of: message, algorithm.scheme, in: vault, context)
        }

        private static func item(tag: String, in vault: Vault) throws(KeychainError) -> VaultItem {
            guard let item = try keys(tag: tag, in: vault).first else { throw .itemNotFound }
            return item
        }

        private static func keys(tag: String, in vault: Vault) throws(KeychainError) -> [VaultItem] {
            let wanted = Array(tag.utf8)
            return try vault.items(ofClass: ItemClass.key.rawValue) { attributes, _ in
                attributes["kcls"] == .number(1) && bytes(of: "atag", in: attributes) == wanted
            }
        }

        private static func storedKey(_ item: VaultItem) throws(KeychainError) -> StoredKey {
            try StoredKey(item, context: nil)
        }

        private static func info(_ item: VaultItem, tag: String) throws(KeychainError) -> KeyInfo {
            let key = try storedKey(item).publicKey
            guard let kind = KeyKind(isRSA: key.type.isRSA, bits: key.type.bits) else {
                throw .unsupported("the key is of a kind that Keychain does not make: use SecItemCopyMatching")
            }
            return KeyInfo(
                tag: tag, kind: kind, publicKey: key.externalRepresentation, applicationLabel: key.applicationLabel,
                access: item.access, isHardwareBound: item.isHardwareBound)
        }
    }

    extension SignatureAlgorithm {
        var scheme: SignatureScheme {
            switch self {
            case .rs256: SignatureScheme(.pkcs1, .sha256, takesDigest: false)
            case .ps256: SignatureScheme(.pss, .sha256, takesDigest: false)
            case .es256: SignatureScheme(.rfc4754, .sha256, takesDigest: false)
            case .es256DER: SignatureScheme(.x962, .sha256, takesDigest: false)
            }
        }
    }
#endif
