import CountersignCore
import StoreSQL
import Testing

@testable import StorePostgres

/// What is decided without a server.
@Suite("PostgreSQL's driver")
struct PostgresRulesTests {
    @Test(
        arguments: [
            ("40001", PostgresFailure.Consequence.runAgain), ("40P01", .runAgain), ("23505", .runAgain),
            ("23503", .runAgain), ("57P01", .reconnect), ("08006", .reconnect), ("25006", .readOnly),
            ("57014", .giveUp), ("42601", .giveUp), ("53100", .giveUp), ("25P03", .giveUp),
        ])
    func `Every failure has its consequence`(state: String, consequence: PostgresFailure.Consequence) {
        #expect(PostgresFailure.consequence(of: state) == consequence)
    }

    @Test
    func `Waits grow to their bound, and are a matter of luck`() {
        let backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
        #expect(
            [1, 2, 3, 4, 5, 1000].map { backoff.wait(after: $0, Fixed(byte: 0x80)) }
                == [500, 1000, 2000, 4000, 5000, 5000].map { .microseconds($0) })
        #expect(backoff.wait(after: 9, Fixed(byte: 0)) == .zero)
        #expect(backoff.wait(after: 9, Fixed(byte: 0xff)) < .milliseconds(10))
    }

    @Test(
        arguments: [
            "postgres://user:hunter2@host:port:port/db", "postgres://user:hunter2@host/db?nonsense=1",
            "mysql://user:hunter2@host/db", "hunter2", "postgres://user:hun@ter2@host/db",
            "postgres://user:hunter2/3@host/db", "postgres://user:77/hunter2@host/db", "postgres://u:hunter2\u{0}@h/",
            "password='hunter2", "",
        ])
    func `A URL that is not understood is an error that quotes nothing of it`(text: String) {
        let error = #expect(throws: StoreError.self) { try DatabaseURL(Secret(text)) }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("ter2") == false)
    }

    @Test(
        arguments: [
            ("postgres://db.example.org/x", [:], "require"), ("postgres:///x", [:], nil),
            ("postgres://127.0.0.1/x", [:], nil), ("postgres://[::1]/x", [:], nil),
            ("postgres:///x?host=%2Ftmp", [:], nil), ("postgres:///x", ["PGHOST": "db"], "require"),
            ("postgres://localhost,db/x", [:], "require"),
            ("postgres://db.example.org/x", ["PGSSLMODE": "disable"], nil),
        ] as [(String, [String: String], String?)])
    func `Another machine has to speak TLS, unless the URL or the environment says otherwise`(
        url: String, environment: [String: String], mode: String?
    ) throws {
        let parameters = try DatabaseURL(Secret(url)).parameters(connectTimeout: .seconds(5), environment: environment)
        #expect(parameters.first { $0.name == "sslmode" }?.value == mode)
        // What libpq reads later replaces what it read before.
        let names = parameters.map(\.name)
        let place = try #require(names.firstIndex(of: "dbname"))
        #expect(place > names.firstIndex(of: "sslmode") ?? 0)
    }

    @Test
    func `A statement with its check is prepared apart from the one without, and neither is another's`() {
        let all = [9, 0, 4].flatMap { number in
            [false, true].map { PreparedStatement(number: number, isChecked: $0) }
        }
        var names = PreparedNames()
        for (place, statement) in all.enumerated() {
            #expect(names[statement] == nil)
            names[statement] = statement.name
            #expect(all.map { names[$0] != nil } == all.indices.map { $0 <= place })
        }
        #expect(Set(all.compactMap { names[$0] }).count == all.count)
        // One that failed is prepared again.
        names[all[3]] = nil
        #expect(all.map { names[$0] != nil } == [true, true, true, false, true, true])
    }

    @Test
    func `What was asked ahead is known by its statement and values until the next change, and in one transaction`() {
        let (one, other) = (SQLStatement.once("SELECT 1"), SQLStatement.once("SELECT 1"))
        var history = TransactionHistory()
        let question = history.ask(one, [.integer(1)])
        history.noteChange(other, [.text("a")])
        #expect(history.question(one, [.integer(1)], after: 0) == question)
        #expect(history.question(other, [.integer(1)], after: 0) == nil)
        #expect(history.question(one, [.integer(2)], after: 0) == nil)
        #expect(history.question(one, [.integer(1)], after: history.changes) == nil, "it may be of what was before")
        #expect(history.wasChange(0, other, [.text("a")]))
        #expect(!history.wasChange(0, one, [.text("a")]))
        #expect(!history.wasChange(0, other, [.text("b")]))
        #expect(!history.wasChange(1, other, [.text("a")]))
        history.removeAll()
        #expect(history.changes == 0 && !history.wasChange(0, other, [.text("a")]))
        #expect(history.question(one, [.integer(1)], after: 0) == nil)
    }

    @Test
    func `An answer is waited for as long as the statement may take and the transaction has left, and a bit longer`() {
        var deadlines = AnswerDeadlines(
            PostgresLink.Settings(
                connectTimeout: .seconds(5), statementTimeout: .seconds(4), transactionTimeout: .seconds(10),
                idleTimeout: .seconds(20), answerMargin: .milliseconds(500)))
        let begin = ContinuousClock.now
        func left(at second: Int, isBounded: Bool = true) -> Double? {
            let now = begin + .seconds(second)
            return deadlines.wait(since: now, isBounded: isBounded).until.map { now.duration(to: $0) / .seconds(1) }
        }
        #expect(left(at: 100) == 4.5 && left(at: 100, isBounded: false) == nil)
        deadlines.beginTransaction(at: begin)
        // The end of a transaction that has time left does not shorten it.
        deadlines.leaveTimeForClosing(at: begin)
        #expect(left(at: 0) == 4.5 && left(at: 7) == 3.5 && left(at: 0, isBounded: false) == nil)
        #expect(!deadlines.isOverdue(at: begin + .seconds(9)) && deadlines.isOverdue(at: begin + .seconds(10)))
        // One that is late has a second.
        deadlines.leaveTimeForClosing(at: begin + .seconds(12))
        #expect(left(at: 12) == 1.5)
        deadlines.beginRollback(at: begin + .seconds(2))
        #expect(left(at: 2) == 1.5)
        deadlines.endTransaction()
        #expect(left(at: 100) == 4.5 && !deadlines.isOverdue(at: begin + .seconds(100)))
    }

    private struct Fixed: RandomSource {
        let byte: UInt8

        func bytes(_ count: Int) -> [UInt8] { [byte] + Array(repeating: 0, count: count - 1) }
    }
}
