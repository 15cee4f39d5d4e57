import CountersignCore
import Foundation

extension AuditRow: StoredRow {
    static let table = "audit_events"
    static let columns =
        "id, at, kind, user_id, client_id, dialect, source, reason, details, details_nonce, details_digest, late_seal"

    init(row: inout RowReader) throws {
        self.init(
            id: try row.text(), at: try row.integer(), kind: try row.text(), userID: try row.optionalText(),
            clientID: try row.optionalText(), dialect: try row.optionalText(), source: try row.optionalText(),
            reason: try row.optionalText(), details: try row.text(), nonce: try row.optionalText(),
            digest: try row.optionalText(), lateSeal: try row.optionalInteger().map { Int($0) })
    }

    /// Rows of the log are written as events.
    var values: [SQLValue] {
        [
            SQLValue(id), SQLValue(at), SQLValue(kind), SQLValue(userID), SQLValue(clientID), SQLValue(dialect),
            SQLValue(source), SQLValue(reason), SQLValue(details), SQLValue(nonce), SQLValue(digest),
            lateSeal.map { SQLValue($0) } ?? .null,
        ]
    }
}

extension AuditSeal: StoredRow {
    static let table = "audit_seals"
    static let columns =
        "number, key_id, after_id, through_id, sealed_at, looked, event_count, ids, late, nonce, content, previous, "
        + "is_pruned, code"

    init(row: inout RowReader) throws {
        self.init(
            number: try row.integer(), keyID: try row.text(), after: try row.text(), through: try row.text(),
            sealedAt: try row.date(), looked: try row.integer(), count: try row.integer(), ids: try row.text(),
            late: try row.text(), nonce: try row.optionalText(), content: try row.text(), previous: try row.text(),
            isPruned: try row.flag(), code: try row.text())
    }

    var values: [SQLValue] {
        [
            SQLValue(number), SQLValue(keyID), SQLValue(after), SQLValue(through), SQLValue(sealedAt), SQLValue(looked),
            SQLValue(count), SQLValue(ids), SQLValue(late), SQLValue(nonce), SQLValue(content), SQLValue(previous),
            SQLValue(isPruned), SQLValue(code),
        ]
    }
}

private enum Statements {
    static let rows = AuditRow.selection("WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3")
    static let timelyRows = AuditRow.selection(
        "WHERE id > $1 AND id <= $2 AND late_seal IS NULL ORDER BY id LIMIT $3")
    static let row = AuditRow.selection("WHERE id = $1")
    static let mark = SQLStatement(
        """
        UPDATE audit_events SET details_nonce = $3, details_digest = $4 \
        WHERE id = $1 AND details = $2 AND details_digest IS NULL
        """)
    static let forgetting = SQLStatement("UPDATE audit_events SET details_nonce = NULL WHERE id = $1")
    static let takingUp = SQLStatement("UPDATE audit_events SET late_seal = $2 WHERE id = $1 AND late_seal IS NULL")
    static let ofUserAfter = SQLStatement(
        "SELECT id FROM audit_events WHERE user_id = $1 AND id > $2 AND kind = $3 ORDER BY id LIMIT 1")
    static let pruning = AuditRow.deletion(
        key: "id", "WHERE id <= $1 AND (late_seal IS NULL OR late_seal <= $3) ORDER BY id")

    static let seal = AuditSeal.selection("WHERE number = $1")
    static let seals = AuditSeal.selection("WHERE number > $1 ORDER BY number LIMIT $2")
    static let sealsOfOthers = AuditSeal.selection("WHERE number > $1 AND key_id <> $2 ORDER BY number LIMIT $3")
    static let last = AuditSeal.selection("WHERE number > 0 ORDER BY number DESC LIMIT 1")
    static let reaching = AuditSeal.selection("WHERE through_id >= $1 ORDER BY through_id, number LIMIT 1")
    static let insertion = AuditSeal.insertion()
    static let update = SQLStatement(
        """
        UPDATE audit_seals SET key_id = $3, ids = $4, late = $5, nonce = $6, is_pruned = $7, code = $8 \
        WHERE number = $1 AND code = $2
        """)
    static let deletion = SQLStatement("DELETE FROM audit_seals WHERE number < $1")
}

extension SQLTransaction {
    public func auditRows(after id: String, through last: String, onlyTimely: Bool, limit: Int) throws -> [AuditRow] {
        try select(
            onlyTimely ? Statements.timelyRows : Statements.rows, SQLValue(id), SQLValue(last), SQLValue(limit: limit))
    }

    public func auditRow(_ id: String) throws -> AuditRow? { try first(Statements.row, SQLValue(id)) }

    public func markAuditRow(_ row: AuditRow) throws -> Bool {
        try changes(
            Statements.mark, SQLValue(row.id), SQLValue(row.details), SQLValue(row.nonce), SQLValue(row.digest))
    }

    public func forgetNonce(of id: String) throws { try send(Statements.forgetting, SQLValue(id)) }

    public func takeUpAuditRow(_ id: String, in seal: Int) throws -> Bool {
        try changes(Statements.takingUp, SQLValue(id), SQLValue(seal))
    }

    public func hasAuditEvent(of user: UserID, _ kind: AuditEvent.Kind, after id: String) throws -> Bool {
        let values = [SQLValue(user.rawValue), SQLValue(id), SQLValue(kind.rawValue)]
        return try first(of: AuditRow.table, Statements.ofUserAfter, values) { try $0.text() } != nil
    }

    public func deleteAuditRows(through id: String, sealedBy seal: Int, limit: Int) throws -> Int {
        try delete(Statements.pruning, SQLValue(id), SQLValue(limit: limit), SQLValue(seal))
    }

    public func auditSeal(_ number: Int) throws -> AuditSeal? { try first(Statements.seal, SQLValue(number)) }

    public func auditSeals(after number: Int, limit: Int) throws -> [AuditSeal] {
        try select(Statements.seals, SQLValue(number), SQLValue(limit: limit))
    }

    public func auditSeals(after number: Int, notSignedBy keyID: String, limit: Int) throws -> [AuditSeal] {
        try select(Statements.sealsOfOthers, SQLValue(number), SQLValue(keyID), SQLValue(limit: limit))
    }

    public func lastAuditSeal() throws -> AuditSeal? { try first(Statements.last) }

    public func auditSeal(reaching id: String) throws -> AuditSeal? { try first(Statements.reaching, SQLValue(id)) }

    public func insert(_ seal: AuditSeal) throws -> Bool { try connection.changes(Statements.insertion, seal.values) }

    public func update(_ seal: AuditSeal, from code: String) throws -> Bool {
        try changes(
            Statements.update, SQLValue(seal.number), SQLValue(code), SQLValue(seal.keyID), SQLValue(seal.ids),
            SQLValue(seal.late), SQLValue(seal.nonce), SQLValue(seal.isPruned), SQLValue(seal.code))
    }

    public func deleteAuditSeals(before number: Int) throws { try send(Statements.deletion, SQLValue(number)) }
}
