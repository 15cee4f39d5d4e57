import CountersignCore
import Foundation
import Synchronization

/// Which rows a transaction has locked, to see that it keeps the one order of locks (``RowReservation``).
///
/// In builds for development, where `CHECK_LOCK_ORDER` is set (`make test` does), a transaction that does not is undone
/// with an error, so that every test of the program looks for such transactions. In release builds nothing is noted: there
/// PostgreSQL would find the deadlock, after a second.
///
/// It belongs to one transaction, which runs on one thread.
final class RowLocks {
    /// In the order in which they are locked.
    enum Table: Int, Comparable {
        case users, factors, flows, clientRegistrations, checkStates, refreshFamilies, sessions, grants,
            authorizationCodes, usedTokens, groups, groupMembers, administrators, machineTokens,
            eventHooks
        case applications, signingKeys, outbox, documents, secrets

        static func < (left: Table, right: Table) -> Bool { left.rawValue < right.rawValue }
    }

    struct Row: Hashable, Comparable, CustomStringConvertible {
        let table: Table
        let key: String

        static func < (left: Row, right: Row) -> Bool {
            left.table == right.table ? left.key < right.key : left.table < right.table
        }

        var description: String { "\(table)" }
    }

    private(set) var held: Set<Row> = []
    /// Rows that others refer to, locked against removal by an insert.
    private var shared: Set<Row> = []
    private var last: Row?

    /// Notes a row that is about to be written.
    func note(_ table: Table, _ key: @autoclosure () -> String) throws {
        #if DEBUG
            let row = Row(table: table, key: key())
            guard !held.contains(row) else { return }
            try look(row)
            held.insert(row)
        #endif
    }

    /// Notes a row that is about to be added. Only a transaction that adds the same row waits for it.
    func noteNew(_ table: Table, _ key: @autoclosure () -> String) {
        #if DEBUG
            held.insert(Row(table: table, key: key()))
        #endif
    }

    /// Notes the user of a row that is about to be inserted.
    func noteReference(to user: UserID?) throws {
        if let user { try noteReference(.users, user.rawValue) }
    }

    /// Notes a session of which a row is about to be inserted.
    func noteReference(to session: SessionID) throws { try noteReference(.sessions, session.rawValue) }

    private func noteReference(_ table: Table, _ key: String) throws {
        #if DEBUG
            let row = Row(table: table, key: key)
            guard !held.contains(row), !shared.contains(row) else { return }
            try look(row)
            shared.insert(row)
        #endif
    }

    private static let isChecked = ProcessInfo.processInfo.environment["CHECK_LOCK_ORDER"] != nil

    private func look(_ row: Row) throws {
        if Self.isChecked, let last, row < last {
            throw StoreError(
                .unavailable,
                "A row of \(row) is locked after one of \(last): the transaction has to reserve it (RowReservation).")
        }
        last = row
    }
}

extension SQLTransaction {
    public func reserve(_ rows: Set<ReservedRow>) throws {
        let wanted = rows.map(LockedRow.init).sorted { $0.row < $1.row }.filter { !locks.held.contains($0.row) }
        for row in wanted { try locks.note(row.row.table, row.row.key) }
        guard connection.locksRows else { return }
        // A statement for each table, or for each few of its rows. Rows are locked as they come out of the sort.
        for table in [
            RowLocks.Table.users, .factors, .flows, .clientRegistrations, .checkStates, .refreshFamilies, .sessions,
            .grants,
        ] {
            let own = wanted.filter { $0.row.table == table }
            var rest = own[...]
            while let first = rest.first {
                let statement = Reservation.statement(table, first)
                // The last of them fills what places are left; naming a row twice changes nothing.
                var values = rest.prefix(Reservation.places).map(\.value)
                values += Array(repeating: values[values.count - 1], count: Reservation.places - values.count)
                try connection.send(statement, values)
                rest = rest.dropFirst(Reservation.places)
            }
        }
    }
}

/// The statements that lock rows, one for each table, for four rows at a time.
private enum Reservation {
    static let places = 4
    private static let statements = Mutex<[RowLocks.Table: SQLStatement]>([:])

    static func statement(_ table: RowLocks.Table, _ row: LockedRow) -> SQLStatement {
        statements.withLock { statements in
            if let known = statements[table] { return known }
            let places = (1...places).map { "$\($0)" }.joined(separator: ", ")
            let made = SQLStatement(
                """
                SELECT \(row.column) FROM \(row.name) WHERE \(row.column) IN (\(places)) \
                ORDER BY \(row.column) FOR UPDATE
                """, isByRow: true)
            statements[table] = made
            return made
        }
    }
}

/// A row as statements name it.
private struct LockedRow {
    let row: RowLocks.Row
    let name: String
    let column: String
    let value: SQLValue

    init(_ reserved: ReservedRow) {
        switch reserved {
        case .user(let id): self.init(.users, id.rawValue, "users", "id", SQLValue(id.rawValue))
        case .factor(let id): self.init(.factors, id.rawValue, "factors", "id", SQLValue(id.rawValue))
        case .flow(let digest): self.init(.flows, digest.hex, "flows", "digest", SQLValue(digest))
        case .client(let kind, let digest):
            self.init(kind.locks, digest.hex, kind.table, "digest", SQLValue(digest))
        case .session(let id): self.init(.sessions, id.rawValue, "sessions", "id", SQLValue(id.rawValue))
        case .grant(let id): self.init(.grants, id.rawValue, "grants", "id", SQLValue(id.rawValue))
        }
    }

    private init(_ table: RowLocks.Table, _ key: String, _ name: String, _ column: String, _ value: SQLValue) {
        row = RowLocks.Row(table: table, key: key)
        (self.name, self.column, self.value) = (name, column, value)
    }
}
