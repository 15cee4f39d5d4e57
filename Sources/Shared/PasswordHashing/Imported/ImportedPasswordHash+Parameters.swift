extension ImportedPasswordHash {
    /// The parameters of all algorithms, named as in the body of `accounts:batchCreate`. Absent ones are nil or empty.
    ///
    /// https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate
    public struct Parameters: Sendable, Equatable {
        /// `SCRYPT`, `HMAC_*`: the key. Required there.
        public var signerKey: [UInt8]
        /// Goes between salt and password, or after the salt where it is a salt of its own (`SCRYPT`, PBKDF2,
        /// `STANDARD_SCRYPT`, `ARGON2`).
        public var saltSeparator: [UInt8]
        /// `MD5`: 0 to 8192; `SHA*`: 1 to 8192; PBKDF2: from 1; `SCRYPT`: the block size, 1 to 8. Required there.
        public var rounds: Int?
        /// `SCRYPT`: the binary logarithm of the cost, 1 to 14. Required there.
        public var memoryCost: Int?
        /// `STANDARD_SCRYPT`: N itself, a power of two. Where it is absent, `memoryCost` is taken, as clients sent it
        /// for years.
        public var cpuMemCost: Int?
        /// `STANDARD_SCRYPT`: p.
        public var parallelization: Int?
        /// `STANDARD_SCRYPT`: r.
        public var blockSize: Int?
        /// `STANDARD_SCRYPT`: bytes of the hash.
        public var dkLen: Int?
        /// `HMAC_*`, `SHA*`, `MD5`. Where it is absent: the password first for `HMAC_*`, the salt first otherwise.
        public var passwordHashOrder: PasswordHashOrder?
        /// `ARGON2`. Required there.
        public var argon2Parameters: Argon2Parameters?

        public init(
            signerKey: [UInt8] = [], saltSeparator: [UInt8] = [], rounds: Int? = nil, memoryCost: Int? = nil,
            cpuMemCost: Int? = nil, parallelization: Int? = nil, blockSize: Int? = nil, dkLen: Int? = nil,
            passwordHashOrder: PasswordHashOrder? = nil, argon2Parameters: Argon2Parameters? = nil
        ) {
            self.signerKey = signerKey
            self.saltSeparator = saltSeparator
            self.rounds = rounds
            self.memoryCost = memoryCost
            self.cpuMemCost = cpuMemCost
            self.parallelization = parallelization
            self.blockSize = blockSize
            self.dkLen = dkLen
            self.passwordHashOrder = passwordHashOrder
            self.argon2Parameters = argon2Parameters
        }
    }

    /// Which of salt and password is hashed first. `UNSPECIFIED_ORDER` is nil.
    public enum PasswordHashOrder: String, Sendable {
        case saltAndPassword = "SALT_AND_PASSWORD"
        case passwordAndSalt = "PASSWORD_AND_SALT"
    }

    /// `argon2Parameters` of the same body.
    ///
    /// https://cloud.google.com/identity-platform/docs/reference/rest/v1/Argon2Parameters
    public struct Argon2Parameters: Sendable, Equatable {
        public enum HashType: String, Sendable {
            case argon2d = "ARGON2_D"
            case argon2i = "ARGON2_I"
            case argon2id = "ARGON2_ID"
        }

        public enum Version: String, Sendable {
            case version10 = "VERSION_10"
            case version13 = "VERSION_13"
        }

        /// 4 to 1024.
        public var hashLengthBytes: Int
        public var hashType: HashType
        /// Lanes; 1 to 64. They are computed one after the other, on one thread.
        public var parallelism: Int
        /// 1 to 64.
        public var iterations: Int
        /// From 8 for each lane to 1,048,576 (1 GiB).
        public var memoryCostKib: Int
        /// `VERSION_UNSPECIFIED` is version 13 too.
        public var version: Version
        public var associatedData: [UInt8]

        public init(
            hashLengthBytes: Int, hashType: HashType, parallelism: Int, iterations: Int, memoryCostKib: Int,
            version: Version = .version13, associatedData: [UInt8] = []
        ) {
            self.hashLengthBytes = hashLengthBytes
            self.hashType = hashType
            self.parallelism = parallelism
            self.iterations = iterations
            self.memoryCostKib = memoryCostKib
            self.version = version
            self.associatedData = associatedData
        }
    }
}
