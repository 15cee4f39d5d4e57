import Foundation
import KeychainTypes
import SecretVault
import Synchronization
import Testing

@Suite struct ContextTests {
    let box = Sandbox()

    @Test func `Without reuse each read asks`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        let context = AuthenticationContext(reason: "to sign in")
        let asked = try box.prompt.count { for _ in 0..<3 { _ = try vault.read(id, context: context) } }
        #expect(asked == 3)
        #expect(box.prompt.requests.last?.reason == "to sign in")
        #expect(box.prompt.requests.last?.kind == .passcode)
    }

    @Test func `A window spares the prompt until it ends`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        let other = try vault.add(.password("bob", "two", .userPresence))
        let context = AuthenticationContext(reuse: .seconds(10))
        let asked = try box.prompt.count {
            _ = try vault.read(id, context: context)
            box.clock.advance(9)
            _ = try vault.read(other, context: context)
            context.interactionAllowed = false
            _ = try vault.read(id, context: context)
        }
        #expect(asked == 1)
        box.clock.advance(1)
        #expect(failure { try vault.read(id, context: context) } == .interactionNotAllowed)
        context.interactionAllowed = true
        box.asks(1) { _ = try vault.read(id, context: context) }
    }

    @Test func `A window is five minutes at most`() throws {
        let context = AuthenticationContext(reuse: .seconds(86_400))
        #expect(context.reuse == .seconds(300))
        context.reuse = .seconds(-1)
        #expect(context.reuse == .zero)
    }

    @Test func `Other contexts are not spared`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        _ = try vault.read(id, context: AuthenticationContext(reuse: .seconds(60)))
        box.asks(1) { _ = try vault.read(id) }
        box.asks(1) { _ = try vault.read(id, context: AuthenticationContext(reuse: .seconds(60))) }
    }

    @Test func `Locking ends the window`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode, .afterFirstUnlock))
        let context = AuthenticationContext(reuse: .seconds(60))
        _ = try vault.read(id, context: context)
        vault.lock()
        box.asks(1) { _ = try vault.read(id, context: context) }
    }

    @Test func `A derived context shares what was shown and not its wishes`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        let context = AuthenticationContext(reason: "one")
        let derived = context.derived(reason: "two", interactionAllowed: true, reuse: .seconds(60))
        _ = try vault.read(id, context: derived)
        #expect(box.prompt.requests.last?.reason == "two")
        let silent = context.derived(reason: nil, interactionAllowed: false, reuse: .seconds(60))
        #expect(try vault.read(id, context: silent).text == "one")
        context.setApplicationPassword(LockedBytes([1]))
        #expect(derived.hasApplicationPassword)
        derived.invalidate()
        #expect(context.isInvalidated && !silent.hasApplicationPassword)
        #expect(failure { try vault.read(id, context: silent) } == .authenticationFailed(triesLeft: nil))
    }

    @Test func `Invalidating ends a prompt that waits`() async throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        let slow = WaitingPrompt()
        let other = try box.open { [prompt = box.prompt] in
            $0.presence = prompt
        }
        withExtendedLifetime(vault) {}
        let waiting = try Vault.open(
            box.configuration { $0.presence = SwitchingPrompt(first: self.box.prompt, then: slow) })
        let context = AuthenticationContext()
        let result = Task.detached { failure { try waiting.read(id, context: context) } }
        while !slow.isAsked { try await Task.sleep(for: .milliseconds(2)) }
        context.invalidate()
        #expect(await result.value == .authenticationFailed(triesLeft: nil))
        slow.release()
        #expect(try other.read(id).text == "one")
        #expect(other.lockoutState() == (0, 0))
    }

    @Test func `Prompts come one after the other`() async throws {
        let counting = CountingPrompt()
        let vault = try Vault.open(box.configuration { $0.presence = counting })
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        // More than there are threads in the pool, so that a wait that took a second one would not end.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try #expect(vault.read(id).text == "one") } }
            try await group.waitForAll()
        }
        #expect(counting.most == 1)
    }

    @Test func `Reasons cannot redraw a terminal`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        _ = try vault.read(id, context: AuthenticationContext(reason: "pay\u{1B}[2J\r\n \u{202E}10 €\u{7}"))
        #expect(box.prompt.requests.last?.reason == "pay[2J 10 €")
    }
}

private final class SwitchingPrompt: PresenceProvider {
    let asksPerson = true
    private let turn = Mutex(0)
    private let (first, then): (any PresenceProvider, any PresenceProvider)

    init(first: any PresenceProvider, then: any PresenceProvider) { (self.first, self.then) = (first, then) }

    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let number = turn.withLock { turn in
            turn += 1
            return turn
        }
        return try (number == 1 ? first : then).credential(for: request)
    }
}

/// Answers when it is told to.
private final class WaitingPrompt: PresenceProvider {
    let asksPerson = true
    private let asked = Mutex(false)
    private let semaphore = DispatchSemaphore(value: 0)
    var isAsked: Bool { asked.withLock { $0 } }
    func release() { semaphore.signal() }

    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        asked.withLock { $0 = true }
        semaphore.wait()
        return LockedBytes(Array("1234".utf8))
    }
}

/// Notes how many prompts there are at once.
private final class CountingPrompt: PresenceProvider {
    let asksPerson = true
    private let state = Mutex((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }

    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        usleep(2000)
        state.withLock { $0.now -= 1 }
        return LockedBytes(Array("1234".utf8))
    }
}
