import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import SecretVault

/// What is in the process's memory after use. Runs in processes of its own, where no other test leaves anything.
@Suite struct MemoryTests {
    @Test func `Nothing is left after locking and letting go`() async {
        await #expect(processExitsWith: .success) {
            let box = Sandbox()
            let needles = Needles()
            let passcode = needles.make("passcode", 24)
            let secret = needles.make("secret", 64)
            let guarded = needles.make("guarded secret", 64)
            let word = needles.make("application password", 24)
            let prompt = NeedlePrompt(needles, passcode)

            func work() throws {
                var configuration = try box.configuration()
                configuration.presence = prompt
                let vault = try Vault.open(configuration)
                let context = AuthenticationContext(reuse: .seconds(300))
                context.setApplicationPassword(needles.copy(word))
                let access = try AccessControl(.whenUnlocked, [.devicePasscode, .applicationPassword])
                let plain = try vault.add(
                    NewItem(
                        itemClass: "genp", uniqueKey: [1], attributes: [:], secret: needles.copy(secret),
                        access: .init(unconstrained: .whenUnlocked)))
                let strong = try vault.add(
                    NewItem(
                        itemClass: "genp", uniqueKey: [2], attributes: [:], secret: needles.copy(guarded),
                        access: access), context: context)
                vault.lock()
                try vault.unlock()
                for _ in 0..<20 {
                    try #require(vault.read(plain).count == 64)
                    try #require(vault.read(strong, context: context).count == 64)
                    try vault.update(strong, with: ItemChange(secret: needles.copy(guarded)), context: context)
                }
                let (keys, factor) = try vault.state.withLock { state in
                    let key = try #require(state.image.header.factorKeys.first)
                    return (try #require(state.keys), try #require(context.key(of: key.id, vault: vault.vaultID)))
                }
                for kind in ClassKeys.Kind.allCases {
                    needles.add("class key \(kind)", try #require(keys.classes[kind]))
                }
                needles.add("passcode's private key", factor)
                needles.add("metadata key", keys.metadata)
                needles.add("file key", keys.fileTag)
                #expect(
                    try needles.found(needles.named("class key whenUnlocked")) > 0, "the search finds what is there")
            }
            func lockedPart() throws {
                try work()
                let vault = try Vault.open(box.configuration { $0.presence = prompt })
                vault.lock()
                for name in [
                    "passcode", "secret", "guarded secret", "application password", "class key whenUnlocked",
                    "class key passcodeSet", "passcode's private key",
                ] {
                    let found = try needles.found(needles.named(name))
                    #expect(found == 0, "\(name) is in a locked vault's memory \(found) times")
                }
                #expect(try needles.found(needles.named("class key afterFirstUnlock")) > 0)
            }
            try lockedPart()
            for name in needles.names {
                let found = try needles.found(needles.named(name))
                #expect(found == 0, "\(name) is left \(found) times")
            }
        }
    }
}

/// Secrets of a test, kept masked: the only places where they are as they are is where the vault puts them.
private final class Needles: @unchecked Sendable {
    // Used by one thread at a time: the prompt's while the test's waits.
    private var masked: [(name: String, mask: [UInt8], bytes: [UInt8])] = []
    var names: [String] { masked.map(\.name) }

    func make(_ name: String, _ count: Int) -> Int {
        masked.append((name, Sodium.randomBytes(count), Sodium.randomBytes(count)))
        return masked.count - 1
    }

    func add(_ name: String, _ secret: LockedBytes) {
        let mask = Sodium.randomBytes(secret.count)
        masked.append((name, mask, secret.withBytes { zip($0, mask).map { $0 ^ $1 } }))
    }

    func named(_ name: String) throws -> Int { try #require(masked.firstIndex { $0.name == name }) }

    func copy(_ index: Int) -> LockedBytes {
        LockedBytes(count: masked[index].bytes.count) { output in
            for offset in output.indices { output[offset] = masked[index].bytes[offset] ^ masked[index].mask[offset] }
        }
    }

    /// Read to the end: its size is said to be 0, and one read gives one page.
    private static func maps() -> String {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(file, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    /// How often the secret's first 16 bytes are in the memory of this process, outside the search's own two buffers.
    func found(_ index: Int) -> Int {
        let needle = copy(index)
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        let maps = Self.maps()
        let chunk = 1 << 20
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: chunk, alignment: 16)
        defer { buffer.deallocate() }
        var hits = 0
        needle.withBytes { needle in
            let own = UInt(bitPattern: needle.start)
            let bufferRange = UInt(bitPattern: buffer)..<UInt(bitPattern: buffer) + UInt(chunk)
            for line in maps.split(separator: "\n") where line.contains(" r") {
                let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                var at = range[0]
                while at < range[1] {
                    let wanted = min(chunk, Int(range[1] - at))
                    let count = pread(memory, buffer, wanted, off_t(truncatingIfNeeded: at))
                    guard count > 0 else { break }
                    var start = 0
                    while count - start >= 16, let hit = memchr(buffer + start, Int32(needle[0]), count - start - 15) {
                        let offset = UnsafeRawPointer(hit) - UnsafeRawPointer(buffer)
                        let address = at + UInt(offset)
                        if memcmp(hit, needle.start, 16) == 0, address != own && !bufferRange.contains(address) {
                            hits += 1
                        }
                        start = offset + 1
                    }
                    memset(buffer, 0, chunk)
                    // Overlapping, so that nothing hides between two chunks.
                    at += count == wanted && wanted == chunk ? UInt(count - 64) : UInt(count)
                }
            }
        }
        return hits
    }
}

private struct NeedlePrompt: PresenceProvider {
    let needles: Needles
    let passcode: Int
    var asksPerson: Bool { true }

    init(_ needles: Needles, _ passcode: Int) { (self.needles, self.passcode) = (needles, passcode) }

    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes { needles.copy(passcode) }
}
