import Foundation
import OneTimePassword
import StorePostgres
import TestSupport
import Testing

@testable import CountersignCore

/// How often an operation waits for PostgreSQL, how many statements it runs, and how many commands it sends: beside the statements those that
/// begin and end transactions and lock a table as they begin (``StatementCountTests`` has the same for SQLite).
///
/// Requests of an application are meant to run fourteen statements at most for a right code, and five for a refresh.
@Suite(
    "Statements of an operation on PostgreSQL",
    .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct PostgresStatementCountTests {
    private struct Count {
        let roundTrips: Int
        let commands: Int
        /// Without those that begin and end transactions.
        let statements: Int
        let lostRaces: Int

        init(from before: PostgresStore.Statistics, to after: PostgresStore.Statistics) {
            roundTrips = after.roundTrips - before.roundTrips
            commands = after.statements - before.statements
            statements = commands - (after.transactionCommands - before.transactionCommands)
            lostRaces = after.lostRaces - before.lostRaces
        }
    }

    private struct Stage {
        let test: TestRealm
        let store: PostgresStore
        let enrolled: EnrolledUser

        init() async throws {
            store = try await PostgresCluster.shared().emptyDatabase().open()
            test = try TestRealm.make(keptIn: store)
            // What is stored in no settings would be read for nothing.
            try await test.changeSettings { $0.tokens.sessionDays = 30 }
            try await test.realm.checkMasterKey()
            enrolled = try await test.addEnrolledUser()
        }

        /// What a protocol asks of every request before the core acts.
        func beginRequest() async throws {
            let id = test.client.clientID
            _ = try await test.store.read { (try $0.application(id), try $0.settings()) }
        }

        func count(_ operation: () async throws -> Void) async throws -> Count {
            let before = store.statistics
            try await operation()
            return Count(from: before, to: store.statistics)
        }

        var client: ClientContext { test.client(from: "192.0.2.1") }

        func code(_ code: String, _ handle: FlowHandle) async throws -> Verdict {
            try await beginRequest()
            return try await test.realm.authenticator.answer(
                .code(Secret(code), factor: enrolled.factor.id), to: .flow(handle, .any(.signIn)), by: client)
        }
    }

    @Test
    func `A right code waits three times at most, and runs twelve statements in seventeen commands`() async throws {
        let stage = try await Stage()
        let handle = try await stage.test.pending().handle
        let code = stage.enrolled.totp.code(at: stage.test.now).stringCode
        let count = try await stage.count {
            let verdict = try await stage.code(code, handle)
            #expect(verdict.isAccomplished)
        }
        #expect(count.roundTrips <= 3)
        #expect(count.statements <= 12)
        #expect(count.commands <= 17)
        #expect(count.lostRaces == 0)
        await stage.store.close()
    }

    @Test
    func `A wrong code waits three times at most, and runs seven statements in twelve commands`() async throws {
        let stage = try await Stage()
        let handle = try await stage.test.pending().handle
        let wrong = stage.test.wrongCode(stage.enrolled.totp)
        for _ in 0..<2 {
            let count = try await stage.count {
                let verdict = try await stage.code(wrong, handle)
                #expect(verdict.reason == .wrongAnswer)
            }
            #expect(count.roundTrips <= 3)
            #expect(count.statements <= 7)
            #expect(count.commands <= 12)
            #expect(count.lostRaces == 0)
        }
        await stage.store.close()
    }

    @Test
    func `A refresh waits three times at most, and runs five statements in ten commands`() async throws {
        let stage = try await Stage()
        let handle = try await stage.test.pending().handle
        let code = stage.enrolled.totp.code(at: stage.test.now).stringCode
        let signedIn = try #require(await stage.code(code, handle).signedIn)
        let count = try await stage.count {
            try await stage.beginRequest()
            let outcome = try await stage.test.realm.sessions.refresh(
                signedIn.refreshToken, of: .testClient, by: stage.client)
            #expect(outcome.refreshed != nil)
        }
        #expect(count.roundTrips <= 3)
        #expect(count.statements <= 5)
        #expect(count.commands <= 10)
        #expect(count.lostRaces == 0)
        await stage.store.close()
    }

    @Test
    func `A right code and a refresh that take the application for granted wait twice each`() async throws {
        let stage = try await Stage()
        let realm = stage.test.realm
        let (id, client, factor) = (stage.test.client.clientID, stage.client, stage.enrolled.factor.id)
        let added = try await realm.applications.add(id: id, ApplicationRegistration(), by: stage.test.client)
        #expect(added != nil)
        let seen = try await realm.store.read { transaction in
            guard let application = try transaction.application(id) else { throw TestFailure() }
            return try SeenApplication(application, in: transaction)
        }
        let handle = try await stage.test.pending().handle
        let code = stage.enrolled.totp.code(at: stage.test.now).stringCode
        var signedIn: SignedIn?
        let answered = try await stage.count {
            let verdict = try await realm.assuming(seen) {
                try await realm.authenticator.answer(
                    .code(Secret(code), factor: factor), to: .flow(handle, .any(.signIn)), by: client)
            }
            signedIn = try #require(verdict).signedIn
        }
        #expect(answered.roundTrips <= 2)
        let token = try #require(signedIn).refreshToken
        let refreshed = try await stage.count {
            let outcome = try await realm.assuming(seen) {
                try await realm.sessions.refresh(token, of: .testClient, by: client)
            }
            #expect(outcome?.refreshed != nil)
        }
        #expect(refreshed.roundTrips <= 2)
        #expect(answered.lostRaces + refreshed.lostRaces == 0)
        await stage.store.close()
    }

    /// One transaction that keeps to its rows for each of charging and settling: a body that goes beyond them runs twice, and
    /// sends half as much again.
    /// Charging asks beside that not to wait for the log.
    @Test
    func `A password before a code waits eleven times at most, and runs seventeen statements`() async throws {
        let stage = try await Stage()
        let count = try await stage.count {
            try await stage.beginRequest()
            let verdict = try await stage.test.signIn(by: stage.client)
            #expect(verdict.continuation != nil)
        }
        #expect(count.roundTrips <= 11)
        #expect(count.statements <= 17)
        #expect(count.commands <= 26)
        #expect(count.lostRaces == 0)
        await stage.store.close()
    }
}
