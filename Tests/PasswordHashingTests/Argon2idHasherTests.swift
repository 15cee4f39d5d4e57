import CHugePages
import CountersignCore
import Synchronization
import Testing

@testable import PasswordHashing

@Suite struct Argon2idHasherTests {
    private let hasher: Argon2idHasher

    init() throws {
        hasher = try Argon2idHasher(.weakest(threads: 2, queueLimit: 200))
    }

    @Test func `The right password matches and a wrong one does not`() async throws {
        let hash = try await hasher.hash(Secret("correct horse battery staple"))
        #expect(hash.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(try await hasher.verify(Secret("correct horse battery staple"), against: hash))
        #expect(try await !hasher.verify(Secret("correct horse battery stapl"), against: hash))
        #expect(try await !hasher.verify(Secret("correct horse battery staple "), against: hash))
        #expect(try await !hasher.verify(Secret(""), against: hash))
    }

    @Test func `Every hash has its own salt`() async throws {
        let first = try await hasher.hash(Secret("same"))
        let second = try await hasher.hash(Secret("same"))
        #expect(first != second)
    }

    @Test func `The defaults are those of OWASP`() async throws {
        let hasher = try Argon2idHasher(Argon2idParameters(threads: 1))
        let hash = try await hasher.hash(Secret("password"))
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(hasher.decoy.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    #if os(Linux)
        /// libsodium is to call our `mmap` (CHugePages), on the threads that hash and for large hashes alone.
        @Test(arguments: [(19 * 1024, [0, 1, 2]), (4096, [0, 1, 2]), (64, [0, 0, 0])])
        func `The memory of large hashes is mapped in huge pages`(memoryKiB: Int, mapped: [Int]) async throws {
            let seen = Mutex<[Int]>([])
            let hasher = try Argon2idHasher(
                Argon2idParameters(memoryKiB: memoryKiB, operations: 1, threads: 1), random: SystemRandom()
            ) { seen.withLock { $0.append(countersign_huge_mappings()) } }
            let hash = try await hasher.hash(Secret("password"))
            #expect(try await hasher.verify(Secret("password"), against: hash))
            #expect(try await !hasher.verify(Secret("Password"), against: hash))
            #expect(seen.withLock { $0 } == mapped)
        }
    #endif

    @Test func `Composed and decomposed characters are the same`() async throws {
        let hash = try await hasher.hash(Secret("Pa\u{0308}sswo\u{0308}rt"))
        #expect(try await hasher.verify(Secret("P\u{00e4}ssw\u{00f6}rt"), against: hash))
        #expect(try await !hasher.verify(Secret("Passwort"), against: hash))
    }

    @Test func `Bytes after a zero byte count`() async throws {
        let hash = try await hasher.hash(Secret("abc\u{0}def"))
        #expect(try await hasher.verify(Secret("abc\u{0}def"), against: hash))
        #expect(try await !hasher.verify(Secret("abc\u{0}deg"), against: hash))
        #expect(try await !hasher.verify(Secret("abc"), against: hash))
    }

    @Test func `An empty password is a password like another`() async throws {
        let hash = try await hasher.hash(Secret(""))
        #expect(try await hasher.verify(Secret(""), against: hash))
        #expect(try await !hasher.verify(Secret("\u{0}"), against: hash))
    }

    @Test func `A password of 4096 bytes works and a longer one is refused`() async throws {
        let longest = String(repeating: "x", count: 4096)
        let hash = try await hasher.hash(Secret(longest))
        #expect(try await hasher.verify(Secret(longest), against: hash))
        #expect(try await !hasher.verify(Secret(longest + "x"), against: hash))
        let error = await #expect(throws: PasswordHashingError.self) { try await hasher.hash(Secret(longest + "x")) }
        #expect(error?.code == .passwordTooLong)
    }

    /// Made with the reference implementation's command line tool (Debian's `argon2`, salt `countersign-salt`).
    @Test(arguments: [
        (
            "correct horse battery staple",
            "$argon2id$v=19$m=4096,t=3,p=2$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4"
        ),
        (
            "P\u{00e4}ssw\u{00f6}rt",
            "$argon2id$v=19$m=1024,t=2,p=1$Y291bnRlcnNpZ24tc2FsdA$WLR+kJ057qzyAv2ZTlbuGAovXprBM0mQnmupLw2iCcA"
        ),
        (
            "correct horse battery staple",
            "$argon2i$v=19$m=1024,t=3,p=1$Y291bnRlcnNpZ24tc2FsdA$ghilwzMTUNh91yc6YHnbrLL1VGOfn/mYPK+mVNS0420"
        ),
    ])
    func `Hashes of the reference implementation are compared`(password: String, hash: String) async throws {
        #expect(try await hasher.verify(Secret(password), against: hash))
        #expect(try await !hasher.verify(Secret(password + "!"), against: hash))
    }

    @Test(arguments: [
        "", "$", "password", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$$", "$argon2id$v=19$m=8,t=1,p=1$!!!!$????",
        "$argon2id$v=16$m=8,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$argon2id$v=19$m=99999999999999999999,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0",
        "$argon2id$v=19$m=4194304,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$argon2id$v=19$m=8,t=4294967295,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$argon2id$v=19$m=-8,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$argon2id$v=19$t=1,m=8,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL/N+PzZc+pQoR+KqYIHeouatT0fuGQeOC4",
        "$argon2id$v=19$m=8,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$soZREnhcFL\u{0}",
        "$argon2id$v=19$m=8,t=1,p=1$Y291bnRlcnNpZ24tc2FsdA$" + String(repeating: "A", count: 1000),
        "$2b$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m",
    ])
    func `An unreadable hash matches nothing and is to be replaced`(hash: String) async throws {
        #expect(try await !hasher.verify(Secret("password"), against: hash))
        #expect(try await !hasher.verify(Secret(""), against: hash))
        #expect(hasher.needsRehash(hash))
    }

    @Test func `Hashes that cost less or are of another algorithm are to be replaced`() async throws {
        let dear = try Argon2idHasher(Argon2idParameters(memoryKiB: 64, operations: 2, threads: 1))
        let moreMemory = try Argon2idHasher(Argon2idParameters(memoryKiB: 128, operations: 2, threads: 1))
        let morePasses = try Argon2idHasher(Argon2idParameters(memoryKiB: 64, operations: 3, threads: 1))
        let hash = try await dear.hash(Secret("password"))
        #expect(!dear.needsRehash(hash))
        #expect(moreMemory.needsRehash(hash))
        #expect(morePasses.needsRehash(hash))
        #expect(!hasher.needsRehash(hash))
        #expect(dear.needsRehash(hash.replacingOccurrences("$argon2id$", with: "$argon2i$")))
    }

    @Test func `Nothing matches the decoy and it costs what a hash costs`() async throws {
        for guess in ["", "password", hasher.decoy, String(repeating: "\u{0}", count: 32)] {
            #expect(try await !hasher.verify(Secret(guess), against: hasher.decoy))
        }
        let hash = try await hasher.hash(Secret("password"))
        #expect(PHCString(hasher.decoy)?.memoryKiB == PHCString(hash)?.memoryKiB)
        #expect(PHCString(hasher.decoy)?.operations == PHCString(hash)?.operations)
        #expect(hasher.decoy.utf8.count == hash.utf8.count)
        #expect(!hasher.needsRehash(hasher.decoy))
    }

    @Test func `One hundred hashes at once all complete`() async throws {
        let hashes = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<100 {
                group.addTask { [hasher] in (number, try await hasher.hash(Secret("password \(number)"))) }
            }
            var result: [Int: String] = [:]
            for try await (number, hash) in group { result[number] = hash }
            return result
        }
        #expect(hashes.count == 100)
        #expect(Set(hashes.values).count == 100)
        let hash = try #require(hashes[42])
        #expect(try await hasher.verify(Secret("password 42"), against: hash))
    }

    @Test(arguments: [
        Argon2idParameters(memoryKiB: 7), Argon2idParameters(memoryKiB: .max), Argon2idParameters(operations: 0),
        Argon2idParameters(operations: .max), Argon2idParameters(threads: 0), Argon2idParameters(threads: .min),
        Argon2idParameters(threads: .max), Argon2idParameters(queueLimit: 0),
    ])
    func `Parameters outside of their ranges are refused`(parameters: Argon2idParameters) {
        let error = #expect(throws: PasswordHashingError.self) { try Argon2idHasher(parameters) }
        #expect(error?.code == .invalidParameters)
    }
}

extension String {
    fileprivate func replacingOccurrences(_ text: String, with replacement: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: replacement)
    }
}
