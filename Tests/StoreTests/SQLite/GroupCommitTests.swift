import CountersignCore
import StoreSQL
import Synchronization
import Testing

@testable import StoreSQLite

@Suite("Group commit")
struct GroupCommitTests {
    @Test
    func `A group is one transaction, and no caller is answered before the commit`() {
        let database = ScriptedDatabase()
        let commit = GroupCommit([write("a", database), write("b", database)], on: database)
        #expect(database.journal == "begin a b commit")
        commit.answer()
        #expect(database.journal.hasSuffix("commit a=done b=done"))
        #expect((commit.commits, commit.writes) == (1, 2))
    }

    @Test
    func `A write that throws before it has changed anything leaves nothing to undo`() {
        let database = ScriptedDatabase()
        let commit = GroupCommit(
            [write("a", database), write("b", database, throwing: true, changing: false), write("c", database)],
            on: database)
        commit.answer()
        #expect(database.journal == "begin a b c commit a=done b=thrown c=done")
        #expect((commit.commits, commit.writes) == (1, 2))
    }

    @Test
    func `Where a write has changed something and throws, the group runs again in savepoints, and it is undone alone`()
    {
        let database = ScriptedDatabase()
        let commit = GroupCommit(
            [write("a", database), write("b", database, throwing: true), write("c", database)], on: database)
        commit.answer()
        #expect(
            database.journal == """
                begin a b rollback \
                begin save a release save b undo release save c release commit a=done b=thrown c=done
                """)
        #expect((commit.commits, commit.writes) == (1, 2))
    }

    @Test
    func `A group in which all throw commits nothing`() {
        let database = ScriptedDatabase()
        let commit = GroupCommit([write("a", database, throwing: true)], on: database)
        commit.answer()
        #expect(database.journal == "begin a rollback a=thrown")
        #expect((commit.commits, commit.writes) == (0, 0))
    }

    @Test
    func `Where the group cannot be committed, each write is run again by itself, those that threw too`() {
        let database = ScriptedDatabase(failingCommits: [1, 2])
        let commit = GroupCommit(
            [write("a", database), write("b", database, throwing: true, changing: false), write("c", database)],
            on: database)
        commit.answer()
        #expect(
            database.journal == """
                begin a b c nocommit rollback \
                begin a nocommit rollback \
                begin b rollback \
                begin c commit \
                a=unavailable b=thrown c=done
                """)
        #expect((commit.commits, commit.writes) == (1, 1))
    }

    @Test
    func `A write alone whose commit fails is told so and not run again`() {
        let database = ScriptedDatabase(failingCommits: [1])
        GroupCommit([write("a", database)], on: database).answer()
        #expect(database.journal == "begin a nocommit rollback a=unavailable")
    }

    @Test
    func `A transaction that the database ended takes only the culprit with it`() {
        let database = ScriptedDatabase()
        let culprit = PendingWrite(
            run: { _ in
                database.end()
                throw Thrown()
            }, fail: database.teller("b"))
        let commit = GroupCommit([write("a", database), culprit, write("c", database)], on: database)
        commit.answer()
        #expect(
            database.journal == """
                begin a ended rollback \
                begin a commit begin ended rollback begin c commit \
                a=done b=thrown c=done
                """)
    }

    @Test
    func `A write that hides that the database ended its transaction does not count as done`() {
        let database = ScriptedDatabase()
        let culprit = PendingWrite(
            run: { _ in
                database.end()
                return { database.note("b=done") }
            }, fail: database.teller("b"))
        GroupCommit([write("a", database), culprit], on: database).answer()
        #expect(database.journal.hasSuffix("a=done b=unavailable"))
    }

    @Test
    func `Where no transaction can begin, all are told so, and the lock is waited for once`() {
        let database = ScriptedDatabase(failingBegins: [1])
        GroupCommit([write("a", database), write("b", database)], on: database).answer()
        #expect(database.journal == "nobegin a=unavailable b=unavailable")
    }

    @Test
    func `Where the lock is lost while writes are run by themselves, the rest are told so at once`() {
        let database = ScriptedDatabase(failingBegins: [3], failingCommits: [1])
        GroupCommit([write("a", database), write("b", database), write("c", database)], on: database).answer()
        #expect(
            database.journal.hasSuffix(
                "rollback begin a commit nobegin a=done b=unavailable c=unavailable"))
    }

    @Test
    func `A commit waits for the disk unless each write of its transaction goes with the next, one that throws too`() {
        /// - Parameter writes: of each, whether it throws, and whether it changes something.
        func journal(_ writes: [(Durability, Bool, Bool)], failingCommits: Set<Int> = []) -> String {
            let database = ScriptedDatabase(failingCommits: failingCommits)
            let group = zip(["a", "b"], writes).map { name, kind in
                write(name, database, throwing: kind.1, changing: kind.2, durability: kind.0)
            }
            let commit = GroupCommit(group, on: database)
            defer { commit.answer() }
            return database.journal
        }
        #expect(journal([(.withNext, false, true), (.withNext, false, true)]) == "begin-lazily a b commit")
        #expect(journal([(.withNext, false, true), (.atOnce, false, true)]) == "begin a b commit")
        #expect(journal([(.withNext, false, true), (.atOnce, true, false)]) == "begin a b commit")
        #expect(
            journal([(.withNext, false, true), (.withNext, true, true)])
                == "begin-lazily a b rollback begin-lazily save a release save b undo release commit")
        #expect(
            journal([(.withNext, false, true), (.atOnce, false, true)], failingCommits: [1])
                == "begin a b nocommit rollback begin-lazily a commit begin b commit")
    }

    private func write(
        _ name: String, _ database: ScriptedDatabase, throwing: Bool = false, changing: Bool = true,
        durability: Durability = .atOnce
    ) -> PendingWrite {
        PendingWrite(
            run: { _ in
                database.note(name)
                if changing { database.change() }
                if throwing { throw Thrown() }
                return { database.note("\(name)=done") }
            }, fail: database.teller(name), durability: durability)
    }
}

private struct Thrown: Error {}

/// Notes what is asked of it, and fails where the script says so.
private final class ScriptedDatabase: GroupTransaction, Sendable {
    private struct State {
        var journal: [String] = []
        var isOpen = false
        var begins = 0
        var commits = 0
        var changes = 0
    }

    private let state = Mutex(State())
    private let failingBegins: Set<Int>
    private let failingCommits: Set<Int>

    init(failingBegins: Set<Int> = [], failingCommits: Set<Int> = []) {
        self.failingBegins = failingBegins
        self.failingCommits = failingCommits
    }

    var journal: String { state.withLock { $0.journal.joined(separator: " ") } }

    func note(_ event: String) {
        state.withLock { $0.journal.append(event) }
    }

    func end() {
        note("ended")
        state.withLock { $0.isOpen = false }
    }

    func change() {
        state.withLock { $0.changes += 1 }
    }

    func teller(_ name: String) -> @Sendable (any Error) -> Void {
        { error in self.note("\(name)=\(error is StoreError ? "unavailable" : "thrown")") }
    }

    func run<T>(_ body: (any StoreTransaction) throws -> T) throws -> T { try SQLTransaction.run(on: Unused(), body) }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    var totalChanges: Int { state.withLock { $0.changes } }

    func begin(isDurable: Bool) throws {
        try state.withLock { state in
            state.begins += 1
            let fails = failingBegins.contains(state.begins)
            state.journal.append(fails ? "nobegin" : isDurable ? "begin" : "begin-lazily")
            if fails { throw StoreError(.unavailable, "locked") }
            state.isOpen = true
        }
    }

    func commit() throws {
        try state.withLock { state in
            state.commits += 1
            let fails = failingCommits.contains(state.commits)
            state.journal.append(fails ? "nocommit" : "commit")
            if fails { throw StoreError(.unavailable, "disk full") }
            state.isOpen = false
        }
    }

    func rollBack() {
        note("rollback")
        state.withLock { $0.isOpen = false }
    }

    func setSavepoint() throws { try noteInside("save") }
    func releaseSavepoint() throws { try noteInside("release") }
    func rollBackToSavepoint() throws { try noteInside("undo") }

    private func noteInside(_ event: String) throws {
        guard isOpen else { throw StoreError(.unavailable, "no transaction") }
        note(event)
    }
}

private struct Unused: SQLConnection {
    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) {}
    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) -> Int { 0 }
}
