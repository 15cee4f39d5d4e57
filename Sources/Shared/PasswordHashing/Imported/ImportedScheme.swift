/// An algorithm with exactly the parameters that it uses, looked over: what is left to do is to compute.
enum ImportedScheme: Sendable, Equatable {
    typealias Algorithm = ImportedPasswordHash.Algorithm
    typealias Parameters = ImportedPasswordHash.Parameters
    typealias Bounds = ImportedPasswordHash.Bounds
    typealias Order = ImportedPasswordHash.PasswordHashOrder

    case firebaseScrypt(signerKey: [UInt8], saltSeparator: [UInt8], rounds: Int, memoryCost: Int)
    case standardScrypt(cost: Int, blockSize: Int, parallelization: Int, byteCount: Int, saltSeparator: [UInt8])
    case bcrypt
    case pbkdf2(DigestFunction, rounds: Int, saltSeparator: [UInt8])
    case hmac(DigestFunction, signerKey: [UInt8], order: Order, saltSeparator: [UInt8])
    case digest(DigestFunction, rounds: Int, order: Order, saltSeparator: [UInt8])
    case argon2(ImportedPasswordHash.Argon2Parameters, saltSeparator: [UInt8])

    /// - Parameter hash: its length and, for bcrypt, its cost decide what a comparison costs.
    init(_ algorithm: Algorithm, _ parameters: Parameters, hash: [UInt8]) throws(ImportedPasswordHashError) {
        guard algorithm.isSupported else {
            throw ImportedPasswordHashError(
                .unsupported, "hashAlgorithm", "\(algorithm.rawValue) hashes cannot be verified on this platform")
        }
        try Bounds.check(
            parameters.saltSeparator.count, in: 0...Bounds.separatorBytes, "saltSeparator", unit: "bytes")
        self =
            switch algorithm {
            case .scrypt: try Self.firebaseScrypt(parameters)
            case .standardScrypt: try Self.standardScrypt(parameters)
            case .bcrypt: try Self.bcrypt(hash)
            case .pbkdf2SHA256: try Self.pbkdf2(.sha256, algorithm, parameters, hash)
            case .pbkdfSHA1: try Self.pbkdf2(.sha1, algorithm, parameters, hash)
            case .hmacSHA512: try Self.hmac(.sha512, algorithm, parameters)
            case .hmacSHA256: try Self.hmac(.sha256, algorithm, parameters)
            case .hmacSHA1: try Self.hmac(.sha1, algorithm, parameters)
            case .hmacMD5: try Self.hmac(.md5, algorithm, parameters)
            case .sha512: try Self.digest(.sha512, algorithm, parameters)
            case .sha256: try Self.digest(.sha256, algorithm, parameters)
            case .sha1: try Self.digest(.sha1, algorithm, parameters)
            case .md5: try Self.digest(.md5, algorithm, parameters)
            case .argon2: try Self.argon2(parameters)
            }
    }

    var algorithm: Algorithm {
        switch self {
        case .firebaseScrypt: .scrypt
        case .standardScrypt: .standardScrypt
        case .bcrypt: .bcrypt
        case .pbkdf2(let function, _, _): function == .sha1 ? .pbkdfSHA1 : .pbkdf2SHA256
        case .hmac(let function, _, _, _):
            switch function {
            case .md5: .hmacMD5
            case .sha1: .hmacSHA1
            case .sha256: .hmacSHA256
            case .sha512: .hmacSHA512
            }
        case .digest(let function, _, _, _):
            switch function {
            case .md5: .md5
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        case .argon2: .argon2
        }
    }

    var parameters: Parameters {
        switch self {
        case .firebaseScrypt(let signerKey, let saltSeparator, let rounds, let memoryCost):
            Parameters(signerKey: signerKey, saltSeparator: saltSeparator, rounds: rounds, memoryCost: memoryCost)
        case .standardScrypt(let cost, let blockSize, let parallelization, let byteCount, let saltSeparator):
            Parameters(
                saltSeparator: saltSeparator, cpuMemCost: cost, parallelization: parallelization,
                blockSize: blockSize, dkLen: byteCount)
        case .bcrypt:
            Parameters()
        case .pbkdf2(_, let rounds, let saltSeparator):
            Parameters(saltSeparator: saltSeparator, rounds: rounds)
        case .hmac(_, let signerKey, let order, let saltSeparator):
            Parameters(signerKey: signerKey, saltSeparator: saltSeparator, passwordHashOrder: order)
        case .digest(_, let rounds, let order, let saltSeparator):
            Parameters(saltSeparator: saltSeparator, rounds: rounds, passwordHashOrder: order)
        case .argon2(let argon2, let saltSeparator):
            Parameters(saltSeparator: saltSeparator, argon2Parameters: argon2)
        }
    }
}
