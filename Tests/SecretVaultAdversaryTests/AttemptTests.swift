import BlockingTestSupport
import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import SecretVault
@testable import vault_tool

@Suite("Wrong passcodes", .onOwnThreads) struct AttemptAdversaryTests {
    /// Two processes with eight threads each: every guess that is looked at is counted.
    @Test func `Are counted however many come at once`() async throws {
        try await onThread {
            let scratch = try Scratch(inMemory: true)
            let directory = scratch.file("keychain")
            let origin = VaultClock.system.sinceBoot()
            var configuration = try Corpus.configuration(directory, finger: false)
            configuration.clock = hurriedClock(since: origin)
            _ = try Vault.open(configuration)
            let children = try (0..<2).map {
                try Child.start(
                    [Tool.path, "guess", directory, "8", "50", "\(origin)"], output: scratch.file("output \($0)"))
            }
            var (judged, refused) = (0, 0)
            for (index, child) in children.enumerated() {
                #expect(child.ending() == 0)
                let words = try String(contentsOfFile: scratch.file("output \(index)"), encoding: .utf8).split(
                    separator: " ")
                judged += try #require(Int(words[1]))
                refused += try #require(Int(words[3]))
                #expect(words[5] == "0\n")
            }
            #expect(judged + refused == 800)
            #expect(judged >= 3)
            let header = try VaultImage(
                decoding: Array(try Data(contentsOf: URL(fileURLWithPath: directory + "/vault.kc"))),
                costs: KeyDerivation.acceptedInTests
            ).header
            let ledger = AttemptLedger(
                directory: try VaultDirectory(configuration, creating: false), vaultID: header.vaultID,
                clock: configuration.clock, log: { _ in })
            #expect(try ledger.state(.passcode).failures == judged)
        }
    }

    private final class Prompt: PresenceProvider {
        let asksPerson = false
        let looked = Mutex(0)
        let passcode = Mutex("wrong")
        func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
            looked.withLock { $0 += 1 }
            return LockedBytes(Array(passcode.withLock { $0 }.utf8))
        }
    }

    private final class Time: Sendable {
        struct Hands { var (sinceBoot, wall, boot) = (UInt64(1_000_000_000_000), 1_790_000_000.0, UInt8(1)) }
        let hands = Mutex(Hands())
        var clock: VaultClock {
            VaultClock(
                sinceBoot: { self.hands.withLock { $0.sinceBoot } },
                wall: { Date(timeIntervalSince1970: self.hands.withLock { $0.wall }) },
                boot: { self.hands.withLock { [UInt8](repeating: $0.boot, count: 16) } })
        }
        func pass(_ seconds: Int) {
            hands.withLock {
                $0.sinceBoot += UInt64(seconds) * 1_000_000_000
                $0.wall += Double(seconds)
            }
        }
        func restart(wall change: Double) {
            hands.withLock {
                $0.boot += 1
                $0.sinceBoot = 5_000_000_000
                $0.wall += change
            }
        }
    }

    /// Fails `count` times, waiting out what has to be waited out.
    private func fail(_ count: Int, _ configuration: VaultConfiguration, _ time: Time) throws {
        for _ in 0..<count {
            time.pass(301)
            #expect(throws: KeychainError.self) { try Vault.open(configuration) }
        }
    }

    @Test(arguments: [0, -86_400 * 365, -10] as [Double])
    func `Lock out after a restart and with a clock that was set back`(change: Double) async throws {
        try await onThread {
            let scratch = try Scratch(inMemory: true)
            let (prompt, time) = (Prompt(), Time())
            var configuration = try Corpus.configuration(scratch.file("keychain"), presence: prompt, finger: false)
            configuration.clock = time.clock
            prompt.passcode.withLock { $0 = Corpus.passcode }
            _ = try Vault.open(configuration)
            prompt.passcode.withLock { $0 = "wrong" }
            try fail(12, configuration, time)

            time.restart(wall: change)
            prompt.passcode.withLock { $0 = Corpus.passcode }
            let looked = prompt.looked.withLock { $0 }
            func isLockedOut() -> Bool {
                do throws(KeychainError) {
                    _ = try Vault.open(configuration)
                    return false
                } catch {
                    guard case .lockedOut(let seconds) = error else { return false }
                    return (1...300).contains(seconds)
                }
            }
            #expect(isLockedOut())
            time.pass(290)
            #expect(isLockedOut())
            #expect(prompt.looked.withLock { $0 } == looked, "nobody was asked in vain")
            time.pass(11)
            let vault = try Vault.open(configuration)
            #expect(vault.lockoutState() == (0, 0))
        }
    }

    @Test func `Taking the count away is no faster than guessing`() async throws {
        try await onThread {
            let scratch = try Scratch(inMemory: true)
            let (prompt, time) = (Prompt(), Time())
            var configuration = try Corpus.configuration(scratch.file("keychain"), presence: prompt, finger: false)
            configuration.clock = time.clock
            prompt.passcode.withLock { $0 = Corpus.passcode }
            _ = try Vault.open(configuration)
            let attempts = scratch.file("keychain/attempts")
            for damage in [nil, [], [UInt8](repeating: 0, count: 180), [UInt8](repeating: 0xFF, count: 5000)]
                as [[UInt8]?]
            {
                unlink(attempts)
                if let damage {
                    try Data(damage).write(to: URL(fileURLWithPath: attempts))
                    chmod(attempts, 0o600)
                }
                let looked = prompt.looked.withLock { $0 }
                #expect(throws: KeychainError.lockedOut(seconds: 4)) { try Vault.open(configuration) }
                #expect(prompt.looked.withLock { $0 } == looked)
                time.pass(5)
                _ = try Vault.open(configuration)
            }
        }
    }
}
