import CountersignCore
import Foundation

extension Session: StoredRow {
    static let table = "sessions"
    static let columns = """
        id, user_id, token_epoch, created_at, expires_at, revoked_at, revision, evidence, address, user_agent, \
        browser_digest
        """

    init(row: inout RowReader) throws {
        let (id, userID) = (SessionID(rawValue: try row.text()), UserID(rawValue: try row.text()))
        let (epoch, createdAt, expiresAt) = (try row.integer(), try row.date(), try row.date())
        let (revokedAt, revision) = (try row.optionalDate(), try row.integer())
        let document: SessionDocument = try row.document()
        self.init(
            id: id, userID: userID, dialect: document.dialect, tokenEpoch: epoch, createdAt: createdAt,
            expiresAt: expiresAt, revokedAt: revokedAt, revision: revision, proofs: document.proofs,
            origin: SessionOrigin(address: try row.optionalText(), userAgent: try row.optionalText()),
            browserDigest: try row.optionalBlob())
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id.rawValue), SQLValue(userID.rawValue), SQLValue(tokenEpoch), SQLValue(createdAt),
                SQLValue(expiresAt), SQLValue(revokedAt), SQLValue(revision), try document,
                SQLValue(origin.address), SQLValue(origin.userAgent), SQLValue(browserDigest),
            ]
        }
    }

    fileprivate var document: SQLValue {
        get throws { try Document.encode(SessionDocument(dialect: dialect, proofs: proofs)) }
    }
}

private enum Statements {
    static let byID = Session.selection("WHERE id = $1", isByRow: true)
    static let ofUser = ListStatements(isDescending: true) { comparison, order in
        Session.selection(
            """
            WHERE user_id = $1 AND (created_at, id) \(comparison) ($2, $3) \
            ORDER BY created_at\(order), id\(order) LIMIT $4
            """)
    }
    static let living = ListStatements(isDescending: true) { comparison, order in
        Session.selection(
            """
            WHERE user_id = $1 AND revoked_at IS NULL AND token_epoch = $2 AND expires_at > $3 \
            AND (created_at, id) \(comparison) ($4, $5) ORDER BY created_at\(order), id\(order) LIMIT $6
            """)
    }
    static let insertion = Session.insertion(referring: "EXISTS (SELECT 1 FROM users WHERE users.id = $2)")
    static let update = SQLStatement(
        """
        UPDATE sessions SET revision = revision + 1, revoked_at = $3, evidence = $4, browser_digest = $5, \
        token_epoch = $6 \
        WHERE id = $1 AND revision = $2
        """)
    static let expired = Session.deletion(key: "id", "WHERE expires_at < $1 ORDER BY expires_at")
}

extension SQLTransaction {
    public func session(_ id: SessionID) throws -> Session? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    public func sessions(of user: UserID, _ range: ListRange<SessionPlace>) throws -> [Session] {
        let place = Statements.ofUser.place(range) { ($0.createdAt, $0.id.rawValue) }
        return try select(
            Statements.ofUser[range], SQLValue(user.rawValue), place.instant, place.id, SQLValue(limit: range.limit))
    }

    public func sessions(
        of user: UserID, epoch: Int, expiringAfter instant: Date, _ range: ListRange<SessionPlace>
    ) throws -> [Session] {
        let place = Statements.living.place(range) { ($0.createdAt, $0.id.rawValue) }
        return try select(
            Statements.living[range], SQLValue(user.rawValue), SQLValue(epoch), SQLValue(instant), place.instant,
            place.id, SQLValue(limit: range.limit))
    }

    public func insert(_ session: Session) throws -> Bool {
        try locks.noteReference(to: session.userID)
        locks.noteNew(.sessions, session.id.rawValue)
        return try inserts(Statements.insertion, session.values)
    }

    public func update(_ session: Session) throws -> Bool {
        try locks.note(.sessions, session.id.rawValue)
        return try changes(
            Statements.update,
            SQLValue(session.id.rawValue), SQLValue(session.revision), SQLValue(session.revokedAt),
            try session.document, SQLValue(session.browserDigest), SQLValue(session.tokenEpoch))
    }

    public func deleteSessions(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
