import CountersignCore
import Foundation

extension EventHook: StoredRow {
    static let table = "event_hooks"
    static let columns = "id, created_at, registration, progress, revision"

    init(row: inout RowReader) throws {
        let (id, createdAt) = (try row.text(), try row.date())
        self.init(
            id: id, createdAt: createdAt, registration: try row.document(), progress: try row.document(),
            revision: try row.integer())
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id), SQLValue(createdAt), try Document.encode(registration), try Document.encode(progress),
                SQLValue(revision),
            ]
        }
    }
}

private enum Statements {
    static let all = EventHook.selection("ORDER BY created_at, id")
    static let insertion = EventHook.insertion()
    static let update = SQLStatement(
        """
        UPDATE event_hooks SET registration = $2, progress = $3, revision = revision + 1 \
        WHERE id = $1 AND revision = $4
        """)
    static let deletion = SQLStatement("DELETE FROM event_hooks WHERE id = $1")
}

extension SQLTransaction {
    public func eventHooks() throws -> [EventHook] { try select(Statements.all) }

    public func insert(_ hook: EventHook) throws -> Bool {
        locks.noteNew(.eventHooks, hook.id)
        return try connection.changes(Statements.insertion, hook.values)
    }

    public func update(_ hook: EventHook) throws -> Bool {
        try locks.note(.eventHooks, hook.id)
        return try changes(
            Statements.update, SQLValue(hook.id), try Document.encode(hook.registration),
            try Document.encode(hook.progress), SQLValue(hook.revision))
    }

    public func deleteEventHook(_ id: String) throws -> Bool {
        try locks.note(.eventHooks, id)
        return try changes(Statements.deletion, SQLValue(id))
    }
}
