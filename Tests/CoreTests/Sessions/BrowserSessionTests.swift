import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

/// Sessions that a cookie holds: how long, and how a further sign-in raises them.
@Suite("Sessions of browsers")
struct BrowserSessionTests {
    private func signedIn(_ test: TestRealm) async throws -> SignedIn {
        if try await test.realm.accounts.user(email: TestRealm.email) == nil { try await test.addUser() }
        return try #require(await test.signIn().signedIn)
    }

    private func browser(_ test: TestRealm) async throws -> Sessions.BrowserSession {
        try #require(await test.realm.sessions.begin(inBrowser: signedIn(test)))
    }

    @Test
    func `A session that is not used for an hour is over, and the cookie says when it was used`() async throws {
        let test = try await TestRealm.make()
        let sessions = test.realm.sessions
        let begun = try await browser(test)
        test.clock.advance(299)
        #expect(try await sessions.renewed(browser: begun.token) == nil)
        test.clock.advance(Sessions.idleTime - 300)
        #expect(try await sessions.session(ofBrowser: begun.token) != nil)
        let renewed = try #require(await sessions.renewed(browser: begun.token))
        test.clock.advance(1)
        #expect(try await sessions.session(ofBrowser: begun.token) == nil)
        #expect(try await sessions.session(ofBrowser: renewed)?.session.id == begun.session.id)
        // A later time in another's hand.
        var parts = begun.token.reveal().split(separator: ".").map(String.init)
        parts[2] = String(renewed.reveal().split(separator: ".")[2])
        #expect(try await sessions.session(ofBrowser: Secret(parts.joined(separator: "."))) == nil)
    }

    @Test
    func `A session is over a day after its first proof, however often it is used`() async throws {
        let test = try await TestRealm.make()
        let sessions = test.realm.sessions
        var token = try await browser(test).token
        for _ in 0..<47 {
            test.clock.advance(1800)
            #expect(try await sessions.session(ofBrowser: token) != nil)
            token = try #require(await sessions.renewed(browser: token))
        }
        test.clock.advance(1800)
        #expect(try await sessions.session(ofBrowser: token) == nil)
    }

    @Test
    func `A further sign-in raises the session: its id stays, its proofs are the new ones, its token is another`()
        async throws
    {
        let test = try await TestRealm.make()
        let sessions = test.realm.sessions
        let begun = try await browser(test)
        test.clock.advance(60)
        let again = try await signedIn(test)
        let raised = try #require(await sessions.raise(begun.session, by: again))
        #expect(raised.session.id == begun.session.id)
        #expect(raised.session.proofs == again.session.proofs)
        #expect(try await sessions.session(ofBrowser: begun.token) == nil)
        #expect(try await sessions.session(ofBrowser: raised.token)?.session.id == begun.session.id)
        // The sign-in's own session is over, with what it gave.
        #expect(try await sessions.session(again.session.id, of: again.user.id) == nil)
        #expect(try await sessions.raise(begun.session, by: again) == nil)
    }

    @Test
    func `A session of one factor is raised by an authenticator app that is set up on the way`() async throws {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        guard case .begun(let handle) = try await test.realm.journeys.begin(raising: begun.session, by: test.client)
        else {
            Issue.record("It does not begin.")
            return
        }
        let expectation = FlowExpectation(
            [.signIn], at: [.journey(.registration)], of: [.dialect(test.client.dialect)])
        let enrolments = test.realm.enrolments
        #expect(try await enrolments.offered(during: handle, expecting: expectation) == nil)
        let outcome = try await enrolments.beginDevice(
            during: handle, expecting: expectation, kinds: [.totp], by: test.client)
        guard case .offered = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let offered = try #require(await enrolments.offered(during: handle, expecting: expectation))
        let wrong = try await test.realm.authenticator.answer(
            .enrolmentCode(Secret("000000"), name: ""), to: .flow(handle, expectation), by: test.client)
        guard case .refused(let refusal) = wrong else {
            Issue.record("\(wrong)")
            return
        }
        #expect(refusal.reason == .wrongAnswer)
        let code = try TOTP(secret: offered.totpSecret.reveal()).code(at: test.clock.now).stringCode
        let verdict = try await test.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: ""), to: .flow(handle, expectation), by: test.client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        let raised = try #require(await test.realm.sessions.raise(begun.session, by: signedIn))
        #expect(raised.session.proofs.map(\.kind) == [.password, .totp])
        let second = raised.session.proofs.last { $0.isSecondFactor }
        #expect(second?.kind == .totp)
    }
}
