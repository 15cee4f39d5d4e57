import CountersignCore
import Foundation
import NativeAuthWire

/// The server side of Entra's native authentication: sign-in, sign-up and reset of apps that ask for everything on
/// screens of their own.
///
/// It translates. What is right, enough or too often is for the core to say; the words for it are in `NativeAuthError`.
public struct NativeAuth: Sendable {
    let realm: Realm
    let options: Options
    let seenApplications = SeenApplications()

    public struct Options: Sendable {
        /// Where clients reach the server, without a slash at its end.
        public var publicURL: @Sendable () -> String

        public init(publicURL: @escaping @Sendable () -> String) {
            self.publicURL = publicURL
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    /// Seconds before a code should be asked for again; nothing enforces it.
    static let resendInterval = 300
    /// Characters of mailed codes.
    static let codeLength = 8
    /// The length of a code where there is nothing to type. MSAL for JavaScript takes a text of any length for it, and
    /// none for 0 (`DefaultCustomAuthApiCodeLength`).
    static let anyLength = -1
    /// Seconds between questions whether a reset is done, which it always is.
    static let pollInterval = 2
    /// Passwords are cut off nowhere; longer ones are refused.
    static let longestPassword = 256

    // MARK: Continuation tokens

    /// A fresh text for the flow. All texts of one flow name it, and none goes out of use before the flow does: clients go
    /// back to earlier ones.
    func continuation(_ handle: FlowHandle) -> String {
        "\(handle.token.reveal()).\(realm.random.bytes(6).base64URL)"
    }

    /// The flow that a text names, if it names one.
    static func handle(_ continuation: String) -> FlowHandle {
        FlowHandle(String(continuation.prefix { $0 != "." }))
    }

    /// An attempt whose status is read with the application, and what it has to be.
    typealias Look = (handle: FlowHandle, expectation: FlowExpectation)

    /// The flow that a text names, for a look at it; nil where there is no text.
    static func named(_ continuation: String?, _ expectation: FlowExpectation) -> Look? {
        guard let continuation, !continuation.isEmpty else { return nil }
        return (handle(continuation), expectation)
    }
}
