import Foundation

/// A flow as stores keep it: an attempt in progress, found by the digest of its handle.
public struct FlowRecord: Sendable, Equatable {
    /// SHA-256 of the handle; the handle itself is nowhere on the server.
    public let digest: Data
    /// Nil while only a claimed identifier is known.
    public var userID: UserID?
    /// For listings and cleaning; the rules read it from the body.
    public let purpose: String
    /// Answers charged so far.
    public var attempts: Int
    /// The version of the row. A write that expects another one fails.
    public internal(set) var revision: Int
    /// When the attempt began.
    public let createdAt: Date
    /// Until when the attempt can be completed. Stores keep the row for a day longer.
    public var expiresAt: Date
    /// Set by the one success that a flow allows.
    public var finishedAt: Date?
    /// A sealed `FlowBody`.
    public var body: Data
    /// The id that a factor will have which is enrolled by this flow, so that administrators can find what is pending.
    public let offeredFactor: FactorID?

    /// The row as stores read and write it. The engine of flows makes rows.
    public init(
        digest: Data, userID: UserID?, purpose: String, attempts: Int = 0, revision: Int = 0, createdAt: Date,
        expiresAt: Date, finishedAt: Date? = nil, body: Data, offeredFactor: FactorID? = nil
    ) {
        self.digest = digest
        self.userID = userID
        self.purpose = purpose
        self.attempts = attempts
        self.revision = revision
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.finishedAt = finishedAt
        self.body = body
        self.offeredFactor = offeredFactor
    }
}
