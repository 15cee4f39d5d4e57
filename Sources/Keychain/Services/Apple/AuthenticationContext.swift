#if canImport(Security)
    import Foundation
    import KeychainTypes
    import LocalAuthentication

    /// What to authenticate with, and how to ask, for the calls of ``Keychain`` that share it.
    ///
    /// With a `reuse` of zero each call asks afresh. Otherwise what was authenticated stays good for that long, counted from
    /// the first call. The system decides with an `LAContext`, which never answers with a Boolean here.
    ///
    /// Unchecked because `state` is touched with `lock` locked alone.
    public final class AuthenticationContext: @unchecked Sendable {
        private struct State {
            var context: LAContext?
            var began = ContinuousClock.now
            var password: LockedBytes?
            var isInvalid = false
        }

        private let reason: String?
        private let interactionAllowed: Bool
        private let reuse: Duration
        private let lock = NSLock()
        private var state = State()

        /// - Parameters:
        ///   - reason: The text of the prompt.
        ///   - interactionAllowed: Without it, a call that would ask throws `interactionNotAllowed`.
        ///   - reuse: At most 300 seconds.
        public init(reason: String? = nil, interactionAllowed: Bool = true, reuse: Duration = .zero) {
            self.reason = reason
            self.interactionAllowed = interactionAllowed
            self.reuse = min(max(reuse, .zero), .seconds(300))
        }

        /// Sets the application password that items with `applicationPassword` need; nil takes it away.
        public func setApplicationPassword(_ password: LockedBytes?) {
            lock.withLock {
                state.password = password
                state.context?.setCredential(password.map(Self.data), type: .applicationPassword)
            }
        }

        public var hasApplicationPassword: Bool { lock.withLock { state.password != nil } }

        /// Withdraws a prompt that is open and forgets what was authenticated. Every later use fails.
        public func invalidate() {
            let context = lock.withLock {
                state.isInvalid = true
                state.password = nil
                defer { state.context = nil }
                return state.context
            }
            context?.invalidate()
        }

        /// What goes into the query of one call.
        func forOneCall() throws(KeychainError) -> LAContext {
            let context: LAContext? = lock.withLock {
                if state.isInvalid { return nil }
                if let context = state.context, state.began.duration(to: .now) < reuse { return context }
                let context = LAContext()
                if let reason { context.localizedReason = reason }
                context.interactionNotAllowed = !interactionAllowed
                if let password = state.password {
                    context.setCredential(Self.data(password), type: .applicationPassword)
                }
                state.context = context
                state.began = .now
                return context
            }
            guard let context else { throw .authenticationFailed(triesLeft: nil) }
            return context
        }

        private static func data(_ bytes: LockedBytes) -> Data { bytes.withBytes { Data($0) } }
    }
#endif
