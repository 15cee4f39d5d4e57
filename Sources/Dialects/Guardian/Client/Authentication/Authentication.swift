import Foundation

/// A device that answers: its key, and what it called itself when it enrolled (Guardian.swift, `AuthenticationDevice`).
public protocol AuthenticationDevice: Sendable {
    var signingKey: any SigningKey { get }
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
    public struct Action: Sendable {
        public let identifier: String
    }

    public let identifier: String
    public let allow: Action
    public let reject: Action

    public static var `default`: AuthenticationCategory {
        let identifier = "com.auth0.notification.authentication"
        return AuthenticationCategory(
            identifier: identifier, allow: Action(identifier: identifier + ".accept"),
            reject: Action(identifier: identifier + ".reject"))
    }
}
