import Foundation

/// Names an enrolled factor: Identity Toolkit's `mfaEnrollmentId`. A random UUID.
public struct FactorID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }
}

/// What kind of proof a factor gives. The registry (`FactorRegistry`) knows the type behind each.
public struct FactorKind: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let password = FactorKind(rawValue: "password")
    public static let totp = FactorKind(rawValue: "totp")
    /// An e-mail address that receives links and codes. As a first factor it is no row: who has the account's address has
    /// it. A row is a mailbox that was registered for a second factor (`MailboxFactor`).
    public static let email = FactorKind(rawValue: "email")
    /// A device that is asked, and answers with a signature.
    public static let push = FactorKind(rawValue: "push")
    /// A code on paper that stands in once for another second factor.
    public static let recoveryCode = FactorKind(rawValue: "recovery-code")
    /// A token signed by a developer's own back end. No row.
    public static let customToken = FactorKind(rawValue: "custom")
    /// Nothing was proven. No row.
    public static let anonymous = FactorKind(rawValue: "anonymous")

    /// Whether the kind can be given beside a first proof.
    public var isSecondFactor: Bool { self == .totp || self == .push }
}

/// A factor as stores keep it. Only the factor's own type can read the payload.
public struct FactorRecord: Sendable, Equatable {
    public let id: FactorID
    public let userID: UserID
    public let kind: FactorKind
    /// What the user called it.
    @PlainText public var name: String
    public let createdAt: Date
    public var lastUsedAt: Date?
    /// Counts the changes of the payload. An answer is settled only against the revision it was judged by.
    public internal(set) var revision: Int
    /// Sealed for this factor's id.
    public var payload: Data

    public init(
        id: FactorID, userID: UserID, kind: FactorKind, name: String, createdAt: Date, lastUsedAt: Date? = nil,
        revision: Int = 0, payload: Data
    ) {
        self.id = id
        self.userID = userID
        self.kind = kind
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.revision = revision
        self.payload = payload
    }
}
