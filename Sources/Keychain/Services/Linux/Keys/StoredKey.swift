#if !canImport(Security)
    import Crypto
    import Foundation
    import KeychainTypes
    import SecretVault

    /// A private key that stays in the vault. Each use opens it, asks for what its access control says, and drops it.
    struct StoredKey: Sendable {
        /// The attribute that has the public half, which no query can name.
        static let publicKeyAttribute = "public-key"

        let id: ItemID
        let access: AccessControl
        /// Whether the private half is in a chip.
        let isHardwareBound: Bool
        let publicKey: PublicKey
        /// How to ask when the key is used: the context of the query that found it.
        let context: LAContext?

        init(_ item: VaultItem, context: LAContext?) throws(KeychainError) {
            guard case .data(let external) = item.attributes[Self.publicKeyAttribute] else {
                throw .unsupported("a key for signing alone is made by SecKeyCreateRandomKey or added as kSecValueRef")
            }
            id = item.id
            access = item.access
            isHardwareBound = item.isHardwareBound
            publicKey = try PublicKey(external, isRSA: item.attributes["type"] == .number(42))
            self.context = context
        }

        var signsOnly: Bool { isHardwareBound || access.constraints.contains(.privateKeyUsage) }

        func signature(of data: Data, _ scheme: SignatureScheme) throws(KeychainError) -> Data {
            let vault = try KeychainVault.current().vault
            if access.asksForFactor { KeychainVault.noteWait() }
            return try authenticating { (authentication) throws(KeychainError) in
                try signature(of: data, scheme, in: vault, authentication)
            }
        }

        func signature(
            of data: Data, _ scheme: SignatureScheme, in vault: Vault, _ authentication: AuthenticationContext
        ) throws(KeychainError) -> Data {
            if isHardwareBound { return try hardwareSignature(of: data, scheme, in: vault, authentication) }
            let isRSA = publicKey.type.isRSA
            do {
                return try vault.use(id, context: authentication) { bytes in
                    try PrivateKey(bytes, isRSA: isRSA).signature(of: data, scheme)
                }
            } catch let error as KeychainError {
                throw error
            } catch {
                throw .status(errSecInternal)
            }
        }

        /// A chip signs SHA-256 digests: PKCS #1 v1.5 with RSA, DER with P-256.
        private func hardwareSignature(
            of data: Data, _ scheme: SignatureScheme, in vault: Vault, _ authentication: AuthenticationContext
        ) throws(KeychainError) -> Data {
            guard scheme.hash == .sha256, scheme.form != .pss else {
                throw .unsupported("a key in hardware signs with SHA-256, and with RSA in PKCS #1 v1.5")
            }
            let digest = try scheme.withDigest(of: data) { digest in digest.withUnsafeBytes { Array($0) } }
            let signature = Data(try vault.sign(id, digest: digest, context: authentication))
            guard scheme.form == .rfc4754 else { return signature }
            guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else {
                throw .status(errSecInternal)
            }
            return parsed.rawRepresentation
        }

        /// - Throws: `unsupported` for a key that only signs.
        func externalRepresentation() throws(KeychainError) -> LockedBytes {
            guard !signsOnly else { throw .unsupported("a key with privateKeyUsage is not given out") }
            let keychain = try KeychainVault.current()
            return try authenticating { (authentication) throws(KeychainError) in
                try keychain.vault.read(id, context: authentication)
            }
        }

        private func authenticating<Result>(
            _ body: (AuthenticationContext) throws(KeychainError) -> Result
        ) throws(KeychainError) -> Result {
            if let context { return try body(context.authentication(prompt: nil, interactionAllowed: true)) }
            let once = AuthenticationContext()
            defer { once.invalidate() }
            return try body(once)
        }
    }
#endif
