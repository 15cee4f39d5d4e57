import Foundation

/// What is stored of one installation of an application (a client), beside users and sessions. Each kind has a table of its
/// own, with the same columns.
public struct ClientRecord: Sendable, Equatable {
    /// Which table the record is in.
    public enum Kind: String, Sendable, CaseIterable {
        /// The client itself: its key and its device.
        case registration
        /// How a check stands for a client, or for a device whose clients share it.
        case checkState
        /// What one chain of refresh tokens stands for.
        case refreshFamily
    }

    /// Which table the record is in.
    public let kind: Kind
    /// A digest of what finds the record. Digests of two kinds are never the same.
    public let digest: Data
    /// The user of the record, which is deleted with the user. Nil where there is none.
    public var userID: UserID?
    /// Counts the changes of the row.
    public internal(set) var revision: Int
    /// When the record was made.
    public let createdAt: Date
    /// From when on the record does not count.
    public var expiresAt: Date
    /// Sealed; only the module that wrote it reads it.
    public var body: Data

    /// The row as stores read and write it. The module of security checks makes rows.
    public init(
        kind: Kind, digest: Data, userID: UserID?, revision: Int = 0, createdAt: Date, expiresAt: Date, body: Data
    ) {
        self.kind = kind
        self.digest = digest
        self.userID = userID
        self.revision = revision
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.body = body
    }

    /// Where the body is sealed for.
    package var address: SealedAddress { .client(kind, digest) }
}

/// Keeps records of clients.
public protocol ClientRecordStorage {
    /// The record of that kind and digest, expired or not.
    func clientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> ClientRecord?
    /// Records of a kind by digest.
    func clientRecords(_ kind: ClientRecord.Kind, _ range: ListRange<Data>) throws -> [ClientRecord]
    /// Records of a kind that are about the user, in no order that means anything.
    func clientRecords(_ kind: ClientRecord.Kind, of user: UserID, limit: Int) throws -> [ClientRecord]
    /// False where the digest is taken, or the user does not exist.
    func insert(_ record: ClientRecord) throws -> Bool
    /// Writes user, expiry and body where the stored revision is `record.revision`, and counts the revision up. False where
    /// it is not, or where the user does not exist.
    func update(_ record: ClientRecord) throws -> Bool
    /// Removes a record; false where there is none.
    func deleteClientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> Bool
    /// Removes at most `limit` records of a kind that expired before the instant; answers how many.
    func deleteClientRecords(_ kind: ClientRecord.Kind, expiredBefore instant: Date, limit: Int) throws -> Int
}
