import CountersignCore
import Foundation

extension Session: StoredRow {
    static let table = "sessions"
    static let columns = """
        id, user_id, client_id, token_epoch, created_at, expires_at, revoked_at, revision, current_digest, \
        previous_digest, rotated_at, sealed_current, evidence
        """

    init(row: inout RowReader) throws {
        self.init(
            id: SessionID(rawValue: try row.text()), userID: UserID(rawValue: try row.text()),
            clientID: ClientID(rawValue: try row.text()), tokenEpoch: try row.integer(), createdAt: try row.date(),
            expiresAt: try row.date(), revokedAt: try row.optionalDate(), revision: try row.integer(),
            refresh: RefreshTokenState(
                currentDigest: try row.blob(), previousDigest: try row.optionalBlob(),
                rotatedAt: try row.optionalDate(), sealedCurrent: try row.optionalBlob()),
            evidence: try row.document())
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id.rawValue), SQLValue(userID.rawValue), SQLValue(clientID.rawValue), SQLValue(tokenEpoch),
                SQLValue(createdAt), SQLValue(expiresAt), SQLValue(revokedAt), SQLValue(revision),
                SQLValue(refresh.currentDigest), SQLValue(refresh.previousDigest), SQLValue(refresh.rotatedAt),
                SQLValue(refresh.sealedCurrent), try Document.encode(evidence),
            ]
        }
    }
}

extension SQLTransaction {
    public func session(_ id: SessionID) throws -> Session? {
        try row(where: "id", SQLValue(id.rawValue))
    }

    public func sessions(of user: UserID, limit: Int) throws -> [Session] {
        try select(
            "WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
            SQLValue(user.rawValue), SQLValue(limit: limit))
    }

    public func insert(_ session: Session) throws -> Bool {
        try locks.noteReference(to: session.userID)
        return try insert(session, where: "EXISTS (SELECT 1 FROM users WHERE users.id = $2)")
    }

    public func update(_ session: Session) throws -> Bool {
        try locks.note(.sessions, session.id.rawValue)
        return try changes(
            """
            UPDATE sessions SET revision = revision + 1, revoked_at = $3, current_digest = $4, \
            previous_digest = $5, rotated_at = $6, sealed_current = $7, evidence = $8 \
            WHERE id = $1 AND revision = $2
            """,
            SQLValue(session.id.rawValue), SQLValue(session.revision), SQLValue(session.revokedAt),
            SQLValue(session.refresh.currentDigest), SQLValue(session.refresh.previousDigest),
            SQLValue(session.refresh.rotatedAt), SQLValue(session.refresh.sealedCurrent),
            try Document.encode(session.evidence))
    }

    public func deleteSessions(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Session.self, key: "id", "WHERE expires_at < $1 ORDER BY expires_at", instant, limit: limit)
    }
}
