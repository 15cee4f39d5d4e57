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
    /// The algorithm's name.
    public var algorithm: String
    /// The key of an HMAC, or of the modified scrypt. A secret of the other system.
    public var signerKey: Secret<[UInt8]> = Secret([])
    /// What stands between salt and key in the modified scrypt.
    public var saltSeparator: [UInt8] = []
    /// How often the algorithm is repeated; nil where it has no such number.
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
    /// Argon2's own parameters; nil for other algorithms.
    public var argon2: Argon2?
    /// Whether passwords were brought into Unicode's normal form C before they were hashed, as the realm does it. Then an
    /// Argon2id hash is kept as one of the realm's own, where it could be one.
    public var isNormalized = false

    /// What is hashed before what.
    public enum Order: Sendable, Equatable {
        /// The salt, then the password.
        case saltAndPassword
        /// The password, then the salt.
        case passwordAndSalt
    }

    /// Argon2's own parameters (RFC 9106, section 3.1).
    public struct Argon2: Sendable {
        /// The kind of Argon2 (RFC 9106, section 3.1).
        public enum Variant: Sendable, Equatable {
            /// Argon2d, whose memory accesses depend on the password.
            case d
            /// Argon2i, whose memory accesses do not.
            case i
            /// Argon2id, which is the one and then the other.
            case id
        }

        /// The kind of Argon2 that made the hashes.
        public var variant: Variant
        /// Bytes.
        public var hashLength: Int
        /// The number of lanes, `p`.
        public var parallelism: Int
        /// The number of passes, `t`.
        public var iterations: Int
        /// The memory in KiB, `m`.
        public var memoryKiB: Int
        /// Whether it is version 0x10 and not 0x13.
        public var isVersion10: Bool
        /// The associated data, `X`; empty where there is none.
        public var associatedData: [UInt8]

        /// Parameters of one kind of Argon2.
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

    /// A scheme of this algorithm, with the parameters that are set afterwards.
    public init(algorithm: String) {
        self.algorithm = algorithm
    }
}

/// One user's password hash and salt, as the other system has them.
public struct ForeignPasswordHash: Sendable {
    /// The hash, or for formats that have all in one text that text's bytes.
    public var hash: [UInt8]
    /// The salt; empty where the hash has it.
    public var salt: [UInt8]

    /// A user's hash and salt.
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
    /// No algorithm of that name is known here.
    case unknownAlgorithm
    /// A parameter that all hashes share is missing, or asks for more than is ever computed.
    case invalidParameter(String)
    /// This one hash is not what the algorithm makes.
    case invalidHash(String)
}

/// Takes no foreign hashes.
public struct NoPasswordImporter: PasswordImporter {
    /// An importer that knows no algorithm.
    public init() {}

    public func keep(
        _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
    ) -> Result<StoredPasswordHash, PasswordImportFault> {
        .failure(.unknownAlgorithm)
    }

    public func give(_ kept: Secret<String>) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)? { nil }
}
