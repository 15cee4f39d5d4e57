import CountersignCore
import Foundation
import Logging
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    @Test
    func `Values of every kind come back as they went`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(-1), .integer(.max), .text(""), .text("猫\u{1}"), .blob(Data()),
            .blob(Data(0...255)),
        ]
        let kept = try await store.read { transaction in
            guard let connection = (transaction as? SQLTransaction)?.connection else { throw NotSQL() }
            return try connection.rows(
                """
                SELECT $1::text, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::bytea, $8::bytea, \
                (-2)::int, true
                """, values)
        }
        #expect(kept == [SQLRow(values + [.integer(-2), .integer(1)])])
        await store.close()
    }

    @Test
    func `A text with U+0000 that gets as far as the driver is refused, not cut short`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let error = await #expect(throws: StoreError.self) {
            try await store.read { transaction in
                guard let connection = (transaction as? SQLTransaction)?.connection else { throw NotSQL() }
                return try connection.rows("SELECT $1::text", [.text("alice\u{0}mallory")])
            }
        }
        #expect(error?.description.contains("22021") == true, "\(error as Any)")
        await store.close()
    }

    @Test
    func `A statement that is kept is prepared once, and others are not kept`() async throws {
        let url = try DatabaseURL(Secret(await PostgresCluster.shared().url()))
        let link = try PostgresLink(url, PostgresStore.Options().link)
        let kept = [SQLStatement("SELECT 1::bigint"), SQLStatement("SELECT 2::bigint")]
        for index in [0, 1, 0, 1, 1] {
            #expect(try link.run(kept[index], []).firstValue == .integer(Int64(index + 1)))
        }
        for number in [3, 3] {
            #expect(try link.run("SELECT \(number)::bigint", []).firstValue == .integer(Int64(number)))
        }
        let texts = try link.run("SELECT string_agg(statement, ' ' ORDER BY statement) FROM pg_prepared_statements", [])
        #expect(try texts.firstValue == .text("SELECT 1::bigint SELECT 2::bigint"))
    }

    @Test
    func `A commit waits for the disk, also where the server's default is not to`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let url = database.url(options: "%20-csynchronous_commit%3Doff")
        let store = try await PostgresStore.open(url: url)
        #expect(
            try await store.read { try raw($0, "SELECT current_setting('synchronous_commit')") }
                == [SQLRow([.text("on")])])
        await store.close()
    }

    @Test
    func `A write whose failure the body hides is not done`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let error = await #expect(throws: StoreError.self) {
            try await store.write { transaction in
                _ = try transaction.insert(user("u"))
                _ = try? raw(transaction, "NONSENSE")
            }
        }
        #expect(error?.code == .unavailable)
        #expect(try await store.read { try $0.countUsers() } == 0)
        await store.close()
    }

    @Test
    func `An error says what failed, and keeps the values to itself`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let error = await #expect(throws: StoreError.self) {
            try await store.read { try $0.insert(user("u", email: "personal@example.org")) }
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("PostgreSQL 25006: cannot execute INSERT in a read-only transaction in INSERT INTO"))
        #expect(!text.contains("personal"))
        await store.close()
    }

    @Test
    func `A wrong password is unavailable, and is not in the error`() async throws {
        let cluster = try await PostgresCluster.shared()
        try await cluster.run("CREATE ROLE secretive LOGIN PASSWORD 'right-one'")
        for (password, isRight) in [("right-one", true), ("wrong-one", false)] {
            let url = Secret(
                "postgres://secretive:\(password)@127.0.0.1:\(cluster.port)/postgres?options=-csearch_path%3Dnone")
            let error = await #expect(throws: StoreError.self) { try await PostgresStore.open(url: url) }
            let text = error?.description ?? ""
            // The right password gets as far as the schema, which this role may not make.
            #expect(text.contains(isRight ? "3F000" : "password authentication failed"), "\(text)")
            #expect(!text.contains("-one"))
        }
    }

    @Test
    func `Where the URL asks for TLS, a server without it is refused`() async throws {
        let cluster = try await PostgresCluster.shared()
        let url = Secret("postgres://postgres@127.0.0.1:\(cluster.port)/postgres?sslmode=require")
        let error = await #expect(throws: StoreError.self) { try await PostgresStore.open(url: url) }
        #expect(error?.description.contains("SSL") == true, "\(error as Any)")
    }

    @Test
    func `A database of another encoding is refused`() async throws {
        let cluster = try await PostgresCluster.shared()
        try await cluster.run(
            "CREATE DATABASE latin ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc TEMPLATE template0")
        let url = Secret(cluster.url().replacingOccurrences(of: "/postgres?", with: "/latin?"))
        let error = await #expect(throws: StoreError.self) { try await PostgresStore.open(url: url) }
        #expect(error?.description.contains("UTF8") == true, "\(error as Any)")
    }
}
