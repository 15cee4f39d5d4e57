#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// Makes a key pair and gives its private half.
    ///
    /// It is kept where `kSecAttrIsPermanent` in `kSecPrivateKeyAttrs` says so, with the tag, the label and the access
    /// control that stand there too. Two keys may have the same tag: look for one and delete it first, or use
    /// `Keychain.makeKey`, which refuses the second. A kept key with an access control stays in the vault, and asks at
    /// each signature.
    ///
    /// - Parameters:
    ///   - parameters: with `kSecAttrKeyType` and `kSecAttrKeySizeInBits`: RSA of 2048 to 4096 bits, P-256, P-384, P-521.
    ///     `kSecAttrTokenID` asks for a key in hardware, and is refused where the vault has none.
    ///   - error: receives the status. An access control without `kSecAttrIsPermanent` is `errSecParam`: nothing would
    ///     guard the key.
    public func SecKeyCreateRandomKey(
        _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> SecKey? {
        reporting(error) { () throws(KeychainError) in
            let parameters = KeyParameters(parameters)
            if parameters.wantsToken { return try parameters.makeInHardware() }
            let key = SecKey(.privateKey(try PrivateKey(generating: try parameters.type())))
            try parameters.refuseUnguarded()
            if parameters.isPermanent("public") {
                _ = try parameters.keep(SecKey(.publicKey(key.publicKey)), as: "public")
            }
            guard parameters.isPermanent("private") else { return key }
            return try parameters.keep(key, as: "private")
        }
    }

    /// The parameters of a key, read out of a dictionary.
    struct KeyParameters {
        private let dictionary: NSDictionary

        init(_ dictionary: NSDictionary) { self.dictionary = dictionary }

        private func value(_ name: String) -> QueryValue? { dictionary.object(forKey: name).map { QueryValue($0) } }

        /// A number that may be spelled as text.
        private func number(_ name: String) -> Int64? {
            value(name).flatMap { $0.string.map { Int64($0) } ?? $0.number }
        }

        func isRSA() throws(KeychainError) -> Bool {
            switch number("type") {
            case 42: true
            case 73: false
            case .none: throw .parameter("a key has a kSecAttrKeyType")
            case .some: throw .unsupported("keys are kSecAttrKeyTypeRSA or kSecAttrKeyTypeECSECPrimeRandom")
            }
        }

        func keyClass() throws(KeychainError) -> Int64 {
            guard let number = number("kcls") else { throw .parameter("a key has a kSecAttrKeyClass") }
            return number
        }

        func type() throws(KeychainError) -> KeyType {
            let typeNumber: Int64 = try isRSA() ? 42 : 73
            guard let bits = number("bsiz") else { throw .parameter("a new key has a kSecAttrKeySizeInBits") }
            return try KeyType(typeNumber: typeNumber, bits: bits)
        }

        var wantsToken: Bool { value("tkid") != nil || merged("private").wantsTokenItself }
        private var wantsTokenItself: Bool { value("tkid") != nil }

        func isPermanent(_ half: String) -> Bool {
            merged(half).value("perm")?.flag ?? false
        }

        /// - Throws: `parameter` for an access control on a key that is not kept.
        func refuseUnguarded() throws(KeychainError) {
            if !isPermanent("private"), merged("private").value("accc") != nil {
                throw .parameter("an access control guards a key that is kept: set kSecAttrIsPermanent")
            }
        }

        private static func copy(_ dictionary: NSDictionary) -> NSMutableDictionary {
            guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else {
                preconditionFailure("a mutable copy of a dictionary is a mutable dictionary")
            }
            return copy
        }

        /// The parameters of one half: what is said for both, and what is said for it.
        private func merged(_ half: String) -> KeyParameters {
            let merged = Self.copy(dictionary)
            merged.removeObject(forKey: "private")
            merged.removeObject(forKey: "public")
            for (name, value) in value(half)?.dictionary ?? NSDictionary() {
                if let name = QueryValue(name).string { merged.setObject(value, forKey: name as NSString) }
            }
            return KeyParameters(merged)
        }

        /// A key whose private half never leaves the chip. It is always kept: the vault has what the chip needs to find it.
        func makeInHardware() throws(KeychainError) -> SecKey {
            let keychain = try KeychainVault.current()
            guard keychain.hasHardware else {
                throw .unsupported(
                    "this process has configured no chip that makes keys (KeychainVault.configure(hardware:)); leave "
                        + "kSecAttrTokenID out for a key in the vault's file")
            }
            let kind: HardwareKeyKind =
                switch try type() {
                case .p256: .p256
                case .rsa(bits: 2048): .rsa2048
                case .rsa, .p384, .p521: throw .unsupported("chips make P-256 and RSA keys of 2048 bits")
                }
            guard merged("private").value("perm")?.flag ?? true else {
                throw .unsupported("a key in hardware is always kept: leave kSecAttrIsPermanent out")
            }
            let query = try ItemQuery(item(of: "private"), accessGroup: keychain.application)
            try query.refuseSkipping()
            return try query.makeHardwareKey(kind, in: keychain)
        }

        /// What is said of one half as the dictionary of an item.
        private func item(of half: String) -> NSMutableDictionary {
            let item = Self.copy(merged(half).dictionary)
            item.setObject("keys" as NSString, forKey: "class" as NSString)
            return item
        }

        func keep(_ key: SecKey, as half: String) throws(KeychainError) -> SecKey {
            let item = item(of: half)
            item.setObject(key, forKey: "v_Ref" as NSString)
            let keychain = try KeychainVault.current()
            let query = try ItemQuery(item, accessGroup: keychain.application)
            let kept = try query.add(to: keychain)
            let access = kept.item.access
            guard key.isPrivate, access.asksForFactor || access.constraints.contains(.privateKeyUsage) else {
                return key
            }
            return try SecKey(stored: kept, context: query.context)
        }
    }

    extension ItemQuery {
        func makeHardwareKey(
            _ kind: HardwareKeyKind, in keychain: KeychainVault.Opened
        ) throws(KeychainError) -> SecKey {
            let id = try authenticating { (authentication) throws(KeychainError) in
                try keychain.vault.makeHardwareKey(
                    kind, itemClass: itemClass.rawValue, access: access ?? AccessControl(unconstrained: .whenUnlocked),
                    context: authentication
                ) { made in
                    let all = ItemClass.hardwareKey(made, with: attributes, in: keychain)
                    return (itemClass.uniqueKey(all), all)
                }.id
            }
            return SecKey(.stored(try StoredKey(try keychain.vault.item(id), context: context)))
        }
    }

    extension ItemClass {
        /// The attributes of a key in hardware: what the caller says, and what the key is.
        static func hardwareKey(
            _ key: HardwareKey, with own: ItemAttributes, in keychain: KeychainVault.Opened
        ) -> ItemAttributes {
            var all = own
            if let publicKey = try? PublicKey(Data(key.publicKey), isRSA: key.kind == .rsa2048) {
                // Marked as private: the public half stands for it here.
                all.merge(SecKey.identity(of: publicKey, isPrivate: true)) { own, _ in own }
            }
            all.merge(SecKey.permissions(isPrivate: true)) { own, _ in own }
            all.merge([
                StoredKey.publicKeyAttribute: .data(Data(key.publicKey)), "agrp": .string(keychain.application),
                "tkid": .string(kSecAttrTokenIDSecureEnclave as String),
            ]) { own, _ in own }
            return ItemClass.key.completed(all)
        }
    }
#endif
