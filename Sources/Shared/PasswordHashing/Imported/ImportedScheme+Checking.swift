/// One maker for each kind of algorithm: what must be there, what range it has, what it may cost.
extension ImportedScheme {
    static func firebaseScrypt(_ parameters: Parameters) throws(ImportedPasswordHashError) -> Self {
        let rounds = try required(parameters.rounds, "rounds", of: .scrypt)
        try Bounds.check(rounds, in: Bounds.firebaseScryptRounds, "rounds")
        let memoryCost = try required(parameters.memoryCost, "memoryCost", of: .scrypt)
        try Bounds.check(memoryCost, in: Bounds.firebaseScryptMemoryCost, "memoryCost")
        return .firebaseScrypt(
            signerKey: try signerKey(parameters, of: .scrypt), saltSeparator: parameters.saltSeparator,
            rounds: rounds, memoryCost: memoryCost)
    }

    static func standardScrypt(_ parameters: Parameters) throws(ImportedPasswordHashError) -> Self {
        let cost = try required(parameters.cpuMemCost ?? parameters.memoryCost, "cpuMemCost", of: .standardScrypt)
        let blockSize = try required(parameters.blockSize, "blockSize", of: .standardScrypt)
        let parallelization = try required(parameters.parallelization, "parallelization", of: .standardScrypt)
        let byteCount = try required(parameters.dkLen, "dkLen", of: .standardScrypt)
        // Each alone can fill the memory, so that no product below overflows.
        let most = Bounds.scryptMemory / 128
        try Bounds.check(cost, in: 2...most, "cpuMemCost")
        try Bounds.check(blockSize, in: 1...most, "blockSize")
        try Bounds.check(parallelization, in: 1...most, "parallelization")
        try Bounds.check(byteCount, in: 1...Bounds.hashBytes, "dkLen", unit: "bytes")
        guard cost & (cost - 1) == 0 else {
            throw ImportedPasswordHashError(.outOfRange, "cpuMemCost", "cpuMemCost must be a power of two, not \(cost)")
        }
        guard blockSize * cost <= most, blockSize * parallelization <= Bounds.scryptInput / 128 else {
            throw ImportedPasswordHashError(
                .tooCostly, "cpuMemCost",
                "scrypt of cost \(cost), block size \(blockSize) and parallelization \(parallelization) fills too "
                    + "much memory: \(Bounds.scryptMemory / 1_048_576) MiB is the most")
        }
        guard cost * blockSize * parallelization <= Bounds.scryptWork else {
            throw ImportedPasswordHashError(
                .tooCostly, "parallelization",
                "scrypt of cost \(cost), block size \(blockSize) and parallelization \(parallelization) takes too long")
        }
        return .standardScrypt(
            cost: cost, blockSize: blockSize, parallelization: parallelization, byteCount: byteCount,
            saltSeparator: parameters.saltSeparator)
    }

    /// A hash that is not bcrypt's has no cost; no password matches it.
    static func bcrypt(_ hash: [UInt8]) throws(ImportedPasswordHashError) -> Self {
        if let cost = Bcrypt.cost(of: hash), cost > Bounds.bcryptCost.upperBound {
            throw ImportedPasswordHashError(
                .tooCostly, "passwordHash",
                "bcrypt of cost \(cost) takes too long: \(Bounds.bcryptCost.upperBound) is "
                    + "the most")
        }
        return .bcrypt
    }

    static func pbkdf2(
        _ function: DigestFunction, _ algorithm: Algorithm, _ parameters: Parameters, _ hash: [UInt8]
    ) throws(ImportedPasswordHashError) -> Self {
        let rounds = try required(parameters.rounds, "rounds", of: algorithm)
        try Bounds.check(rounds, in: Bounds.pbkdf2Rounds, "rounds")
        let blocks = (hash.count + function.byteCount - 1) / function.byteCount
        guard rounds * blocks <= Bounds.pbkdf2Rounds.upperBound else {
            throw ImportedPasswordHashError(
                .tooCostly, "rounds", "\(rounds) rounds for a hash of \(hash.count) bytes take too long")
        }
        return .pbkdf2(function, rounds: rounds, saltSeparator: parameters.saltSeparator)
    }

    static func hmac(
        _ function: DigestFunction, _ algorithm: Algorithm, _ parameters: Parameters
    ) throws(ImportedPasswordHashError) -> Self {
        .hmac(
            function, signerKey: try signerKey(parameters, of: algorithm),
            order: parameters.passwordHashOrder ?? .passwordAndSalt, saltSeparator: parameters.saltSeparator)
    }

    static func digest(
        _ function: DigestFunction, _ algorithm: Algorithm, _ parameters: Parameters
    ) throws(ImportedPasswordHashError) -> Self {
        let rounds = try required(parameters.rounds, "rounds", of: algorithm)
        let least = function == .md5 ? 0 : 1
        try Bounds.check(rounds, in: least...Bounds.digestRounds.upperBound, "rounds")
        return .digest(
            function, rounds: rounds, order: parameters.passwordHashOrder ?? .saltAndPassword,
            saltSeparator: parameters.saltSeparator)
    }

    static func argon2(_ parameters: Parameters) throws(ImportedPasswordHashError) -> Self {
        guard let argon2 = parameters.argon2Parameters else { throw .missing("argon2Parameters", of: .argon2) }
        func name(_ field: String) -> String { "argon2Parameters.\(field)" }
        try Bounds.check(
            argon2.hashLengthBytes, in: Bounds.argon2HashBytes, name("hashLengthBytes"), unit: "bytes")
        try Bounds.check(argon2.parallelism, in: Bounds.argon2Lanes, name("parallelism"))
        try Bounds.check(argon2.iterations, in: Bounds.argon2Iterations, name("iterations"))
        // RFC 9106, section 3.1: at least eight blocks of 1 KiB a lane.
        try Bounds.check(
            argon2.memoryCostKib, in: 8 * argon2.parallelism...Bounds.argon2MemoryKiB, name("memoryCostKib"),
            unit: "KiB")
        try Bounds.check(
            argon2.associatedData.count, in: 0...Bounds.associatedDataBytes, name("associatedData"), unit: "bytes")
        guard argon2.memoryCostKib * argon2.iterations <= Bounds.argon2Work else {
            throw ImportedPasswordHashError(
                .tooCostly, name("iterations"),
                "\(argon2.iterations) passes over \(argon2.memoryCostKib) KiB take too long")
        }
        return .argon2(argon2, saltSeparator: parameters.saltSeparator)
    }

    private static func required(
        _ value: Int?, _ parameter: String, of algorithm: Algorithm
    ) throws(ImportedPasswordHashError) -> Int {
        guard let value else { throw .missing(parameter, of: algorithm) }
        return value
    }

    private static func signerKey(
        _ parameters: Parameters, of algorithm: Algorithm
    ) throws(ImportedPasswordHashError) -> [UInt8] {
        guard !parameters.signerKey.isEmpty else { throw .missing("signerKey", of: algorithm) }
        try Bounds.check(parameters.signerKey.count, in: 1...Bounds.keyBytes, "signerKey", unit: "bytes")
        return parameters.signerKey
    }
}
