import CountersignCore
import Synchronization
import Testing

@testable import PasswordHashing

/// Imported hashes against other people's implementations, through the door that sign-ins take.
@Suite struct ImportedHashVerifyingTests {
    private let hasher: Argon2idHasher

    init() throws {
        hasher = try Argon2idHasher(.weakest(threads: 2, queueLimit: 200))
    }

    @Test(arguments: ImportedVector.all)
    func `The right password matches and a wrong one does not`(vector: ImportedVector) async throws {
        let imported = try vector.imported()
        #expect(imported.flaw == nil)
        #expect(try await hasher.verify(Secret(vector.password), against: imported.text))
        #expect(try await !hasher.verify(Secret("!" + vector.password), against: imported.text))
        #expect(try await !hasher.verify(Secret("wrong"), against: imported.text))
        #expect(hasher.needsRehash(imported.text))
    }

    @Test(arguments: ImportedVector.all.filter { $0.algorithm != .bcrypt })
    func `One piece changed and nothing matches`(vector: ImportedVector) async throws {
        var hash = vector.hash
        hash[hash.count - 1] ^= 1
        let otherHash = try ImportedPasswordHash(
            vector.algorithm, vector.parameters, salt: vector.salt, hash: hash)
        #expect(try await !hasher.verify(Secret(vector.password), against: otherHash.text))
        let otherSalt = try ImportedPasswordHash(
            vector.algorithm, vector.parameters, salt: vector.salt + [0], hash: vector.hash)
        #expect(try await !hasher.verify(Secret(vector.password), against: otherSalt.text))
    }

    @Test func `Every algorithm has vectors`() {
        let covered = Set(ImportedVector.all.map(\.algorithm))
        #expect(covered == Set(ImportedPasswordHash.Algorithm.allCases.filter(\.isSupported)))
    }

    @Test func `A password is tried as it is typed and then in normal form c`() async throws {
        let composed = "P\u{00e4}ssw\u{00f6}rt"
        let decomposed = "Pa\u{0308}sswo\u{0308}rt"
        func imported(_ password: String) throws -> String {
            try ImportedPasswordHash(
                .sha256, .init(rounds: 1), hash: DigestFunction.sha256.digest(Array(password.utf8))
            ).text
        }
        #expect(try await hasher.verify(Secret(composed), against: imported(composed)))
        #expect(try await hasher.verify(Secret(decomposed), against: imported(decomposed)))
        #expect(try await hasher.verify(Secret(decomposed), against: imported(composed)))
        // Another system's decomposed form is unknown.
        #expect(try await !hasher.verify(Secret(composed), against: imported(decomposed)))
    }

    @Test func `After a rehash the hash is our own`() async throws {
        let vector = try #require(ImportedVector.digests.first)
        let password = Secret(vector.password)
        #expect(try await hasher.verify(password, against: vector.imported().text))
        let own = try await hasher.hash(password)
        #expect(!hasher.needsRehash(own))
        #expect(try await hasher.verify(password, against: own))
    }

    @Test func `Passwords of more than 4096 bytes match nothing`() async throws {
        let password = String(repeating: "x", count: 4097)
        let imported = try ImportedPasswordHash(
            .sha256, .init(rounds: 1), hash: DigestFunction.sha256.digest(Array(password.utf8)))
        #expect(try await !hasher.verify(Secret(password), against: imported.text))
    }

    @Test(.enabled(if: ImportedPasswordHash.Algorithm.bcrypt.isSupported))
    func `Bcrypt sees 72 bytes and no zero byte`() async throws {
        let text = try ImportedVector.bcrypt(
            "72 bytes", "", "$2b$04$LU6/aJEW4e7Zk9/FnIdKX.SLqwvEP/rPdyRZKTF1lRcMTgQ5TBKF6"
        ).imported().text
        let x72 = String(repeating: "x", count: 72)
        #expect(try await hasher.verify(Secret(x72), against: text))
        #expect(try await hasher.verify(Secret(x72 + "anything"), against: text))
        #expect(try await hasher.verify(Secret(String(repeating: "x", count: 4096)), against: text))
        #expect(try await !hasher.verify(Secret(String(x72.dropLast())), against: text))
        #expect(try await !hasher.verify(Secret(x72 + "\u{0}"), against: text))

        let short = try ImportedVector.bcrypt(
            "U*U", "", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        ).imported().text
        #expect(try await hasher.verify(Secret("U*U"), against: short))
        #expect(try await !hasher.verify(Secret("U*U\u{0}"), against: short))
        #expect(try await !hasher.verify(Secret("U*U\u{0}U*U"), against: short))
    }

    /// Counted, not timed: other work on the machine would decide.
    @Test func `A wrong guess at a cheap hash also computes the decoy`() async throws {
        let computed = Mutex(0)
        let hasher = try Argon2idHasher(
            .weakest(threads: 1), random: SystemRandom(), willHash: { computed.withLock { $0 += 1 } })
        func computations(_ password: String, _ hash: String) async throws -> Int {
            computed.withLock { $0 = 0 }
            _ = try await hasher.verify(Secret(password), against: hash)
            return computed.withLock { $0 }
        }
        let cheap = try ImportedPasswordHash(
            .md5, .init(rounds: 0), hash: DigestFunction.md5.digest(Array("right".utf8))
        ).text
        #expect(try await computations("right", cheap) == 1)
        #expect(try await computations("wrong", cheap) == 2)
        let useless = try ImportedPasswordHash(.md5, .init(rounds: 0), hash: [1, 2, 3]).text
        #expect(try await computations("wrong", useless) == 2)
        #expect(try await computations("wrong", "$cs-import$v=1$nonsense") == 1)
    }
}
