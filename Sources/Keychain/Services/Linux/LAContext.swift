#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault
    import Synchronization

    /// The longest reuse window there is, in seconds.
    public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

    /// What to authenticate with, and how to ask, for calls that get it in `kSecUseAuthenticationContext`.
    ///
    /// A context that has not authenticated yet is authenticated by the first call that needs it, and the calls that
    /// share it afterwards do not ask again, until ``invalidate()`` or for 300 seconds at most. What it keeps is the
    /// derived key, never the fact that a user was present.
    ///
    /// There is no `evaluatePolicy` on this system: it answers with a Boolean, and an attacker who flips it opens the
    /// resource (OWASP MASTG-TEST-0266). Pass the context in the query instead.
    public final class LAContext: Sendable {
        private struct State {
            var reason = ""
            var interactionNotAllowed = false
            var reuse: TimeInterval = 0
            var fallbackTitle: String?
            var cancelTitle: String?
        }

        static let longestReuse = Duration.seconds(LATouchIDAuthenticationMaximumAllowableReuseDuration)

        private let state = Mutex(State())
        private let shared = AuthenticationContext(reuse: LAContext.longestReuse)

        /// A context that has not authenticated yet. The first call that needs it prompts.
        public init() {}

        /// The text of the prompt. It takes the place of `kSecUseOperationPrompt`.
        public var localizedReason: String {
            get { state.withLock { $0.reason } }
            set { state.withLock { $0.reason = newValue } }
        }

        /// Refuses with `errSecInteractionNotAllowed` where a prompt would be needed. Costs no attempt.
        public var interactionNotAllowed: Bool {
            get { state.withLock { $0.interactionNotAllowed } }
            set { state.withLock { $0.interactionNotAllowed = newValue } }
        }

        /// For how many seconds an authentication stays good within this context. 0 is Apple's default and means here
        /// what a shared context means there: as long as the context lives, with the cap. More than
        /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration`` counts as that.
        public var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
            get { state.withLock { $0.reuse } }
            set {
                let capped = min(max(newValue, 0), LATouchIDAuthenticationMaximumAllowableReuseDuration)
                state.withLock { $0.reuse = capped }
            }
        }

        /// Kept for source compatibility; prompts here have no second button.
        public var localizedFallbackTitle: String? {
            get { state.withLock { $0.fallbackTitle } }
            set { state.withLock { $0.fallbackTitle = newValue } }
        }

        /// Kept for source compatibility; a prompt's own words for refusing are used.
        public var localizedCancelTitle: String? {
            get { state.withLock { $0.cancelTitle } }
            set { state.withLock { $0.cancelTitle = newValue } }
        }

        /// Sets the application password that items with `.applicationPassword` need; nil takes it away.
        ///
        /// - Returns: whether the type of credential is known here.
        @discardableResult
        public func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
            guard type == .applicationPassword else { return false }
            shared.setApplicationPassword(credential.map { LockedBytes($0) })
            return true
        }

        /// Whether the context keeps a credential of this type. An invalidated one keeps none.
        public func isCredentialSet(_ type: LACredentialType) -> Bool {
            type == .applicationPassword && shared.hasApplicationPassword
        }

        /// Wipes what the context keeps. Every later use of it fails.
        public func invalidate() {
            shared.invalidate()
        }

        /// The engine's context for one call: this one's credentials, with the call's own manner of asking.
        func authentication(prompt: String?, interactionAllowed: Bool) -> AuthenticationContext {
            let state = state.withLock { $0 }
            return shared.derived(
                reason: state.reason.isEmpty ? prompt : state.reason,
                interactionAllowed: interactionAllowed && !state.interactionNotAllowed,
                reuse: state.reuse > 0 ? .seconds(state.reuse) : Self.longestReuse)
        }

        @available(
            *, unavailable,
            message:
                "a Boolean protects nothing: store the secret with SecAccessControl and pass the context in kSecUseAuthenticationContext"
        )
        public func evaluatePolicy(
            _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
        ) { fatalError("unavailable") }

        @available(
            *, unavailable,
            message:
                "a Boolean protects nothing: store the secret with SecAccessControl and pass the context in kSecUseAuthenticationContext"
        )
        public func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
            fatalError("unavailable")
        }

        @available(
            *, unavailable,
            message:
                "add an item with the access control that you need: errSecAuthFailed says that the factor is missing"
        )
        public func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
            fatalError("unavailable")
        }
    }

    /// What ``LAContext/setCredential(_:type:)`` takes.
    public enum LACredentialType: Int, Sendable {
        /// A password of the application's own, in UTF-8, which items with
        /// ``SecAccessControlCreateFlags/applicationPassword`` need beside their other factors.
        case applicationPassword = 0
        /// Not offered here: `setCredential` answers false.
        case smartCardPIN = -3
    }

    /// Named in signatures that are unavailable here.
    public enum LAPolicy: Int, Sendable {
        /// Biometry alone (Apple, `LAPolicy`).
        case deviceOwnerAuthenticationWithBiometrics = 1
        /// Biometry, or the device's passcode (Apple, `LAPolicy`).
        case deviceOwnerAuthentication = 2
    }

    /// The domain of ``LAError``, as Apple's systems have it.
    public let LAErrorDomain = "com.apple.LocalAuthentication"

    /// The errors of LocalAuthentication, for code that names them. The functions here answer with status codes; what
    /// becomes which is in docs/keychain.md.
    public struct LAError: Error, Hashable, Sendable {
        /// What went wrong, with Apple's numbers (Apple, `LAError.Code`).
        public enum Code: Int, Sendable {
            /// The user showed no valid credentials.
            case authenticationFailed = -1
            /// The user refused at the prompt.
            case userCancel = -2
            /// The user chose the alternative to biometry.
            case userFallback = -3
            /// The system withdrew the prompt.
            case systemCancel = -4
            /// The machine has no passcode.
            case passcodeNotSet = -5
            /// The machine has no usable biometric reader.
            case biometryNotAvailable = -6
            /// No biometry is enrolled.
            case biometryNotEnrolled = -7
            /// Biometry is locked after too many wrong attempts.
            case biometryLockout = -8
            /// The application withdrew the prompt.
            case appCancel = -9
            /// The context was invalidated before.
            case invalidContext = -10
            /// A prompt would be needed, and the context forbids it: ``LAContext/interactionNotAllowed``.
            case notInteractive = -1004
        }

        /// What went wrong.
        public let code: Code
        /// Makes an error with this code.
        public init(_ code: Code) { self.code = code }

        public static var errorDomain: String { LAErrorDomain }
        public var errorCode: Int { code.rawValue }
    }

    extension LAError: CustomNSError {}
#endif
