import Foundation

/// Names an enrolled factor: Identity Toolkit's `mfaEnrollmentId`. A random UUID.
public struct FactorID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }
}

/// What kind of proof a factor gives. The registry (``ProofRegistry``) knows the type of each, and the folder of each has its
/// name: texts that are kept in databases for ever.
public struct FactorKind: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A factor as stores keep it. Only the factor's own type can read the payload.
public struct FactorRecord: Sendable, Equatable {
    /// The factor's id, unique in the realm, and stable for the factor's life.
    public let id: FactorID
    /// The user whose factor it is.
    public let userID: UserID
    /// What kind of proof it gives.
    public let kind: FactorKind
    /// What the user called it.
    @PlainText public var name: String
    /// When it was enrolled.
    public let createdAt: Date
    /// When an answer by it was last right; nil where none was.
    public var lastUsedAt: Date?
    /// Counts the changes of the payload. An answer is settled only against the revision it was judged by.
    public internal(set) var revision: Int
    /// Sealed for this factor's id.
    public var payload: Data
    /// Since when no answer by it is right, as its owner has reported it lost; nil where it is not. It is asked for all the same, so that
    /// the report takes nothing from the account's protection.
    public internal(set) var frozenAt: Date?

    /// The row as stores read and write it. Answers that complete an enrolment make rows.
    public init(
        id: FactorID, userID: UserID, kind: FactorKind, name: String, createdAt: Date, lastUsedAt: Date? = nil,
        revision: Int = 0, payload: Data, frozenAt: Date? = nil
    ) {
        self.id = id
        self.userID = userID
        self.kind = kind
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.revision = revision
        self.payload = payload
        self.frozenAt = frozenAt
    }
}

extension FactorID: StoredJSON {}
extension FactorKind: StoredJSON {}
