import Testing

@testable import PasswordHashing

/// What is refused at import, what is accepted though no password can match, and that nothing traps.
@Suite struct ImportedHashBoundsTests {
    typealias Algorithm = ImportedPasswordHash.Algorithm
    typealias Parameters = ImportedPasswordHash.Parameters
    typealias Code = ImportedPasswordHashError.Code

    struct Refusal: Sendable {
        let algorithm: Algorithm
        let parameters: Parameters
        var salt = 8
        var hash = 32
        let code: Code
        let parameter: String
    }

    private static func scrypt(_ cost: Int?, r: Int? = 8, p: Int? = 1, dkLen: Int? = 32) -> Parameters {
        Parameters(cpuMemCost: cost, parallelization: p, blockSize: r, dkLen: dkLen)
    }

    private static func argon2(
        length: Int = 32, p: Int = 1, t: Int = 1, m: Int = 64, associatedData: Int = 0
    ) -> Parameters {
        Parameters(
            argon2Parameters: .init(
                hashLengthBytes: length, hashType: .argon2id, parallelism: p, iterations: t, memoryCostKib: m,
                associatedData: [UInt8](repeating: 0, count: associatedData)))
    }

    static let refusals: [Refusal] = [
        .init(algorithm: .sha256, parameters: .init(), code: .missing, parameter: "rounds"),
        .init(algorithm: .md5, parameters: .init(), code: .missing, parameter: "rounds"),
        .init(algorithm: .pbkdfSHA1, parameters: .init(), code: .missing, parameter: "rounds"),
        .init(algorithm: .hmacMD5, parameters: .init(), code: .missing, parameter: "signerKey"),
        .init(algorithm: .argon2, parameters: .init(), code: .missing, parameter: "argon2Parameters"),
        .init(algorithm: .scrypt, parameters: .init(memoryCost: 14), code: .missing, parameter: "rounds"),
        .init(algorithm: .scrypt, parameters: .init(rounds: 8), code: .missing, parameter: "memoryCost"),
        .init(
            algorithm: .scrypt, parameters: .init(rounds: 8, memoryCost: 14), code: .missing, parameter: "signerKey"),
        .init(algorithm: .standardScrypt, parameters: scrypt(nil), code: .missing, parameter: "cpuMemCost"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, r: nil), code: .missing, parameter: "blockSize"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, p: nil), code: .missing, parameter: "parallelization"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, dkLen: nil), code: .missing, parameter: "dkLen"),
        .init(algorithm: .sha256, parameters: .init(rounds: 1), hash: 0, code: .missing, parameter: "passwordHash"),

        .init(algorithm: .sha256, parameters: .init(rounds: 0), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .sha1, parameters: .init(rounds: 8193), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .md5, parameters: .init(rounds: -1), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .md5, parameters: .init(rounds: .max), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .pbkdf2SHA256, parameters: .init(rounds: 0), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .pbkdf2SHA256, parameters: .init(rounds: .min), code: .outOfRange, parameter: "rounds"),
        .init(algorithm: .pbkdf2SHA256, parameters: .init(rounds: .max), code: .outOfRange, parameter: "rounds"),
        // The vector of RFC 6070 that is left out.
        .init(algorithm: .pbkdfSHA1, parameters: .init(rounds: 16_777_216), code: .outOfRange, parameter: "rounds"),
        .init(
            algorithm: .scrypt, parameters: .init(signerKey: [1], rounds: 9, memoryCost: 14), code: .outOfRange,
            parameter: "rounds"),
        .init(
            algorithm: .scrypt, parameters: .init(signerKey: [1], rounds: 8, memoryCost: 15), code: .outOfRange,
            parameter: "memoryCost"),
        .init(
            algorithm: .scrypt, parameters: .init(signerKey: [1], rounds: 8, memoryCost: .max), code: .outOfRange,
            parameter: "memoryCost"),
        .init(algorithm: .standardScrypt, parameters: scrypt(1), code: .outOfRange, parameter: "cpuMemCost"),
        .init(algorithm: .standardScrypt, parameters: scrypt(1000), code: .outOfRange, parameter: "cpuMemCost"),
        .init(algorithm: .standardScrypt, parameters: scrypt(.max), code: .outOfRange, parameter: "cpuMemCost"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, r: 0), code: .outOfRange, parameter: "blockSize"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, r: .max), code: .outOfRange, parameter: "blockSize"),
        .init(
            algorithm: .standardScrypt, parameters: scrypt(16, p: .max), code: .outOfRange,
            parameter: "parallelization"),
        .init(algorithm: .standardScrypt, parameters: scrypt(16, dkLen: 1025), code: .outOfRange, parameter: "dkLen"),
        .init(
            algorithm: .argon2, parameters: argon2(length: 3), code: .outOfRange,
            parameter: "argon2Parameters.hashLengthBytes"),
        .init(
            algorithm: .argon2, parameters: argon2(p: 65, m: 1024), code: .outOfRange,
            parameter: "argon2Parameters.parallelism"),
        .init(
            algorithm: .argon2, parameters: argon2(t: 65), code: .outOfRange, parameter: "argon2Parameters.iterations"),
        .init(
            algorithm: .argon2, parameters: argon2(p: 2, m: 15), code: .outOfRange,
            parameter: "argon2Parameters.memoryCostKib"),
        .init(
            algorithm: .argon2, parameters: argon2(m: 1_048_577), code: .outOfRange,
            parameter: "argon2Parameters.memoryCostKib"),
        .init(
            algorithm: .argon2, parameters: argon2(associatedData: 1025), code: .outOfRange,
            parameter: "argon2Parameters.associatedData"),
        .init(
            algorithm: .sha256, parameters: .init(saltSeparator: [UInt8](repeating: 0, count: 65), rounds: 1),
            code: .outOfRange, parameter: "saltSeparator"),
        .init(
            algorithm: .hmacSHA1, parameters: .init(signerKey: [UInt8](repeating: 0, count: 1025)), code: .outOfRange,
            parameter: "signerKey"),
        .init(algorithm: .sha256, parameters: .init(rounds: 1), salt: 1025, code: .outOfRange, parameter: "salt"),
        .init(
            algorithm: .sha256, parameters: .init(rounds: 1), hash: 1025, code: .outOfRange, parameter: "passwordHash"),

        // The vector of RFC 7914 that is left out: 1 GiB.
        .init(algorithm: .standardScrypt, parameters: scrypt(1_048_576), code: .tooCostly, parameter: "cpuMemCost"),
        .init(
            algorithm: .standardScrypt, parameters: scrypt(2, r: 1024, p: 257), code: .tooCostly,
            parameter: "cpuMemCost"),
        .init(
            algorithm: .standardScrypt, parameters: scrypt(131_072, p: 9), code: .tooCostly,
            parameter: "parallelization"),
        .init(
            algorithm: .pbkdf2SHA256, parameters: .init(rounds: 5_000_001), hash: 64, code: .tooCostly,
            parameter: "rounds"),
        .init(
            algorithm: .argon2, parameters: argon2(t: 5, m: 1_048_576), code: .tooCostly,
            parameter: "argon2Parameters.iterations"),
    ]

    @Test(arguments: refusals)
    func `Is refused at import`(refusal: Refusal) {
        let error = #expect(throws: ImportedPasswordHashError.self) {
            try ImportedPasswordHash(
                refusal.algorithm, refusal.parameters, salt: [UInt8](repeating: 1, count: refusal.salt),
                hash: [UInt8](repeating: 1, count: refusal.hash))
        }
        #expect(error?.code == refusal.code)
        #expect(error?.parameter == refusal.parameter)
        #expect(error?.description.isEmpty == false)
    }

    @Test(.enabled(if: Algorithm.bcrypt.isSupported))
    func `A bcrypt hash that takes too long is refused`() throws {
        func hash(_ cost: String) -> [UInt8] {
            Array("$2b$\(cost)$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8)
        }
        for cost in ["17", "31", "99"] {
            let error = #expect(throws: ImportedPasswordHashError.self) {
                try ImportedPasswordHash(.bcrypt, hash: hash(cost))
            }
            #expect(error?.code == .tooCostly)
            #expect(error?.parameter == "passwordHash")
        }
        #expect(try ImportedPasswordHash(.bcrypt, hash: hash("16")).flaw == nil)
        #expect(try ImportedPasswordHash(.bcrypt, hash: hash("03")).flaw != nil)
    }

    @Test(.enabled(if: !Algorithm.bcrypt.isSupported))
    func `Bcrypt is unsupported where its library is not linked`() {
        let error = #expect(throws: ImportedPasswordHashError.self) {
            try ImportedPasswordHash(.bcrypt, hash: ImportedVector.bcrypt[0].hash)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.parameter == "hashAlgorithm")
    }

    @Test func `The most that Google documents is accepted`() throws {
        let hash = [UInt8](repeating: 1, count: 64)
        _ = try ImportedPasswordHash(.sha512, .init(rounds: 8192), hash: hash)
        _ = try ImportedPasswordHash(.md5, .init(rounds: 8192), hash: hash)
        _ = try ImportedPasswordHash(.pbkdfSHA1, .init(rounds: 120_000), hash: hash)
        _ = try ImportedPasswordHash(.pbkdf2SHA256, .init(rounds: 120_000), hash: hash)
        _ = try ImportedPasswordHash(.scrypt, .init(signerKey: hash, rounds: 8, memoryCost: 14), hash: hash)
        _ = try ImportedPasswordHash(.argon2, Self.argon2(length: 64, p: 16, t: 16, m: 32_768), hash: hash)
    }

    @Test func `Scrypt may fill 256 MiB`() throws {
        let hash = [UInt8](repeating: 1, count: 32)
        _ = try ImportedPasswordHash(.standardScrypt, Self.scrypt(262_144), hash: hash)
        _ = try ImportedPasswordHash(.standardScrypt, Self.scrypt(131_072, p: 8), hash: hash)
        _ = try ImportedPasswordHash(.standardScrypt, Self.scrypt(2, r: 1024, p: 256), hash: hash)
    }

    @Test func `CPU mem cost may come as memory cost`() throws {
        let parameters = Parameters(memoryCost: 1024, parallelization: 16, blockSize: 8, dkLen: 64)
        let imported = try ImportedPasswordHash(
            .standardScrypt, parameters, hash: [UInt8](repeating: 1, count: 64))
        #expect(imported.parameters.cpuMemCost == 1024)
        #expect(imported.parameters.memoryCost == nil)
    }

    /// Google's own examples import the words "password-hash".
    @Test(
        arguments: [
            (Algorithm.hmacSHA256, Parameters(signerKey: [1])), (.sha512, .init(rounds: 1)), (.md5, .init(rounds: 0)),
            (.standardScrypt, scrypt(1024, dkLen: 64)), (.bcrypt, .init()), (.argon2, argon2()),
            (.scrypt, .init(signerKey: [UInt8](repeating: 1, count: 64), rounds: 8, memoryCost: 14)),
        ].filter { $0.0.isSupported })
    func `What is no hash of its algorithm is accepted and matches nothing`(
        algorithm: Algorithm, parameters: Parameters
    ) throws {
        let imported = try ImportedPasswordHash(
            algorithm, parameters, salt: Array("salt".utf8), hash: Array("password-hash".utf8))
        #expect(imported.flaw?.isEmpty == false)
        #expect(!imported.matches(Array("password-hash".utf8)))
        #expect(ImportedPasswordHash(text: imported.text) == imported)
    }

    @Test func `Hashes that passwords would match by chance match nothing`() throws {
        let one = PBKDF2.derive([1], salt: [], function: .sha256, rounds: 1, byteCount: 1)
        let imported = try ImportedPasswordHash(.pbkdf2SHA256, .init(rounds: 1), hash: #require(one))
        #expect(imported.flaw != nil)
        #expect(!imported.matches([1]))
    }

    @Test func `An Argon2 salt that Argon2 does not take is a flaw`() throws {
        let hash = [UInt8](repeating: 1, count: 32)
        let short = try ImportedPasswordHash(.argon2, Self.argon2(), salt: [1, 2, 3], hash: hash)
        #expect(short.flaw != nil)
        #expect(!short.matches([]))
    }

    @Test func `Parameters of any size are refused or bounded`() {
        var random = SeededGenerator(seed: 20)
        let sizes = [Int.min, -1, 0, 1, 2, 3, 8, 16, 1 << 20, 1 << 31, 1 << 32, 1 << 62, .max]
        func size() -> Int { random.one(of: sizes) }
        for _ in 0..<10_000 {
            let parameters = Parameters(
                signerKey: [1], rounds: size(), memoryCost: size(), cpuMemCost: size(), parallelization: size(),
                blockSize: size(), dkLen: size(),
                argon2Parameters: .init(
                    hashLengthBytes: size(), hashType: .argon2d, parallelism: size(), iterations: size(),
                    memoryCostKib: size()))
            let algorithm = random.one(of: Algorithm.allCases)
            guard let imported = try? ImportedPasswordHash(algorithm, parameters, hash: [1]) else { continue }
            #expect(ImportedPasswordHash(text: imported.text) == imported)
        }
    }
}

/// The same random numbers in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }
}
