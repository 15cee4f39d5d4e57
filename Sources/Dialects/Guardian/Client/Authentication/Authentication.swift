import Foundation

/// A device that answers: its key, and what it called itself when it enrolled (Guardian.swift, `AuthenticationDevice`).
public protocol AuthenticationDevice: Sendable {
    /// The private key whose public half the device enrolled.
    var signingKey: any SigningKey { get }
    /// What the device called itself when it enrolled: the `iss` of what it signs. The server goes by the key and only
    /// notes another name.
    var localIdentifier: String { get }
}

/// Answers to login requests (Guardian.swift, `Authentication`). What is sent is signed when the request is started,
/// and valid for 30 seconds.
public protocol Authentication: Sendable {
    /// Allows the login. Fails with `a0.guardian.internal.missing.number`, and sends nothing, where the request asks for a
    /// number (``Notification/numberLength``).
    func allow(notification: any Notification) -> Request<Transaction, NoContent>

    /// Allows the login with the number that the user read from the screen and typed. Ours.
    ///
    /// - Parameter number: digits; as many as ``Notification/numberLength`` says. Spaces do not matter.
    func allow(notification: any Notification, number: String) -> Request<Transaction, NoContent>

    /// Rejects the login.
    ///
    /// - Parameter reason: shown in the server's log. ``RejectReason/notMe`` ends everything else that waits for the user.
    func reject(notification: any Notification, withReason reason: String?) -> Request<Transaction, NoContent>

    /// Does what the action of a push says: one of ``AuthenticationCategory``'s.
    func handleAction(
        withIdentifier identifier: String, notification: any Notification
    ) -> Request<Transaction, NoContent>
}

extension Authentication {
    /// Rejects the login without a reason.
    public func reject(notification: any Notification) -> Request<Transaction, NoContent> {
        reject(notification: notification, withReason: nil)
    }

    /// For types of the app's own that stand in for this one.
    public func allow(notification: any Notification, number: String) -> Request<Transaction, NoContent> {
        Request(RequestPlan("POST", .nowhere, failure: GuardianError.unsupported("A number")))
    }
}

/// Reasons of a rejection that mean something to the server. Any other text is only noted.
public enum RejectReason {
    /// The user did not try to sign in: everything else of the user that waits ends too.
    public static let notMe = "not_me"
}

/// The category of pushes, to be registered with the system (Guardian.swift,
/// `AuthenticationCategory`).
public struct AuthenticationCategory: Sendable {
    /// A button of a push.
    public struct Action: Sendable {
        /// What the system reports when the user taps the button: `com.auth0.notification.authentication.accept` or
        /// `….reject`, for ``Authentication/handleAction(withIdentifier:notification:)``.
        public let identifier: String
    }

    /// The `aps.category` of every login request: `com.auth0.notification.authentication`.
    public let identifier: String
    /// The button that allows. It cannot allow a request that asks for a number: see ``Notification/numberLength``.
    public let allow: Action
    /// The button that rejects, without a reason.
    public let reject: Action

    /// The one category that servers send, with the vendor's names; a program registers it with
    /// `UNUserNotificationCenter`.
    public static var `default`: AuthenticationCategory {
        let identifier = "com.auth0.notification.authentication"
        return AuthenticationCategory(
            identifier: identifier, allow: Action(identifier: identifier + ".accept"),
            reject: Action(identifier: identifier + ".reject"))
    }
}
