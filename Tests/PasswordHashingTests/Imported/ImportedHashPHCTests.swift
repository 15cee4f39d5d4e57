import CountersignCore
import Foundation
import Testing

@testable import PasswordHashing

@Suite("Argon2 hashes as PHC strings")
struct ImportedHashPHCTests {
    private static let salt = "c29tZXNhbHRzb21lc2FsdA"
    private static let hash = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    @Test(
        arguments: [
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(hash)", "$argon2i$v=19$m=4096,t=3,p=1$\(salt)$\(hash)",
            "$argon2id$v=19$m=65536,t=3,p=4$\(salt)$\(hash)",
        ])
    func `A PHC string survives the way there and back`(text: String) throws {
        let imported = try #require(ImportedPasswordHash(phc: text))
        #expect(imported.algorithm == .argon2)
        #expect(imported.phc == text)
        #expect(ImportedPasswordHash(text: imported.text)?.phc == text)
    }

    @Test(
        arguments: [
            "", "x", "$argon2d$v=19$m=19456,t=2,p=1$\(salt)$\(hash)", "$argon2id$v=16$m=19456,t=2,p=1$\(salt)$\(hash)",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$!", "$argon2id$v=19$m=019456,t=2,p=1$\(salt)$\(hash)",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(hash)=",
            "$cs-import$v=1$SHA256$rounds=1,passwordHashOrder=SALT_AND_PASSWORD$c2FsdA$c2FsdA",
        ])
    func `What is none is refused`(text: String) {
        #expect(ImportedPasswordHash(phc: text) == nil)
    }

    @Test
    func `Only what our hasher compares has a PHC string`() throws {
        func phc(_ change: (inout ImportedPasswordHash.Parameters) -> Void) throws -> String? {
            var parameters = ImportedPasswordHash.Parameters()
            parameters.argon2Parameters = .init(
                hashLengthBytes: 32, hashType: .argon2id, parallelism: 1, iterations: 2, memoryCostKib: 64)
            change(&parameters)
            return try ImportedPasswordHash(
                .argon2, parameters, salt: Array(repeating: 1, count: 16), hash: Array(repeating: 2, count: 32)
            ).phc
        }
        #expect(try phc { _ in } != nil)
        #expect(try phc { $0.saltSeparator = [1] } == nil)
        #expect(try phc { $0.argon2Parameters?.associatedData = [1] } == nil)
        #expect(try phc { $0.argon2Parameters?.version = .version10 } == nil)
        #expect(try phc { $0.argon2Parameters?.hashType = .argon2d } == nil)
        let digest = try ImportedPasswordHash(
            .sha256, .init(rounds: 1), salt: [1], hash: Array(repeating: 2, count: 32))
        #expect(digest.phc == nil)
    }

    @Test
    func `An exported hash is compared by the other library too`() async throws {
        let hasher = try Argon2idHasher(.init(memoryKiB: 64, operations: 1, threads: 1))
        defer { hasher.shutDown() }
        let text = try await hasher.hash(Secret("a long and quiet afternoon"))
        let imported = try #require(ImportedPasswordHash(phc: text))
        #expect(try await hasher.verify(Secret("a long and quiet afternoon"), against: imported.text))
        #expect(try await !hasher.verify(Secret("another"), against: imported.text))
    }
}
