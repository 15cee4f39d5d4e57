import CountersignCore
import Foundation

extension Grant: StoredRow {
    static let table = "grants"
    static let columns = """
        id, session_id, user_id, client_id, created_at, expires_at, revoked_at, revision, current_digest, \
        previous_digest, rotated_at, sealed_current, terms
        """

    init(row: inout RowReader) throws {
        let (id, sessionID) = (GrantID(rawValue: try row.text()), SessionID(rawValue: try row.text()))
        let (userID, clientID) = (UserID(rawValue: try row.text()), ClientID(rawValue: try row.text()))
        let (createdAt, expiresAt, revokedAt) = (try row.date(), try row.date(), try row.optionalDate())
        let revision = try row.integer()
        let refresh = RefreshTokenState(
            currentDigest: try row.blob(), previousDigest: try row.optionalBlob(), rotatedAt: try row.optionalDate(),
            sealedCurrent: try row.optionalBlob())
        let document: GrantDocument = try row.document()
        self.init(
            id: id, sessionID: sessionID, userID: userID, clientID: clientID, dialect: document.dialect,
            createdAt: createdAt, expiresAt: expiresAt, revokedAt: revokedAt, revision: revision, refresh: refresh,
            terms: document.terms, proofs: document.proven, endedByApplication: document.endedByApplication)
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id.rawValue), SQLValue(sessionID.rawValue), SQLValue(userID.rawValue),
                SQLValue(clientID.rawValue), SQLValue(createdAt), SQLValue(expiresAt), SQLValue(revokedAt),
                SQLValue(revision), SQLValue(refresh.currentDigest), SQLValue(refresh.previousDigest),
                SQLValue(refresh.rotatedAt), SQLValue(refresh.sealedCurrent), try document,
            ]
        }
    }

    fileprivate var document: SQLValue {
        get throws {
            try Document.encode(
                GrantDocument(
                    dialect: dialect, terms: terms, proven: proofs, endedByApplication: endedByApplication))
        }
    }
}

private enum Statements {
    static let byID = Grant.selection("WHERE id = $1", isByRow: true)
    static let ofSession = Grant.selection("WHERE session_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2")
    static let ofUser = Grant.selection("WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2")
    static let ofClient = ListStatements(isDescending: true) { comparison, order in
        Grant.selection(
            """
            WHERE client_id = $1 AND revoked_at IS NULL AND (created_at, id) \(comparison) ($2, $3) \
            ORDER BY created_at\(order), id\(order) LIMIT $4
            """)
    }
    static let openOfSession = ListStatements(isDescending: true) { comparison, order in
        Grant.selection(
            """
            WHERE session_id = $1 AND revoked_at IS NULL AND (created_at, id) \(comparison) ($2, $3) \
            ORDER BY created_at\(order), id\(order) LIMIT $4
            """)
    }
    static let openOfUser = ListStatements(isDescending: true) { comparison, order in
        Grant.selection(
            """
            WHERE user_id = $1 AND revoked_at IS NULL AND (created_at, id) \(comparison) ($2, $3) \
            ORDER BY created_at\(order), id\(order) LIMIT $4
            """)
    }
    static let holdersOfSession = holders("session_id")
    static let holdersOfUser = holders("user_id")

    private static func holders(_ column: String) -> SQLStatement {
        // An expression, so that no database groups by the index of all grants of applications.
        SQLStatement(
            """
            SELECT client_id || '', MAX(expires_at) FROM grants WHERE \(column) = $1 AND revoked_at IS NULL \
            GROUP BY client_id || ''
            """)
    }

    static let ofUserToClient = ListStatements(isDescending: true) { comparison, order in
        // By the index of the user's grants: the one of the application's has those of all users, and reads no expression.
        Grant.selection(
            """
            WHERE user_id = $1 AND client_id || '' = $2 AND revoked_at IS NULL \
            AND (created_at, id) \(comparison) ($3, $4) ORDER BY created_at\(order), id\(order) LIMIT $5
            """)
    }
    static let insertion = Grant.insertion(
        referring: "EXISTS (SELECT 1 FROM sessions WHERE sessions.id = $2 AND user_id = $3)",
        [2: "(SELECT id FROM sessions WHERE id = $2 AND user_id = $3)"])
    static let update = RowUpdate(
        // The index of an application's grants has those that were not revoked.
        keepingIndexes: SQLStatement(
            """
            UPDATE grants SET revision = revision + 1, current_digest = $4, previous_digest = $5, \
            rotated_at = $6, sealed_current = $7, terms = $8 WHERE id = $1 AND revision = $2 AND revoked_at IS $3
            """, isByRow: true),
        whole: SQLStatement(
            """
            UPDATE grants SET revision = revision + 1, revoked_at = $3, current_digest = $4, previous_digest = $5, \
            rotated_at = $6, sealed_current = $7, terms = $8 WHERE id = $1 AND revision = $2
            """, isByRow: true))
    static let deletion = SQLStatement("DELETE FROM grants WHERE id = $1")
    static let expired = Grant.deletion(key: "id", "WHERE expires_at < $1 ORDER BY expires_at")
}

extension SQLTransaction {
    public func grant(_ id: GrantID) throws -> Grant? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    public func grants(of session: SessionID, limit: Int) throws -> [Grant] {
        try select(Statements.ofSession, SQLValue(session.rawValue), SQLValue(limit: limit))
    }

    public func grants(of user: UserID, limit: Int) throws -> [Grant] {
        try select(Statements.ofUser, SQLValue(user.rawValue), SQLValue(limit: limit))
    }

    public func grants(of client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try grants(Statements.ofClient, of: client.rawValue, range)
    }

    public func grants(of session: SessionID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try grants(Statements.openOfSession, of: session.rawValue, range)
    }

    public func grants(of user: UserID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        try grants(Statements.openOfUser, of: user.rawValue, range)
    }

    private func grants(
        _ statements: ListStatements, of owner: String, _ range: ListRange<GrantPlace>
    ) throws -> [Grant] {
        let place = statements.place(range) { ($0.createdAt, $0.id.rawValue) }
        return try select(
            statements[range], SQLValue(owner), place.instant, place.id, SQLValue(limit: range.limit))
    }

    public func holders(ofGrantsOf session: SessionID) throws -> [GrantHolder] {
        try holders(Statements.holdersOfSession, of: session.rawValue)
    }

    public func holders(ofGrantsOf user: UserID) throws -> [GrantHolder] {
        try holders(Statements.holdersOfUser, of: user.rawValue)
    }

    private func holders(_ statement: SQLStatement, of owner: String) throws -> [GrantHolder] {
        var holders: [GrantHolder] = []
        try connection.query(statement, [SQLValue(owner)]) { columns in
            var row = RowReader(columns, table: Grant.table)
            holders.append(GrantHolder(client: ClientID(rawValue: try row.text()), expiresAt: try row.date()))
        }
        return holders
    }

    public func grants(of user: UserID, to client: ClientID, _ range: ListRange<GrantPlace>) throws -> [Grant] {
        let place = Statements.ofUserToClient.place(range) { ($0.createdAt, $0.id.rawValue) }
        return try select(
            Statements.ofUserToClient[range], SQLValue(user.rawValue), SQLValue(client.rawValue), place.instant,
            place.id, SQLValue(limit: range.limit))
    }

    public func insert(_ grant: Grant) throws -> Bool {
        try locks.noteReference(to: grant.userID)
        try locks.noteReference(to: grant.sessionID)
        locks.noteNew(.grants, grant.id.rawValue)
        return try inserts(Statements.insertion, grant.values)
    }

    public func update(_ grant: Grant) throws -> Bool {
        try locks.note(.grants, grant.id.rawValue)
        return try changes(
            Statements.update,
            SQLValue(grant.id.rawValue), SQLValue(grant.revision), SQLValue(grant.revokedAt),
            SQLValue(grant.refresh.currentDigest), SQLValue(grant.refresh.previousDigest),
            SQLValue(grant.refresh.rotatedAt), SQLValue(grant.refresh.sealedCurrent), try grant.document)
    }

    public func deleteGrant(_ id: GrantID) throws -> Bool {
        try locks.note(.grants, id.rawValue)
        return try changes(Statements.deletion, SQLValue(id.rawValue))
    }

    public func deleteGrants(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
