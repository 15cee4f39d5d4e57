import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

@Suite struct AttemptCountTests {
    private let start = AttemptCount.Moment(wall: 1_000_000, sinceBoot: 50_000_000_000, boot: [1])

    @Test(arguments: zip(0...14, [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]))
    func `Waits grow`(failures: Int, seconds: Int) {
        #expect(AttemptCount.wait(after: UInt32(failures)) == seconds)
        #expect(AttemptCount.wait(after: .max) == 300)
    }

    struct Move: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let now: AttemptCount.Moment
        let seconds: Int
    }

    /// After six wrong answers, 8 s are to be waited.
    @Test(arguments: [
        Move(testDescription: "at once", now: .init(wall: 1_000_000, sinceBoot: 50_000_000_000, boot: [1]), seconds: 8),
        Move(
            testDescription: "3 s later", now: .init(wall: 1_003_000, sinceBoot: 53_000_000_000, boot: [1]), seconds: 5),
        Move(
            testDescription: "a part of a second counts as a second",
            now: .init(wall: 1_007_500, sinceBoot: 57_500_000_000, boot: [1]), seconds: 1),
        Move(
            testDescription: "8 s later", now: .init(wall: 1_008_000, sinceBoot: 58_000_000_000, boot: [1]), seconds: 0),
        Move(
            testDescription: "the wall clock set on by a day does not shorten",
            now: .init(wall: 87_400_000, sinceBoot: 51_000_000_000, boot: [1]), seconds: 7),
        Move(
            testDescription: "the wall clock set back by a day does not lengthen",
            now: .init(wall: -85_400_000, sinceBoot: 51_000_000_000, boot: [1]), seconds: 7),
        Move(
            testDescription: "after a restart the wall clock counts",
            now: .init(wall: 1_006_000, sinceBoot: 1, boot: [2]), seconds: 2),
        Move(
            testDescription: "after a restart with the clock set back nothing has passed",
            now: .init(wall: 1, sinceBoot: 90_000_000_000, boot: [2]), seconds: 8),
        Move(
            testDescription: "impossible times do not overflow",
            now: .init(wall: .min, sinceBoot: .max, boot: [2]), seconds: 8),
        Move(
            testDescription: "a monotonic clock that ran backwards has not moved",
            now: .init(wall: 2_000_000, sinceBoot: 1, boot: [1]), seconds: 8),
    ])
    func `Clocks are moved`(_ move: Move) {
        let count = AttemptCount(failures: 6, last: start)
        #expect(count.secondsToWait(at: move.now) == move.seconds)
    }

    @Test func `A clock set back starts the wait anew`() throws {
        let count = AttemptCount(failures: 6, last: start)
        let back = AttemptCount.Moment(wall: 5, sinceBoot: 1_000_000_000, boot: [2])
        let anchored = try #require(count.anchored(at: back))
        let later = AttemptCount.Moment(wall: 8_005, sinceBoot: 9_000_000_000, boot: [2])
        #expect(anchored.secondsToWait(at: later) == 0, "else a clock set back by a year would lock out for a year")
        #expect(count.anchored(at: .init(wall: 1_000_001, sinceBoot: 1, boot: [2])) == nil)
    }
}

@Suite struct LockoutTests {
    let box = Sandbox()

    @Test func `A wrong passcode says how many tries are left and then how long to wait`() throws {
        _ = try box.open()
        box.prompt.answer("wrong")
        #expect(failure { try box.open() } == .authenticationFailed(triesLeft: 2))
        #expect(failure { try box.open() } == .authenticationFailed(triesLeft: 1))
        #expect(failure { try box.open() } == .authenticationFailed(triesLeft: 0))
        #expect(failure { try box.open() } == .lockedOut(seconds: 1))
        box.prompt.answer("1234")
        let asked = box.prompt.count { #expect(failure { try box.open() } == .lockedOut(seconds: 1)) }
        #expect(asked == 0, "nobody is asked while nothing is looked at")
        box.clock.advance(1)
        let vault = try box.open()
        #expect(vault.lockoutState() == (0, 0))
    }

    @Test func `One prompt asks three times at most`() throws {
        _ = try box.open()
        box.prompt.answer("a", "b", "c", "d", "e")
        let asked = box.prompt.count { #expect(failure { try box.open() } == .authenticationFailed(triesLeft: 0)) }
        #expect(asked == 3)
        #expect(box.prompt.requests.suffix(3).map(\.triesLeftAfterWrongAnswer) == [nil, 2, 1])
        box.clock.advance(1)
        box.prompt.answer("wrong", "1234", "unused")
        #expect(failure { try box.open() } == .authenticationFailed(triesLeft: 0), "a wait is due after the fourth")
        box.clock.advance(2)
        #expect(throws: Never.self) { try box.open() }
    }

    @Test func `A second answer opens`() throws {
        _ = try box.open()
        box.prompt.answer("wrong", "1234", "unused")
        let vault = try box.open()
        #expect(vault.isUnlocked)
        #expect(vault.lockoutState() == (0, 0))
    }

    @Test func `Headless unlock tries once`() throws {
        _ = try box.open()
        let stored = ScriptedPrompt("wrong", asksPerson: false)
        #expect(failure { try box.open { $0.presence = stored } } == .authenticationFailed(triesLeft: 2))
        #expect(stored.requests.count == 1)
    }

    @Test func `The count is shared and outlives processes and restarts`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        box.prompt.answer("wrong")
        for _ in 0..<3 { _ = failure { try vault.read(id) } }
        #expect(vault.lockoutState() == (3, 1))
        box.prompt.answer("1234")
        #expect(failure { try box.open() } == .lockedOut(seconds: 1))
        box.clock.restart()
        box.clock.setWall(by: -86_400)
        #expect(failure { try box.open() } == .lockedOut(seconds: 1), "a clock set back does not shorten")
        box.clock.advance(1)
        #expect(throws: Never.self) { try box.open() }
    }

    @Test func `Cancelling and forbidding cost nothing`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        box.prompt.answer(.error(.cancelled))
        for _ in 0..<5 { #expect(failure { try vault.read(id) } == .cancelled) }
        box.prompt.answer(.error(.unavailable("no terminal")))
        for _ in 0..<5 { #expect(failure { try vault.read(id) } == .interactionNotAllowed) }
        let silent = AuthenticationContext(interactionAllowed: false)
        let asked = box.prompt.count {
            for _ in 0..<5 { #expect(failure { try vault.read(id, context: silent) } == .interactionNotAllowed) }
        }
        #expect(asked == 0)
        #expect(vault.lockoutState() == (0, 0))
    }

    @Test func `Many at once are looked at one by one`() async throws {
        _ = try box.open()
        let wrong = try box.configuration { $0.presence = ScriptedPrompt("wrong") }
        let results = await withTaskGroup(of: KeychainError?.self) { group in
            for _ in 0..<20 { group.addTask { failure { try Vault.open(wrong) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let judged = results.count { if case .authenticationFailed = $0 { true } else { false } }
        #expect(judged == 3)
        #expect(results.count { if case .lockedOut = $0 { true } else { false } } == 17)
    }

    @Test func `Right answers at once do not count against each other`() async throws {
        let id = try box.open().add(.password("ann", "one", .devicePasscode))
        let configuration = try box.configuration()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<24 { group.addTask { try #expect(Vault.open(configuration).read(id).text == "one") } }
            try await group.waitForAll()
        }
        #expect(try box.open().lockoutState() == (0, 0))
    }

    @Test(arguments: ["removed", "emptied", "damaged", "of another vault"])
    func `Taking the count away is no short cut`(_ how: String) throws {
        _ = try box.open()
        switch how {
        case "removed": try FileManager.default.removeItem(atPath: box.path("attempts"))
        case "emptied": try box.write([], to: "attempts")
        case "damaged":
            var bytes = try box.bytes("attempts")
            bytes[30] ^= 1
            try box.write(bytes, to: "attempts")
        default:
            let other = Sandbox()
            _ = try other.open()
            try box.write(other.bytes("attempts"), to: "attempts")
        }
        #expect(failure { try box.open() } == .lockedOut(seconds: 4))
        box.clock.advance(4)
        _ = try box.open()
        #expect(box.log.contains("was replaced"))
    }

    @Test func `The vault is destroyed after as many wrong passcodes as configured and not before`() throws {
        let vault = try box.open()
        try vault.add(.password("ann", "one"))
        box.prompt.answer("wrong")
        func attempt() -> KeychainError? { failure { try box.open { $0.wipesAfterWrongPasscodes = 5 } } }
        #expect(attempt() == .authenticationFailed(triesLeft: 2))
        #expect(attempt() == .authenticationFailed(triesLeft: 1))
        #expect(attempt() == .authenticationFailed(triesLeft: 0))
        box.clock.advance(1)
        #expect(attempt() == .authenticationFailed(triesLeft: 0))
        box.clock.advance(2)
        #expect(FileManager.default.fileExists(atPath: box.path("vault.kc")))
        #expect(attempt() == .authenticationFailed(triesLeft: 0))
        #expect(!FileManager.default.fileExists(atPath: box.path("vault.kc")))
        #expect(!FileManager.default.fileExists(atPath: box.path("vault.kc.bak")))
        #expect(box.log.contains("destroyed"))
        #expect(failure { try box.open { $0.wipesAfterWrongPasscodes = 3 } } != nil, "three is what a typo may cost")
    }
}
