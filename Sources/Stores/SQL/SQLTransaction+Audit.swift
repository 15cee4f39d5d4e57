import CountersignCore
import Foundation

extension AuditEvent: StoredRow {
    static let table = "audit_events"
    static let columns = "id, at, kind, user_id, client_id, dialect, source, reason, details"

    init(row: inout RowReader) throws {
        self.init(
            id: try row.text(), at: try row.date(), kind: Kind(rawValue: try row.text()),
            userID: try row.optionalText().map(UserID.init(rawValue:)),
            clientID: try row.optionalText().map(ClientID.init(rawValue:)),
            dialect: try row.optionalText().map(Dialect.init(rawValue:)), source: try row.optionalText(),
            reason: try row.optionalText(), details: try row.document())
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id), SQLValue(at), SQLValue(kind.rawValue), SQLValue(userID?.rawValue),
                SQLValue(clientID?.rawValue), SQLValue(dialect?.rawValue), SQLValue(source), SQLValue(reason),
                try Document.encode(details),
            ]
        }
    }
}

private enum Statements {
    static let insertion = AuditEvent.insertion(isByRow: true)
    static let newest = AuditEvent.selection("WHERE id > $1 ORDER BY id DESC LIMIT $2")
    static let listed = ListStatements(isDescending: true) {
        AuditEvent.selection("WHERE id \($0) $1 ORDER BY id\($1) LIMIT $2")
    }
    static let listedOfUser = ListStatements(isDescending: true) {
        AuditEvent.selection("WHERE user_id = $1 AND id \($0) $2 ORDER BY id\($1) LIMIT $3")
    }
    static let ofUserAfter = AuditEvent.selection("WHERE user_id = $1 AND id > $2 ORDER BY id DESC LIMIT $3")
    static let between = AuditEvent.selection("WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3")
    static let byID = AuditEvent.selection("WHERE id = $1")
    /// Kinds that one statement looks for.
    static let places = 8
    static let ofKinds = AuditEvent.selection(
        "WHERE id >= $1 AND id < $2 AND kind IN (\((4..<4 + places).map { "$\($0)" }.joined(separator: ", "))) "
            + "ORDER BY id DESC LIMIT $3")
    // Details of sign-ins say the second factor and nothing that is of one user, so that there are few.
    static let counts = SQLStatement(
        """
        SELECT at / 3600000000, kind, CASE WHEN kind = 'answer.refused' THEN reason END, \
        CASE WHEN kind = 'sign-in.succeeded' THEN details END, COUNT(*) FROM audit_events \
        WHERE id >= $1 AND id < $2 GROUP BY 1, 2, 3, 4
        """)
    static let replacement = SQLStatement(
        "UPDATE audit_events SET details = $3, details_nonce = NULL WHERE user_id = $1 AND kind = $2")
    static let expired = AuditEvent.deletion(key: "id", "WHERE at < $1 AND id > $3 ORDER BY at")
}

extension SQLTransaction {
    // Losing an event silently is worse than failing: the body that appended it is undone with it.
    public func append(_ event: AuditEvent) throws {
        guard try connection.changes(Statements.insertion, event.values) else {
            throw StoreError(.unavailable, "audit_events \(event.id): the id is taken")
        }
    }

    public func auditEvents(of user: UserID?, after id: String?, limit: Int) throws -> [AuditEvent] {
        let (after, limit) = (SQLValue(id ?? ""), SQLValue(limit: limit))
        guard let user else { return try select(Statements.newest, after, limit) }
        return try select(Statements.ofUserAfter, SQLValue(user.rawValue), after, limit)
    }

    public func auditEvents(of user: UserID?, _ range: ListRange<String>) throws -> [AuditEvent] {
        let limit = SQLValue(limit: range.limit)
        guard let user else { return try select(Statements.listed[range], Statements.listed.place(range), limit) }
        let listed = Statements.listedOfUser
        return try select(listed[range], SQLValue(user.rawValue), listed.place(range), limit)
    }

    public func auditEvents(after id: String, before bound: AuditBound, limit: Int) throws -> [AuditEvent] {
        try select(Statements.between, SQLValue(id), SQLValue(bound.id), SQLValue(limit: limit))
    }

    public func auditEvent(_ id: String) throws -> AuditEvent? { try first(Statements.byID, SQLValue(id)) }

    public func auditEvents(
        ofKinds kinds: Set<AuditEvent.Kind>, from begin: AuditBound, before end: AuditBound, limit: Int
    ) throws -> [AuditEvent] {
        guard let last = kinds.first else { return [] }
        guard kinds.count <= Statements.places else {
            throw StoreError(.unavailable, "audit_events: more than \(Statements.places) kinds at once")
        }
        let places = kinds.map(\.rawValue) + Array(repeating: last.rawValue, count: Statements.places - kinds.count)
        var events: [AuditEvent] = []
        let values = [SQLValue(begin.id), SQLValue(end.id), SQLValue(limit: limit)] + places.map { SQLValue($0) }
        try connection.query(Statements.ofKinds, values) { columns in
            var row = RowReader(columns, table: AuditEvent.table)
            events.append(try AuditEvent(row: &row))
        }
        return events
    }

    public func auditCounts(from begin: AuditBound, before end: AuditBound) throws -> [AuditCount] {
        var counts: [AuditCount] = []
        try connection.query(Statements.counts, [SQLValue(begin.id), SQLValue(end.id)]) { columns in
            var row = RowReader(columns, table: AuditEvent.table)
            let (hour, kind, reason) = (try row.integer(), try row.text(), try row.optionalText())
            var factor: String?
            if let details = try row.optionalText().map({ try Document.decode([String: JSONValue].self, from: $0) }),
                case .string(let kind)? = details[AuditCount.secondFactorMember]
            {
                factor = kind
            }
            counts.append(
                AuditCount(
                    hour: hour, kind: AuditEvent.Kind(rawValue: kind), reason: reason, secondFactor: factor,
                    count: try row.integer()))
        }
        return counts
    }

    public func replaceAuditDetails(
        of user: UserID, _ kind: AuditEvent.Kind, with details: [String: JSONValue]
    ) throws {
        try send(
            Statements.replacement, SQLValue(user.rawValue), SQLValue(kind.rawValue), try Document.encode(details))
    }

    public func deleteAuditEvents(before instant: Date, after id: String, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit), SQLValue(id))
    }
}
