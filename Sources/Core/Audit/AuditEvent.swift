import Foundation

/// An event of a user's account, written in the transaction that caused it.
public struct AuditEvent: Sendable, Equatable, Codable {
    /// What happened. The words are stable: operators filter by them.
    public struct Kind: StringName {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// Sorts by time: sixteen hexadecimal digits of the microsecond, and eight random ones.
    public let id: String
    /// When it happened, by the realm's clock.
    public let at: Date
    /// What happened.
    public let kind: Kind
    /// The user whom it concerns; nil where none is known, or it concerns none.
    public let userID: UserID?
    /// The application in whose request it happened; nil where there was none.
    public let clientID: ClientID?
    /// The protocol of the request; nil for what the server does by itself.
    public let dialect: Dialect?
    /// Where the request came from.
    public let source: String?
    /// Why it was refused, for refusals.
    public let reason: String?
    /// What else helps to understand it. Never a secret.
    public let details: [String: JSONValue]

    /// The row as stores read and write it. In a request, use the initializer that takes a ``ClientContext``.
    public init(
        id: String, at: Date, kind: Kind, userID: UserID?, clientID: ClientID?, dialect: Dialect?, source: String?,
        reason: String?, details: [String: JSONValue]
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.userID = userID
        self.clientID = clientID
        self.dialect = dialect
        self.source = source
        self.reason = reason
        self.details = details
    }
}
