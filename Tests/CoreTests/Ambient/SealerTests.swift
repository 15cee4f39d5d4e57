import Crypto
import Foundation
import Testing

@testable import CountersignCore

@Suite("Sealing")
struct SealerTests {
    private static func key(_ byte: UInt8) throws -> Sealer.MasterKey {
        try Sealer.MasterKey(bytes: Secret(Array(repeating: byte, count: 32)))
    }

    private static func sealer(_ active: UInt8, earlier: [UInt8] = []) throws -> Sealer {
        Sealer(active: try key(active), earlier: try earlier.map(key), random: SeededRandom(seed: UInt64(active)))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1000])
    func `What is sealed opens again, of any length`(length: Int) throws {
        let sealer = try Self.sealer(1)
        let plain = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
        let sealed = try sealer.seal(plain, for: "here")
        #expect(sealed.count == length + 33)
        #expect(sealed.first == 2)
        #expect(try sealer.open(sealed, for: "here") == plain)
        #expect(try sealer.open(Data([0]) + sealed, for: "here", skipping: 1) == plain)
        #expect(try sealer.seal(plain, for: "here") != sealed)
    }

    @Test
    func `It opens nowhere else`() throws {
        let sealer = try Self.sealer(1)
        let sealed = try sealer.seal(Data("secret".utf8), for: "factor/1")
        for context in ["factor/2", "factor/", "", "factor/1 ", "flow/1"] {
            #expect(throws: SealingError.self) { try sealer.open(sealed, for: context) }
        }
    }

    @Test
    func `Every altered, missing or added byte is noticed`() throws {
        let sealer = try Self.sealer(1)
        let sealed = try sealer.seal(Data("secret".utf8), for: "here")
        for index in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[index] ^= 1 << bit
                #expect(throws: SealingError.self) { try sealer.open(altered, for: "here") }
            }
            #expect(throws: SealingError.self) { try sealer.open(sealed.prefix(index), for: "here") }
        }
        #expect(throws: SealingError.self) { try sealer.open(sealed + [0], for: "here") }
    }

    @Test
    func `Earlier master keys open what they sealed; another does not, and the error names it but no content`() throws {
        let old = try Self.sealer(1).seal(Data("secret".utf8), for: "here")
        let new = try Self.sealer(2, earlier: [3, 1])
        #expect(try new.open(old, for: "here") == Data("secret".utf8))
        #expect(try Self.sealer(1).seal(Data(), for: "").dropFirst().prefix(4) == old.dropFirst().prefix(4))
        let own = try new.seal(Data("secret".utf8), for: "here")
        #expect(throws: SealingError.self) { try Self.sealer(1).open(own, for: "here") }
        let name = Array(own.dropFirst().prefix(4)).hex
        let error = #expect(throws: SealingError.self) { try Self.sealer(3).open(own, for: "here") }
        #expect(error?.description.contains(name) == true)
    }

    @Test(arguments: [0, 16, 31, 33, 64])
    func `A master key has 32 bytes`(count: Int) {
        #expect(throws: SealingError.self) {
            try Sealer.MasterKey(bytes: Secret(Array(repeating: 1, count: count)))
        }
    }

    @Test
    func `Sealing, naming and digesting use keys of their own, derived as documented (RFC 5869)`() async throws {
        let master = SymmetricKey(data: Array(repeating: UInt8(1), count: 32))
        func derive(_ purpose: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: master, info: Data("countersign/\(purpose)".utf8), outputByteCount: count)
        }
        let sealer = try Self.sealer(1)
        let sealed = Array(try sealer.seal(Data("secret".utf8), for: "here"))
        #expect(Array(sealed[1..<5]) == derive("name", 4).withUnsafeBytes { Array($0) })
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: sealed[5..<17]), ciphertext: sealed[17..<23], tag: sealed[23...])
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: derive("sealing by address", 32), info: Data("here".utf8), outputByteCount: 32)
        #expect(try AES.GCM.open(box, using: key, authenticating: Data("here".utf8)).count == 6)
        let code = HMAC<SHA256>.authenticationCode(for: Data("c\u{0}t".utf8), using: derive("digesting", 32))
        #expect(try await TestStore.digest("t", for: "c", by: sealer) == Data(sealed[1..<5]) + Data(code))
        for (isPruned, message) in [(false, "kept\u{0}link"), (true, "pruned\u{0}link")] {
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(message.utf8), using: derive("sealing the log", 32))
            #expect(try Self.key(1).code(ofSeal: "link", isPruned: isPruned).data == Data(code), "\(message)")
        }
    }

    /// Sealed by a version that had one key for all places: "secret" for "factor/1", under the key of ones.
    private static let ofFirstVersion = "AejD928AAQIDBAUGBwgJCgtD0Q8mucC3EOTCGwdQrf1r60n+TWUT"

    @Test
    func `What earlier versions sealed opens, in its place alone; what is sealed anew is of this version`() throws {
        let sealed = try #require(Data(base64Encoded: Self.ofFirstVersion))
        let sealer = try Self.sealer(2, earlier: [1])
        #expect(try sealer.open(sealed, for: "factor/1") == Data("secret".utf8))
        #expect(throws: SealingError.self) { try sealer.open(sealed, for: "factor/2") }
        // Nothing is gained by another version's name.
        var renamed = sealed
        renamed[renamed.startIndex] = 2
        #expect(throws: SealingError.self) { try sealer.open(renamed, for: "factor/1") }
        var own = try sealer.seal(Data("secret".utf8), for: "factor/1")
        #expect(own.first == 2)
        for version: UInt8 in [0, 1, 3, 255] {
            own[own.startIndex] = version
            #expect(throws: SealingError.self) { try sealer.open(own, for: "factor/1") }
        }
    }

    @Test
    func `Each place has a key of its own, so that a nonce which comes again in another place tells nothing`() throws {
        let key = try Self.key(1)
        let keys = ["factor/1", "factor/2", "flow/1", "session/1"].map { context in
            key.sealing(Sealer.version, for: context).withUnsafeBytes { Data($0) }
        }
        #expect(Set(keys).count == keys.count)
        #expect(try Self.key(2).sealing(Sealer.version, for: "factor/1").withUnsafeBytes { Data($0) } != keys[0])
    }

    @Test
    func `A keyed digest depends on key, context and text`() async throws {
        let sealer = try Self.sealer(1)
        let digests = [
            try await TestStore.digest("text", for: "context", by: sealer),
            try await TestStore.digest("text2", for: "context", by: sealer),
            try await TestStore.digest("text", for: "context2", by: sealer),
            try await TestStore.digest("xtext", for: "conte", by: sealer),
            try await TestStore.digest("text", for: "context", by: Self.sealer(2)),
        ]
        #expect(Set(digests.map { $0.dropFirst(4) }).count == digests.count)
        #expect(try await digests[0] == TestStore.digest("text", for: "context", by: sealer))
        #expect(digests.allSatisfy { $0.count == 36 })
    }

    @Test
    func `A digest is compared under the key that it names; one without a name, of an earlier version, under all`()
        async throws
    {
        let old = try Self.sealer(1)
        let digest = try await TestStore.digest("12345678", for: "code", by: old)
        let new = try Self.sealer(2, earlier: [1])
        for kept in [digest, digest.dropFirst(4)] {
            #expect(try new.matches("12345678", Data(kept), for: "code"))
            #expect(try !new.matches("12345679", Data(kept), for: "code"))
            #expect(try !new.matches("12345678", Data(kept), for: "other"))
        }
        let error = #expect(throws: SealingError.self) {
            try Self.sealer(2).matches("12345678", digest, for: "code")
        }
        #expect(error?.missingKey == old.keys.current.id)
    }
}

extension TestStore {
    /// What a transaction on an empty store makes of it.
    fileprivate static func digest(_ text: String, for context: String, by sealer: Sealer) async throws -> Data {
        try await TestStore.sqlite.open().read { try sealer.digest(text, for: context, in: $0) }
    }
}

extension Sealer {
    /// For a place of the test's own, under the key that seals where no store says otherwise.
    fileprivate func seal(_ plain: Data, for context: String) throws -> Data {
        try seal(plain, for: context, under: keys.current)
    }

    fileprivate func open(_ sealed: Data, for context: String) throws -> Data {
        try Self.open(sealed, for: context, with: keys)
    }

    /// Opens a slice, whose indices do not begin with 0.
    fileprivate func open(_ data: Data, for context: String, skipping count: Int) throws -> Data {
        try open(data.dropFirst(count), for: context)
    }
}
