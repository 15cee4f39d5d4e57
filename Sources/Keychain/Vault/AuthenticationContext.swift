import Foundation
public import KeychainTypes
import Synchronization

/// What calls that belong together share: what to tell the user, whether a prompt is allowed, and for how long an
/// answer is good. It is what an `LAContext` wraps.
///
/// It keeps **keys, never a verdict**: within the reuse window, the private keys that the shown factors yielded. They
/// are wiped when the window ends, when the vault is locked and when the context is invalidated.
public final class AuthenticationContext: Sendable {
    /// The longest window, as `LATouchIDAuthenticationMaximumAllowableReuseDuration` has it.
    public static let longestReuse = Duration.seconds(300)

    private struct Wishes {
        var reason: String?
        var interactionAllowed: Bool
        var reuse: Duration
    }

    private let wishes: Mutex<Wishes>
    private let shared: Shared

    /// - Parameters:
    ///   - reason: Shown to the person.
    ///   - interactionAllowed: False makes whatever needs a prompt fail with ``KeychainError/interactionNotAllowed``, at
    ///     no cost.
    ///   - reuse: How long a factor that was shown stays good, 0…300 s; zero asks each time.
    public convenience init(reason: String? = nil, interactionAllowed: Bool = true, reuse: Duration = .zero) {
        self.init(Wishes(reason: reason, interactionAllowed: interactionAllowed, reuse: reuse), Shared())
    }

    private init(_ wishes: Wishes, _ shared: Shared) {
        var wishes = wishes
        wishes.reuse = Self.bounded(wishes.reuse)
        self.wishes = Mutex(wishes)
        self.shared = shared
    }

    /// A context with other wishes that shares the application password, the kept keys and the invalidation: for one
    /// call whose reason, or whose leave to ask, is its own.
    public func derived(reason: String?, interactionAllowed: Bool, reuse: Duration) -> AuthenticationContext {
        AuthenticationContext(Wishes(reason: reason, interactionAllowed: interactionAllowed, reuse: reuse), shared)
    }

    private static func bounded(_ reuse: Duration) -> Duration { min(max(reuse, .zero), longestReuse) }

    public var reason: String? {
        get { wishes.withLock { $0.reason } }
        set { wishes.withLock { $0.reason = newValue } }
    }

    public var interactionAllowed: Bool {
        get { wishes.withLock { $0.interactionAllowed } }
        set { wishes.withLock { $0.interactionAllowed = newValue } }
    }

    /// Counts for factors shown from now on, and for whether those shown before are still good.
    public var reuse: Duration {
        get { wishes.withLock { $0.reuse } }
        set { wishes.withLock { $0.reuse = Self.bounded(newValue) } }
    }

    /// Supplies the application password (`LAContext.setCredential(_:type:)`); nil takes it away.
    public func setApplicationPassword(_ password: LockedBytes?) {
        shared.state.withLock { if !$0.isInvalidated { $0.password = password } }
    }

    public var hasApplicationPassword: Bool { shared.state.withLock { $0.password != nil } }

    public var isInvalidated: Bool { shared.state.withLock { $0.isInvalidated } }

    /// Wipes what is kept and ends a wait for a prompt. Every later use fails with
    /// ``KeychainError/authenticationFailed(triesLeft:)``.
    public func invalidate() {
        let tickets = shared.state.withLock { state in
            state.isInvalidated = true
            state.password = nil
            state.keys = [:]
            defer { state.tickets = [:] }
            return state.tickets.values.map(\.self)
        }
        for ticket in tickets { ticket.settle(.failure(.authenticationFailed(triesLeft: nil))) }
    }

    /// What derived contexts have in common.
    final class Shared: Sendable {
        fileprivate struct State {
            var password: LockedBytes?
            var isInvalidated = false
            var keys: [Slot: Entry] = [:]
            var tickets: [ObjectIdentifier: PromptThread.Ticket] = [:]

            /// Drops what no window covers any more.
            mutating func purge() {
                keys = keys.filter { $0.value.age < AuthenticationContext.nanoseconds($0.value.window) }
            }
        }

        fileprivate struct Slot: Hashable {
            let vault: [UInt8]
            let factorKey: [UInt8]
        }

        fileprivate struct Entry {
            let key: LockedBytes
            /// When the factor was shown, in nanoseconds of the vault's monotonic clock.
            let shown: UInt64
            let window: Duration
            let now: @Sendable () -> UInt64

            var age: UInt64 {
                let now = now()
                return now >= shown ? now - shown : .max
            }
        }

        fileprivate let state = Mutex(State())

        func forgetKeys(ofVault vault: [UInt8]) {
            state.withLock { state in state.keys = state.keys.filter { $0.key.vault != vault } }
        }
    }
}

// MARK: - For the vault

extension AuthenticationContext {
    /// What the vault remembers of a context that it gave keys to.
    var keeper: Shared { shared }

    func checkValid() throws(KeychainError) {
        if isInvalidated { throw .authenticationFailed(triesLeft: nil) }
    }

    func begin(_ ticket: PromptThread.Ticket) throws(KeychainError) {
        let isValid = shared.state.withLock { state in
            if !state.isInvalidated { state.tickets[ObjectIdentifier(ticket)] = ticket }
            return !state.isInvalidated
        }
        guard isValid else { throw .authenticationFailed(triesLeft: nil) }
    }

    func end(_ ticket: PromptThread.Ticket) {
        shared.state.withLock { $0.tickets[ObjectIdentifier(ticket)] = nil }
    }

    var applicationPassword: LockedBytes? { shared.state.withLock { $0.password } }

    /// Takes a wrong application password out, unless it was replaced meanwhile.
    func drop(applicationPassword wrong: LockedBytes) {
        shared.state.withLock { if $0.password === wrong { $0.password = nil } }
    }

    /// A factor's private key, if it was shown within the window that the context has now, and had then.
    func key(of factorKey: [UInt8], vault: [UInt8]) -> LockedBytes? {
        let window = Self.nanoseconds(reuse)
        return shared.state.withLock { state in
            state.purge()
            guard let entry = state.keys[.init(vault: vault, factorKey: factorKey)], entry.age < window else {
                return nil
            }
            return entry.key
        }
    }

    /// Keeps a factor's private key for the reuse window.
    ///
    /// - Returns: Whether anything is kept.
    func keep(
        _ key: LockedBytes, of factorKey: [UInt8], vault: [UInt8], now: @escaping @Sendable () -> UInt64
    ) -> Bool {
        let window = reuse
        guard window > .zero else { return false }
        let isKept = shared.state.withLock { state in
            guard !state.isInvalidated else { return false }
            state.keys[.init(vault: vault, factorKey: factorKey)] = .init(
                key: key, shown: now(), window: window, now: now)
            return true
        }
        guard isKept else { return false }
        // By the real clock, so that the key is removed even without another call.
        let seconds = Double(Self.nanoseconds(window)) / 1e9 + 0.01
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak shared] in
            shared?.state.withLock { $0.purge() }
        }
        return true
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
