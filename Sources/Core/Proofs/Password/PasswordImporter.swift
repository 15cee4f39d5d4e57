/// Makes password hashes of other systems into something that the realm's ``PasswordHasher`` verifies, and replaces at
/// the first sign-in.
///
/// The composition root puts one into the ``Realm``. One without (``NoPasswordImporter``) takes no hashes.
public protocol PasswordImporter: Sendable {
    /// A hash as it is kept. It costs little: no password is hashed.
    func keep(
        _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
    ) -> Result<StoredPasswordHash, PasswordImportFault>

    /// A hash as it is kept, in the form in which another system takes it: the way back of ``keep(_:of:)``, also for the
    /// realm's own hashes. Nil where it is in no form that is known here; then no password matches it either.
    func give(_ kept: Secret<String>) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)?
}

extension PasswordImporter {
    /// The same.
    public func give(_ kept: StoredPasswordHash) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)? {
        give(kept.text)
    }
}

/// How another system made its password hashes: an algorithm, by Identity Toolkit's names (`SCRYPT`, `BCRYPT`,
/// `PBKDF2_SHA256`, …), and its parameters. Which count depends on the algorithm.
public struct ForeignPasswordScheme: Sendable {
    public var algorithm: String
    /// The key of an HMAC, or of the modified scrypt. A secret of the other system.
    public var signerKey: Secret<[UInt8]> = Secret([])
    public var saltSeparator: [UInt8] = []
    public var rounds: Int?
    /// The base-2 logarithm of scrypt's cost, as the modified scrypt has it.
    public var memoryCost: Int?
    /// Standard scrypt's N.
    public var cpuMemoryCost: Int?
    /// Standard scrypt's p.
    public var parallelization: Int?
    /// Standard scrypt's r.
    public var blockSize: Int?
    /// Bytes.
    public var derivedKeyLength: Int?
    /// What is hashed first; nil leaves it to the algorithm.
    public var order: Order?
    public var argon2: Argon2?
    /// Whether passwords were brought into Unicode's normal form C before they were hashed, as the realm does it. Then an
    /// Argon2id hash is kept as one of the realm's own, where it could be one.
    public var isNormalized = false

    public enum Order: Sendable, Equatable {
        case saltAndPassword
        case passwordAndSalt
    }

    /// Argon2's own parameters (RFC 9106, section 3.1).
    public struct Argon2: Sendable {
        public enum Variant: Sendable, Equatable {
            case d, i, id
        }

        public var variant: Variant
        /// Bytes.
        public var hashLength: Int
        public var parallelism: Int
        public var iterations: Int
        public var memoryKiB: Int
        /// Whether it is version 0x10 and not 0x13.
        public var isVersion10: Bool
        public var associatedData: [UInt8]

        public init(
            _ variant: Variant, hashLength: Int, parallelism: Int, iterations: Int, memoryKiB: Int,
            isVersion10: Bool = false, associatedData: [UInt8] = []
        ) {
            self.variant = variant
            self.hashLength = hashLength
            self.parallelism = parallelism
            self.iterations = iterations
            self.memoryKiB = memoryKiB
            self.isVersion10 = isVersion10
            self.associatedData = associatedData
        }
    }

    public init(algorithm: String) {
        self.algorithm = algorithm
    }
}

/// One user's password hash and salt, as the other system has them.
public struct ForeignPasswordHash: Sendable {
    public var hash: [UInt8]
    public var salt: [UInt8]

    public init(hash: [UInt8], salt: [UInt8]) {
        self.hash = hash
        self.salt = salt
    }
}

/// A foreign hash in the form in which the realm keeps it. It may carry a key of the other system.
public struct StoredPasswordHash: Sendable {
    let text: Secret<String>

    /// - Parameter text: what ``PasswordHasher/verify(_:against:)`` understands.
    public init(_ text: Secret<String>) {
        self.text = text
    }
}

/// Why foreign hashes cannot be taken. Sentences are for the administrator and hold no bytes of keys or hashes.
public enum PasswordImportFault: Error, Sendable, Equatable {
    case unknownAlgorithm
    /// A parameter that all hashes share is missing, or asks for more than is ever computed.
    case invalidParameter(String)
    /// This one hash is not what the algorithm makes.
    case invalidHash(String)
}

/// Takes no foreign hashes.
public struct NoPasswordImporter: PasswordImporter {
    public init() {}

    public func keep(
        _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
    ) -> Result<StoredPasswordHash, PasswordImportFault> {
        .failure(.unknownAlgorithm)
    }

    public func give(_ kept: Secret<String>) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)? { nil }
}
