import Foundation
import OneTimePassword
import StoreSQLite
import TestSupport
import Testing

@testable import CountersignCore

/// How many statements an operation runs. A change that adds one fails here; a change that saves one lowers the ceiling.
@Suite("Statements of an operation")
struct StatementCountTests {
    private struct Stage {
        let test: TestRealm
        let store: SQLiteStore
        let enrolled: EnrolledUser

        init() async throws {
            store = try await SQLiteStore.temporary(in: TestRun.directory())
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

        /// Statements and commits that an operation takes.
        func count(_ operation: () async throws -> Void) async throws -> (statements: Int, commits: Int) {
            let before = store.statistics
            try await operation()
            let after = store.statistics
            return (after.statements - before.statements, after.commits - before.commits)
        }

        var client: ClientContext { test.client(from: "192.0.2.1") }

        func code(_ code: String, _ handle: FlowHandle) async throws -> Verdict {
            try await beginRequest()
            return try await answer(code, handle)
        }

        func answer(_ code: String, _ handle: FlowHandle) async throws -> Verdict {
            try await test.realm.authenticator.answer(
                .code(Secret(code), factor: enrolled.factor.id), to: .flow(handle, .any(.signIn)), by: client)
        }

        /// An application that an earlier request has seen.
        func seenApplication() async throws -> SeenApplication {
            let id = ClientID(rawValue: "seen")
            _ = try await test.realm.applications.add(id: id, ApplicationRegistration(), by: client)
            return try await test.realm.store.read { transaction in
                guard let application = try transaction.application(id) else { throw TestFailure() }
                return try SeenApplication(application, in: transaction)
            }
        }
    }

    @Test
    func `A right code runs eleven statements at most, in one commit`() async throws {
        let stage = try await Stage()
        let handle = try await stage.test.pending().handle
        let code = stage.enrolled.totp.code(at: stage.test.now).stringCode
        let count = try await stage.count {
            let verdict = try await stage.code(code, handle)
            #expect(verdict.isAccomplished)
        }
        #expect(count.statements <= 11)
        #expect(count.commits == 1)
    }

    @Test
    func `A wrong code runs seven statements at most, in one commit`() async throws {
        let stage = try await Stage()
        let handle = try await stage.test.pending().handle
        let wrong = stage.test.wrongCode(stage.enrolled.totp)
        for _ in 0..<2 {
            let count = try await stage.count {
                let verdict = try await stage.code(wrong, handle)
                #expect(verdict.reason == .wrongAnswer)
            }
            #expect(count.statements <= 7)
            #expect(count.commits == 1)
        }
    }

    @Test(arguments: [(true, 11), (false, 7)])
    func `A code runs no statement more where its write looks at the application`(
        isRight: Bool, most: Int
    ) async throws {
        let stage = try await Stage()
        let seen = try await stage.seenApplication()
        let handle = try await stage.test.pending().handle
        let code =
            isRight
            ? stage.enrolled.totp.code(at: stage.test.now).stringCode : stage.test.wrongCode(stage.enrolled.totp)
        let count = try await stage.count {
            let verdict = try await stage.test.realm.assuming(seen) { try await stage.answer(code, handle) }
            #expect(verdict?.isAccomplished == isRight)
        }
        #expect(count.statements <= most)
        #expect(count.commits == 1)
    }

    @Test
    func `A device's answer, right or wrong, is counted, judged and settled in one commit`() async throws {
        let stage = try await Stage()
        let (test, device) = (stage.test, TestDevice())
        let enrolment = try await test.enrol(device, of: stage.enrolled.user.id)
        _ = try await test.ask(for: test.pending().handle)
        let request = try await test.request(to: enrolment.factor.id)
        let statement = try device.answer(to: request, at: test.now)
        let wrong = try await stage.count {
            let verdict = try await test.decide(statement, request.handle, audiences: [])
            #expect(verdict.reason == .wrongAudience)
        }
        let right = try await stage.count {
            let verdict = try await test.decide(statement, request.handle)
            #expect(verdict.decision?.isAllowed == true)
        }
        #expect(wrong.commits == 1 && right.commits == 1)
    }

    @Test
    func `A password that a code has to follow runs fourteen statements at most`() async throws {
        let stage = try await Stage()
        let count = try await stage.count {
            try await stage.beginRequest()
            let verdict = try await stage.test.signIn(by: stage.client)
            #expect(verdict.continuation != nil)
        }
        #expect(count.statements <= 14)
        #expect(count.commits == 2)
    }

    @Test
    func `The nonce of a minute is made once, and the next minute has another`() async throws {
        let stage = try await Stage()
        let tokens = stage.test.realm.tokens
        let first = try await tokens.nonce()
        let count = try await stage.count {
            let again = try await tokens.nonce()
            #expect(again == first)
        }
        #expect(count.statements == 0)
        stage.test.clock.advance(60)
        #expect(try await tokens.nonce() != first)
    }

    @Test
    func `A right secret that the server drew runs two statements at most, and they only read`() async throws {
        let stage = try await Stage()
        let secret = ApplicationRegistration.drawnSecret(random: stage.test.random)
        var registration = ApplicationRegistration()
        registration.setSecret(secret, isDrawn: true)
        let id = ClientID(rawValue: "service")
        _ = try await stage.test.realm.applications.add(id: id, registration, by: stage.client)
        let writes = stage.store.statistics.writes
        let count = try await stage.count {
            let judged = try await stage.test.realm.applications.authenticate(
                ClientCredentials(clientID: id.rawValue, secret: secret), expecting: ClientExpectation([.secretPost]),
                by: stage.client)
            guard case .authenticated = judged else {
                Issue.record("refused")
                return
            }
        }
        #expect(count.statements <= 2)
        #expect(count.commits == 0)
        #expect(stage.store.statistics.writes == writes)
    }

    @Test
    func `A refresh runs four statements at most`() async throws {
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
        #expect(count.statements <= 4)
        #expect(count.commits == 1)
    }
}
