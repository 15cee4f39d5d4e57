#if canImport(Security)
    import Crypto
    import Foundation
    import KeychainTypes
    import LocalAuthentication
    import Security

    /// What ``Keychain`` does on the system's keychain: the data protection keychain, also on macOS. Blocks.
    enum KeychainBackend {
        static func store(
            _ secret: LockedBytes, _ name: PasswordName, _ access: AccessControl, _ context: AuthenticationContext
        ) throws(KeychainError) {
            var query = password(name)
            query[kSecAttrAccessControl] = try access.object()
            query[kSecUseAuthenticationContext] = try context.forOneCall()
            query[kSecValueData] = data(secret)
            try check(SecItemAdd(query as CFDictionary, nil))
        }

        static func read(_ name: PasswordName, _ context: AuthenticationContext) throws(KeychainError) -> LockedBytes {
            var query = password(name)
            query[kSecReturnData] = true
            query[kSecUseAuthenticationContext] = try context.forOneCall()
            guard let data = try find(query) as? Data else { throw .itemNotFound }
            return LockedBytes(data)
        }

        static func update(
            _ secret: LockedBytes, _ name: PasswordName, _ context: AuthenticationContext
        ) throws(KeychainError) {
            var query = password(name)
            query[kSecUseAuthenticationContext] = try context.forOneCall()
            try check(SecItemUpdate(query as CFDictionary, [kSecValueData: data(secret)] as CFDictionary))
        }

        static func remove(_ name: PasswordName) throws(KeychainError) {
            try check(SecItemDelete(password(name) as CFDictionary))
        }

        static func contains(_ name: PasswordName) throws(KeychainError) -> Bool {
            try exists(password(name))
        }

        static func accounts(service: String) throws(KeychainError) -> [String] {
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecUseDataProtectionKeychain: true, kSecAttrService: service,
                kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
            ]
            do throws(KeychainError) {
                let items = try find(query) as? [[String: Any]] ?? []
                return items.compactMap { $0[kSecAttrAccount as String] as? String }
            } catch .itemNotFound {
                return []
            }
        }

        /// Deletes whatever the query finds; nothing is as good as something.
        static func delete(_ query: [CFString: Any]) throws(KeychainError) {
            let all = query.merging([kSecUseDataProtectionKeychain: true]) { own, _ in own }
            let status = SecItemDelete(all as CFDictionary)
            if status != errSecItemNotFound { try check(status) }
        }

        private static func password(_ name: PasswordName) -> [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecUseDataProtectionKeychain: true,
                kSecAttrAccount: name.account, kSecAttrService: name.service,
            ]
        }

        /// Never prompts: an item that would need a prompt exists.
        private static func exists(_ query: [CFString: Any]) throws(KeychainError) -> Bool {
            let silent = LAContext()
            silent.interactionNotAllowed = true
            var query = query
            query[kSecUseAuthenticationContext] = silent
            switch SecItemCopyMatching(query as CFDictionary, nil) {
            case errSecSuccess, errSecInteractionNotAllowed: return true
            case errSecItemNotFound: return false
            case let status: throw KeychainError(status)
            }
        }

        private static func find(_ query: [CFString: Any]) throws(KeychainError) -> CFTypeRef? {
            var result: CFTypeRef?
            try check(SecItemCopyMatching(query as CFDictionary, &result))
            return result
        }

        private static func check(_ status: OSStatus) throws(KeychainError) {
            if status != errSecSuccess { throw KeychainError(status) }
        }

        /// The system's functions take ordinary memory.
        private static func data(_ bytes: LockedBytes) -> Data { bytes.withBytes { Data($0) } }
    }

    // Keys.
    extension KeychainBackend {
        static func makeKey(
            _ kind: KeyKind, tag: String, _ access: AccessControl, inHardware: Bool, _ context: AuthenticationContext
        ) throws(KeychainError) -> KeyInfo {
            guard !(try exists(key(tag))) else { throw .duplicateItem }
            var half: [CFString: Any] = [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data(tag.utf8),
                kSecAttrAccessControl: try access.object(),
                kSecUseAuthenticationContext: try context.forOneCall(),
            ]
            half[kSecUseDataProtectionKeychain] = true
            var parameters: [CFString: Any] = [
                kSecAttrKeyType: kind.isRSA ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits: kind.bits, kSecUseDataProtectionKeychain: true, kSecPrivateKeyAttrs: half,
            ]
            if inHardware || access.constraints.contains(.privateKeyUsage) {
                guard kind == .p256 else {
                    throw .unsupported(
                        "the Secure Enclave has P-256 alone, and a key outside it can be given out: make a P-256 key, or "
                            + "leave inHardware and privateKeyUsage out")
                }
                parameters[kSecAttrTokenID] = kSecAttrTokenIDSecureEnclave
            }
            var error: Unmanaged<CFError>?
            guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
                throw KeychainError(error)
            }
            return try info(key, tag: tag, access)
        }

        static func key(tag: String) throws(KeychainError) -> KeyInfo {
            let silent = AuthenticationContext(interactionAllowed: false)
            return try info(try ref(tag, silent), tag: tag, nil)
        }

        static func removeKey(tag: String) throws(KeychainError) {
            try check(SecItemDelete(key(tag) as CFDictionary))
        }

        static func sign(
            _ message: Data, with tag: String, _ algorithm: SignatureAlgorithm, _ context: AuthenticationContext
        ) throws(KeychainError) -> Data {
            let key = try ref(tag, context)
            guard SecKeyIsAlgorithmSupported(key, .sign, algorithm.secKeyAlgorithm) else {
                throw .parameter("the algorithm is for another type of key")
            }
            var error: Unmanaged<CFError>?
            let signature = SecKeyCreateSignature(key, algorithm.secKeyAlgorithm, message as CFData, &error)
            guard let signature else { throw KeychainError(error) }
            guard algorithm == .es256 else { return signature as Data }
            // The algorithm that gives both halves without DER by itself came with iOS 17.
            guard let halves = try? P256.Signing.ECDSASignature(derRepresentation: signature as Data) else {
                throw .unsupported("the key made a signature that is none of P-256")
            }
            return halves.rawRepresentation
        }

        private static func key(_ tag: String) -> [CFString: Any] {
            [
                kSecClass: kSecClassKey, kSecUseDataProtectionKeychain: true, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                kSecAttrApplicationTag: Data(tag.utf8),
            ]
        }

        private static func ref(_ tag: String, _ context: AuthenticationContext) throws(KeychainError) -> SecKey {
            var query = key(tag)
            query[kSecReturnRef] = true
            query[kSecUseAuthenticationContext] = try context.forOneCall()
            guard let found = try find(query), CFGetTypeID(found) == SecKeyGetTypeID() else { throw .itemNotFound }
            return unsafeDowncast(found, to: SecKey.self)
        }

        private static func info(
            _ key: SecKey, tag: String, _ access: AccessControl?
        ) throws(KeychainError) -> KeyInfo {
            let attributes = SecKeyCopyAttributes(key) as? [CFString: Any] ?? [:]
            guard let publicKey = SecKeyCopyPublicKey(key),
                let external = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?,
                let bits = attributes[kSecAttrKeySizeInBits] as? Int,
                let kind = KeyKind(
                    isRSA: "\(attributes[kSecAttrKeyType] ?? "")" == kSecAttrKeyTypeRSA as String, bits: bits)
            else { throw .unsupported("the key is of a kind that Keychain does not make: use SecItemCopyMatching") }
            return KeyInfo(
                tag: tag, kind: kind, publicKey: external,
                applicationLabel: attributes[kSecAttrApplicationLabel] as? Data ?? Data(), access: access,
                isHardwareBound: attributes[kSecAttrTokenID] != nil)
        }
    }

    extension SignatureAlgorithm {
        fileprivate var secKeyAlgorithm: SecKeyAlgorithm {
            switch self {
            case .rs256: .rsaSignatureMessagePKCS1v15SHA256
            case .ps256: .rsaSignatureMessagePSSSHA256
            case .es256, .es256DER: .ecdsaSignatureMessageX962SHA256
            }
        }
    }

    extension AccessControl {
        fileprivate func object() throws(KeychainError) -> SecAccessControl {
            let protection =
                switch accessibility {
                case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
                case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
                case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
                }
            var error: Unmanaged<CFError>?
            let flags = SecAccessControlCreateFlags(rawValue: constraints.rawValue)
            guard let object = SecAccessControlCreateWithFlags(nil, protection, flags, &error) else {
                throw KeychainError(error)
            }
            return object
        }
    }

    extension KeychainError {
        fileprivate init(_ error: Unmanaged<CFError>?) {
            self.init(OSStatus(truncatingIfNeeded: error.map { CFErrorGetCode($0.takeRetainedValue()) } ?? -26276))
        }

        fileprivate init(_ status: OSStatus) {
            self =
                switch status {
                case errSecItemNotFound: .itemNotFound
                case errSecDuplicateItem: .duplicateItem
                case errSecParam: .parameter("the keychain refused the query")
                case errSecUserCanceled: .cancelled
                // Also a lockout, a missing passcode and missing biometry: the system does not tell them apart.
                case errSecAuthFailed: .authenticationFailed(triesLeft: nil)
                case errSecInteractionNotAllowed: .interactionNotAllowed
                case errSecNotAvailable: .notAvailable("the system's keychain cannot be reached")
                case errSecUnimplemented: .unsupported("the system's keychain does not have that")
                default: .status(status)
                }
        }
    }
#endif
