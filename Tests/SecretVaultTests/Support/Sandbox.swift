import Foundation
import KeychainTypes
import SecretVault
import Synchronization
import Testing

/// A folder for one test, and the vaults in it. Everything is scripted; no clock runs.
final class Sandbox: Sendable {
    let root: String
    let clock = ManualClock()
    let prompt = ScriptedPrompt("1234")
    let log = Lines()

    var directory: String { root + "/keychain" }

    private let isBorrowed: Bool

    init() {
        root = NSTemporaryDirectory() + "/vault-" + UUID().uuidString
        isBorrowed = false
    }

    /// Another process's sandbox.
    init(root: String) { (self.root, isBorrowed) = (root, true) }

    deinit { if !isBorrowed { try? FileManager.default.removeItem(atPath: root) } }

    func configuration(_ change: (inout VaultConfiguration) -> Void = { _ in }) throws -> VaultConfiguration {
        var configuration = try VaultConfiguration(application: "tests", presence: prompt, directory: directory)
        configuration.keyDerivation = .weakForTests
        configuration.clock = clock.clock
        configuration.log = { [log] text in log.add(text) }
        change(&configuration)
        return configuration
    }

    func open(_ change: (inout VaultConfiguration) -> Void = { _ in }) throws -> Vault {
        try Vault.open(configuration(change))
    }

    /// Expects that `body` asks that often.
    func asks(_ times: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        let asked = prompt.count {
            do { try body() } catch { Issue.record(error, sourceLocation: sourceLocation) }
        }
        #expect(asked == times, sourceLocation: sourceLocation)
    }

    func path(_ name: String) -> String { directory + "/" + name }
    func bytes(_ name: String = "vault.kc") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
    func write(_ bytes: [UInt8], to name: String = "vault.kc") throws {
        let path = path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o600) == 0)
    }
}

final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func contains(_ part: String) -> Bool { lines.withLock { $0.contains { $0.contains(part) } } }
}

/// Answers from a list; a list of one answers for ever, but not again after it was wrong.
final class ScriptedPrompt: PresenceProvider {
    enum Answer: Sendable {
        case text(String)
        case error(PresenceError)
    }

    private struct State {
        var answers: [Answer]
        var requests: [PresenceRequest] = []
    }

    private let state: Mutex<State>
    let asksPerson: Bool

    init(_ passcode: String, asksPerson: Bool = true) {
        state = Mutex(State(answers: [.text(passcode)]))
        self.asksPerson = asksPerson
    }

    /// What comes next; the last one is repeated.
    func answer(_ answers: Answer...) { state.withLock { $0.answers = answers } }
    func answer(_ texts: String...) { state.withLock { $0.answers = texts.map { .text($0) } } }

    var requests: [PresenceRequest] { state.withLock { $0.requests } }
    /// How many prompts there were since.
    func count(_ body: () throws -> Void) rethrows -> Int {
        let before = requests.count
        try body()
        return requests.count - before
    }

    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let answer = state.withLock { state -> Answer in
            state.requests.append(request)
            if state.answers.count == 1 {
                if request.triesLeftAfterWrongAnswer != nil { return .error(.unavailable("no other answer")) }
                return state.answers[0]
            }
            return state.answers.removeFirst()
        }
        switch answer {
        case .text(let text): return LockedBytes(Array(text.utf8))
        case .error(let error): throw error
        }
    }
}

/// Stands in for a FIDO2 key: key material from a secret that changes with each enrolment.
final class FakeSecurityKey: SecurityKeyFactor {
    struct State {
        var enrolment: [UInt8]?
        var isPluggedIn = true
        var refusal: PresenceError?
        var touches = 0
    }

    let role: SecurityKeyRole
    let state: Mutex<State>

    init(_ enrolment: String? = "first finger", role: SecurityKeyRole = .biometry) {
        self.role = role
        state = Mutex(State(enrolment: enrolment.map { Array($0.utf8) }))
    }

    func enrol(_ name: String?) { state.withLock { $0.enrolment = name.map { Array($0.utf8) } } }
    var touches: Int { state.withLock { $0.touches } }

    func enrolment() throws(PresenceError) -> [UInt8]? {
        let now = state.withLock { ($0.isPluggedIn, $0.enrolment) }
        guard now.0 else { throw .unavailable("not plugged in") }
        return now.1
    }

    func keyMaterial(salt: [UInt8], reason: String?) throws(PresenceError) -> LockedBytes {
        let now = state.withLock { state in
            state.touches += 1
            return (state.isPluggedIn, state.enrolment, state.refusal)
        }
        if let refusal = now.2 { throw refusal }
        guard now.0, let enrolment = now.1 else { throw .unavailable("not plugged in") }
        // Not a real secret; what counts is that it depends on both.
        var material = [UInt8](repeating: 0, count: 32)
        for (index, byte) in (salt + enrolment).enumerated() {
            material[index % 32] = material[index % 32] &* 31 &+ byte &+ UInt8(truncatingIfNeeded: index)
        }
        return LockedBytes(material)
    }
}

/// A clock that stands still until a test moves it.
final class ManualClock: Sendable {
    private struct State {
        var sinceBoot: UInt64 = 1_000_000_000_000
        var wall = Date(timeIntervalSince1970: 1_800_000_000)
        var boot = [UInt8](repeating: 7, count: 16)
    }

    private let state = Mutex(State())

    var clock: VaultClock {
        VaultClock(
            sinceBoot: { self.state.withLock { $0.sinceBoot } }, wall: { self.state.withLock { $0.wall } },
            boot: { self.state.withLock { $0.boot } })
    }

    func advance(_ seconds: Double) {
        state.withLock {
            $0.sinceBoot += UInt64(seconds * 1e9)
            $0.wall += seconds
        }
    }

    /// The wall clock is set.
    func setWall(by seconds: Double) { state.withLock { $0.wall += seconds } }

    func restart() {
        state.withLock {
            $0.boot = $0.boot.map { $0 &+ 1 }
            $0.sinceBoot = 5_000_000_000
        }
    }
}

extension LockedBytes {
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension NewItem {
    /// A generic password.
    static func password(
        _ account: String, _ secret: String, _ constraints: AccessControl.Constraints = [],
        _ accessibility: Accessibility = .whenUnlocked
    ) throws -> NewItem {
        NewItem(
            itemClass: "genp", uniqueKey: Array(account.utf8),
            attributes: ["acct": .string(account), "labl": .string("label of \(account)")],
            secret: LockedBytes(Array(secret.utf8)), access: try AccessControl(accessibility, constraints))
    }
}

/// The error that `body` throws, nil for none.
func failure<R>(_ body: () throws -> R) -> KeychainError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? KeychainError
    }
}
