import CountersignCore
import Foundation

extension FactorRecord: StoredRow {
    static let table = "factors"
    static let columns = "id, user_id, kind, name, created_at, last_used_at, revision, payload, frozen_at"

    init(row: inout RowReader) throws {
        self.init(
            id: FactorID(rawValue: try row.text()), userID: UserID(rawValue: try row.text()),
            kind: FactorKind(rawValue: try row.text()), name: try row.text(), createdAt: try row.date(),
            lastUsedAt: try row.optionalDate(), revision: try row.integer(), payload: try row.blob(),
            frozenAt: try row.optionalDate())
    }

    var values: [SQLValue] {
        [
            SQLValue(id.rawValue), SQLValue(userID.rawValue), SQLValue(kind.rawValue), SQLValue(name),
            SQLValue(createdAt), SQLValue(lastUsedAt), SQLValue(revision), SQLValue(payload),
            SQLValue(frozenAt),
        ]
    }
}

private enum Statements {
    static let byID = FactorRecord.selection("WHERE id = $1", isByRow: true)
    // Two factors of one microsecond – a sign-up that makes both – keep a stable order by their ids.
    static let ofUser = FactorRecord.selection("WHERE user_id = $1 ORDER BY created_at, id", isByRow: true)
    static let ofKind = FactorRecord.selection("WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3")
    static let among = SQLStatement("SELECT id FROM factors WHERE id IN (\(KeyList.places))")
    static let insertion = FactorRecord.insertion(where: "EXISTS (SELECT 1 FROM users WHERE users.id = $2)")
    static let update = SQLStatement(
        """
        UPDATE factors SET revision = revision + 1, name = $3, last_used_at = $4, payload = $5, frozen_at = $6 \
        WHERE id = $1 AND revision = $2
        """, isByRow: true)
    static let deletion = SQLStatement("DELETE FROM factors WHERE id = $1")
}

extension SQLTransaction {
    public func factor(_ id: FactorID) throws -> FactorRecord? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    func expectFactor(_ id: FactorID) throws { try connection.ask(Statements.byID, [SQLValue(id.rawValue)]) }

    public func factors(of user: UserID) throws -> [FactorRecord] {
        if user == .placeholderWithPassword { StandIn.readPassword() }
        return try select(Statements.ofUser, SQLValue(user.rawValue))
    }

    public func factors(of kind: FactorKind, after id: FactorID?, limit: Int) throws -> [FactorRecord] {
        try select(Statements.ofKind, SQLValue(kind.rawValue), SQLValue(id?.rawValue ?? ""), SQLValue(limit: limit))
    }

    public func factorIDs(among ids: Set<FactorID>) throws -> Set<FactorID> {
        var found: Set<FactorID> = []
        try query(Statements.among, of: FactorRecord.table, among: ids.map { SQLValue($0.rawValue) }) { row in
            found.insert(FactorID(rawValue: try row.text()))
        }
        return found
    }

    public func insert(_ factor: FactorRecord) throws -> Bool {
        try locks.noteReference(to: factor.userID)
        return try connection.changes(Statements.insertion, factor.values)
    }

    public func update(_ factor: FactorRecord) throws -> Bool {
        try locks.note(.factors, factor.id.rawValue)
        return try changes(
            Statements.update, SQLValue(factor.id.rawValue), SQLValue(factor.revision), SQLValue(factor.name),
            SQLValue(factor.lastUsedAt), SQLValue(factor.payload), SQLValue(factor.frozenAt))
    }

    public func deleteFactor(_ id: FactorID) throws -> Bool {
        try locks.note(.factors, id.rawValue)
        return try changes(Statements.deletion, SQLValue(id.rawValue))
    }
}
