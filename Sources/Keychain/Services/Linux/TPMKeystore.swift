#if !canImport(Security)
    import Crypto
    import CryptoExtras
    public import KeychainTPM
    public import KeychainTypes
    public import SecretVault

    /// This machine's TPM 2.0 as the chip of a vault: it seals the key of a passcode and makes keys that never leave it.
    ///
    /// ```swift
    /// try await KeychainVault.configure(presence: .terminal, factors: [.passcode], hardware: .tpm())
    /// ```
    ///
    /// Nothing is stored in the TPM; what belongs to it lies in the vault's file. When the TPM is cleared, or the board
    /// is exchanged, all of that is lost: `factorUnavailable`.
    public struct TPMKeystore: HardwareKeystore {
        public let name = "tpm2"
        private let tpm: TPM

        /// A keystore in this TPM.
        public init(_ tpm: TPM) { self.tpm = tpm }

        /// Asks the TPM whether it takes guesses now, and how well it limits them.
        public func status() throws(KeychainError) -> HardwareKeystoreStatus {
            let status = try reporting { () throws(TPMError) in try tpm.status() }
            return HardwareKeystoreStatus(
                isLockedOut: status.isLockedOut, limitsGuesses: status.guessingLimit == .effective,
                details: status.details,
                secondsUntilRetry: status.isLockedOut ? max(1, status.secondsPerForgottenFailure) : nil)
        }

        public func seal(_ secret: LockedBytes, authorization: LockedBytes) throws(KeychainError) -> [UInt8] {
            try reporting { () throws(TPMError) in
                try secret.withBytes { (secret) throws(TPMError) in
                    try authorization.withBytes { (authorization) throws(TPMError) in
                        Array(try tpm.seal(secret, authorization: authorization).bytes)
                    }
                }
            }
        }

        /// Opens what ``seal(_:authorization:)`` made with the same TPM.
        /// - Throws: `authenticationFailed` for a wrong authorization, `lockedOut` while the TPM takes none,
        ///   `factorUnavailable` for a blob of another TPM, or of this one before it was cleared.
        public func unseal(_ blob: [UInt8], authorization: LockedBytes) throws(KeychainError) -> LockedBytes {
            try reporting { () throws(TPMError) in
                let sealed = try TPMSealedBlob(bytes: blob)
                return try authorization.withBytes { (authorization) throws(TPMError) in
                    try tpm.unseal(sealed, authorization: authorization) { LockedBytes($0) }
                }
            }
        }

        public func makeKey(
            _ kind: HardwareKeyKind, authorization: LockedBytes
        ) throws(KeychainError) -> HardwareKey {
            let blob = try reporting { () throws(TPMError) in
                try authorization.withBytes { (authorization) throws(TPMError) in
                    try tpm.makeSigningKey(kind == .p256 ? .p256 : .rsa2048, authorization: authorization)
                }
            }
            guard let publicKey = Self.publicKey(of: blob) else {
                throw .notAvailable("the TPM made a public key that nothing can be checked with: make another")
            }
            return HardwareKey(kind: kind, blob: Array(blob.bytes), publicKey: publicKey)
        }

        public func sign(
            digest: [UInt8], with key: HardwareKey, authorization: LockedBytes
        ) throws(KeychainError) -> [UInt8] {
            try reporting { () throws(TPMError) in
                let blob = try TPMKeyBlob(bytes: key.blob)
                return try authorization.withBytes { (authorization) throws(TPMError) in
                    Array(try tpm.sign(digest, with: blob, authorization: authorization).derRepresentation)
                }
            }
        }

        /// The form that the vault keeps, of the SubjectPublicKeyInfo that the TPM's client gives.
        private static func publicKey(of blob: TPMKeyBlob) -> [UInt8]? {
            switch blob.kind {
            case .p256:
                (try? P256.Signing.PublicKey(derRepresentation: blob.publicKey)).map { Array($0.x963Representation) }
            case .rsa2048, .rsa3072, .rsa4096:
                (try? _RSA.Signing.PublicKey(derRepresentation: blob.publicKey)).map {
                    Array($0.pkcs1DERRepresentation)
                }
            }
        }

        private func reporting<Result>(
            _ body: () throws(TPMError) -> Result
        ) throws(KeychainError) -> Result {
            do throws(TPMError) {
                return try body()
            } catch {
                throw KeychainError(error)
            }
        }
    }

    extension HardwareKeystore where Self == TPMKeystore {
        /// This machine's TPM 2.0. Nothing is asked of it before it is needed.
        ///
        /// - Parameters:
        ///   - endpoint: `/dev/tpmrm0` unless given, which the members of the group `tss` may open; for tests
        ///     `.unixSocket(path:)`, where `swtpm` listens.
        ///   - parent: `.persistent` where the owner hierarchy has a password.
        public static func tpm(
            _ endpoint: TPMConnection.Endpoint = .device(path: "/dev/tpmrm0"), parent: TPMParent = .ownerPrimary
        ) -> TPMKeystore {
            TPMKeystore(TPM(transport: TPMConnection(endpoint), parent: parent))
        }
    }

    extension KeychainError {
        init(_ error: TPMError) {
            switch error {
            case .wrongAuthorization(let triesLeft): self = .authenticationFailed(triesLeft: triesLeft)
            // A TPM that does not say how long may accept the next answer.
            case .lockedOut(let seconds): self = .lockedOut(seconds: max(1, seconds ?? 1))
            case .foreignKey: self = .factorUnavailable(error.description)
            case .invalidBlob: self = .corrupted(error.description)
            case .unsupportedKey: self = .unsupported(error.description)
            case .invalidArgument: self = .parameter(error.description)
            case .unavailable, .timedOut, .busy, .outOfMemory, .ownerAuthorizationRequired, .unusableParent,
                .malformedResponse, .untrustedResponse, .refused:
                self = .notAvailable(error.description)
            }
        }
    }

    extension TPMStatus {
        /// For people: what it is, how far it is from a lockout, and what to change.
        fileprivate var details: String {
            let limit =
                switch guessingLimit {
                case .effective: "wrong answers are limited by the TPM"
                case .resettable:
                    "guesses are not limited by the TPM: its lockout authorization is not set, so that every user who may open "
                        + "the device can reset the count of wrong answers. An administrator sets it with "
                        + "`tpm2_changeauth -c lockout`"
                case .off:
                    "guesses are not limited by the TPM: it is set up to forget wrong answers at once. An administrator "
                        + "changes that with `tpm2_dictionarylockout -s`"
                }
            let count =
                isLockedOut
                ? "locked after too many wrong answers, the next is looked at within \(secondsPerForgottenFailure) s"
                : "\(triesLeft) of \(maximumFailures) wrong answers left"
            let maker = [manufacturer, model, firmwareVersion].filter { !$0.isEmpty }.joined(separator: " ")
            return "TPM 2.0, \(maker); \(count); \(limit)"
        }
    }
#endif
