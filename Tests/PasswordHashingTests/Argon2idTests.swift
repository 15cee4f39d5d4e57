import CSodium
import CountersignCore
import Testing

@testable import PasswordHashing

/// Our filling of memory beside two others': libsodium's and the reference implementation's.
@Suite struct Argon2idTests {
    private static let salt = Array("0123456789abcdef".utf8)
    private static let passwords = ["", "password", String(repeating: "ü", count: 300)].map { Array($0.utf8) }

    private static func sodium(_ password: [UInt8], _ operations: Int, _ memoryKiB: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let characters = password.isEmpty ? [0] : password.map { CChar(bitPattern: $0) }
        let code = crypto_pwhash(
            &result, 32, characters, UInt64(password.count), salt, UInt64(operations), memoryKiB * 1024,
            crypto_pwhash_alg_argon2id13())
        return code == 0 ? result : []
    }

    /// Sizes at which segments begin in the middle of 128 addresses, and ones that are no multiple of four.
    @Test(arguments: [(8, 1), (9, 2), (15, 3), (64, 1), (511, 2), (512, 1), (516, 2), (1031, 4), (2100, 2)])
    func `It agrees with libsodium in every width`(memoryKiB: Int, operations: Int) throws {
        #expect(Sodium.isReady)
        let memory = HashingMemory()
        for password in Self.passwords {
            let expected = Self.sodium(password, operations, memoryKiB)
            #expect(expected.count == 32)
            for width in Argon2id.Width.allCases where width.isAvailable {
                let blocks = try #require(memory.bytes(Argon2id.blocks(memoryKiB: memoryKiB) * Argon2id.blockBytes))
                let tag = Argon2id.hash(
                    password, salt: Self.salt, operations: operations, memoryKiB: memoryKiB, count: 32, in: blocks,
                    width)
                #expect(tag == expected, "\(width)")
            }
        }
    }

    @Test func `It agrees with the reference implementation at the default costs`() throws {
        let memory = HashingMemory()
        let parameters = ImportedPasswordHash.Argon2Parameters(
            hashLengthBytes: 32, hashType: .argon2id, parallelism: 1, iterations: 2, memoryCostKib: 19_456)
        let blocks = try #require(memory.bytes(19_456 * Argon2id.blockBytes))
        let tag = Argon2id.hash(
            Self.passwords[1], salt: Self.salt, operations: 2, memoryKiB: 19_456, count: 32, in: blocks)
        #expect(tag == Argon2.hash(Self.passwords[1], salt: Self.salt, parameters))
    }

    @Test func `Hashes of libsodium match and ours match there`() async throws {
        let hasher = try Argon2idHasher(Argon2idParameters(memoryKiB: 64, operations: 2, threads: 1))
        let theirs = try #require(Sodium.hash(Self.passwords[1], operations: 2, memoryKiB: 64))
        #expect(try await hasher.verify(Secret("password"), against: theirs))
        #expect(try await !hasher.verify(Secret("Password"), against: theirs))
        #expect(!hasher.needsRehash(theirs))
        let ours = try await hasher.hash(Secret("password"))
        #expect(Sodium.verify(Self.passwords[1], against: ours))
        #expect(!Sodium.verify(Self.passwords[0], against: ours))
        #expect(PHCString(ours)?.parts(of: Argon2idParameters(memoryKiB: 64, operations: 2)) != nil)
        // Other costs, and another spelling of the same bytes, are not for it.
        #expect(PHCString(ours)?.parts(of: Argon2idParameters(memoryKiB: 64, operations: 3)) == nil)
        let padded = ours + "="
        #expect(PHCString(padded)?.parts(of: Argon2idParameters(memoryKiB: 64, operations: 2)) == nil)
        #expect(try await !hasher.verify(Secret("password"), against: padded))
    }

    @Test func `Memory is kept for hashes of one size and given back empty`() throws {
        let memory = HashingMemory()
        let first = try #require(memory.bytes(4 << 20))
        #expect(Int(bitPattern: first) % 64 == 0)
        first.storeBytes(of: 0xFF, toByteOffset: 4096, as: UInt8.self)
        #expect(memory.bytes(4 << 20) == first)
        #expect(first.load(fromByteOffset: 4096, as: UInt8.self) == 0xFF)
        memory.giveBack()
        let second = try #require(memory.bytes(4 << 20))
        #expect(second.load(fromByteOffset: 4096, as: UInt8.self) == 0)
        #expect(memory.bytes(.max / 2) == nil)
        #expect(memory.bytes(8192) != nil)
    }
}
