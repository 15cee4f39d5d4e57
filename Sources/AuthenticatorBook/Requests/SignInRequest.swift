import Crypto
import Foundation
import Guardian

/// A sign-in that waits for an answer.
///
/// All texts come from the client that signs in, or from the server: make them harmless before showing them.
public struct SignInRequest: Sendable, Identifiable {
    /// How long a request waits where the server does not say: five minutes.
    public static let lifetime: TimeInterval = 300

    /// Eight hexadecimal digits, the same in every process that is asked the same.
    public let id: String
    /// Whose device is asked.
    public let account: Account
    /// Name and version, where they are known.
    public let browser: String?
    public let system: String?
    public let place: String?
    /// Degrees.
    public let latitude: Double?
    /// Degrees.
    public let longitude: Double?
    public let startedAt: Date
    /// By this machine's clock. The server decides.
    public let expiresAt: Date
    /// Digits of the number that has to be typed to allow it; nil where none is asked for.
    public let numberLength: Int?

    /// Whether it asks to agree to more than a sign-in: ``AccountBook/consent(for:)`` says to what.
    public let asksForConsent: Bool

    let notification: any Guardian.Notification

    init(_ notification: any Guardian.Notification, of account: Account, receivedAt now: Date) {
        self.notification = notification
        self.account = account
        id = SHA256.hash(data: Data(notification.transactionToken.utf8)).prefix(4).map { String(format: "%02x", $0) }
            .joined()
        browser = Self.text(notification.source?.browser?.name, notification.source?.browser?.version)
        system = Self.text(notification.source?.os?.name, notification.source?.os?.version)
        place = notification.location?.name
        latitude = notification.location?.latitude
        longitude = notification.location?.longitude
        startedAt = notification.startedAt
        numberLength = notification.numberLength
        asksForConsent = notification.transactionLinkingId != nil
        // Where the clocks differ, it waits for as long as it can have from now on.
        let expected = notification.startedAt + Self.lifetime
        expiresAt = expected > now && expected <= now + Self.lifetime ? expected : now + Self.lifetime
    }

    private static func text(_ name: String?, _ version: String?) -> String? {
        guard let name, !name.isEmpty else { return nil }
        return [name, version].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// A user's answer to a request.
public enum Decision: Sendable, Equatable {
    /// - number: what the screen shows, where the request asks for it.
    case allow(number: String?)
    /// - reason: for the server's log.
    case deny(reason: String?)
    /// The user did not sign in: all their other waiting requests end too.
    case notMe
}
