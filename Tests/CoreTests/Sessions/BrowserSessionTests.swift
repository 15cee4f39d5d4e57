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
    func `A session that stays keeps its limits and its mark, which no client can add to another token`() async throws {
        let test = try await TestRealm.make()
        let sessions = test.realm.sessions
        let begun = try #require(await sessions.begin(inBrowser: signedIn(test), stays: true))
        #expect(Sessions.lifetime(ofBrowser: begun.token) == 2_592_000)
        test.clock.advance(20 * 86_400)
        let renewed = try #require(await sessions.renewed(browser: begun.token))
        #expect(Sessions.lifetime(ofBrowser: renewed) == 2_592_000)
        test.clock.advance(10 * 86_400 - 1)
        #expect(try await sessions.session(ofBrowser: renewed)?.session.id == begun.session.id)
        test.clock.advance(1)
        #expect(try await sessions.session(ofBrowser: renewed) == nil)

        let plain = try await browser(test)
        #expect(Sessions.lifetime(ofBrowser: plain.token) == nil)
        var parts = plain.token.reveal().split(separator: ".").map(String.init)
        parts[2] += "~"
        let marked = Secret(parts.joined(separator: "."))
        #expect(try await sessions.session(ofBrowser: plain.token) != nil)
        #expect(try await sessions.session(ofBrowser: marked) == nil)
    }

    @Test(arguments: [
        (BrowserSessionSettings.Preset.aal1, ContextClass.aal1, true, 2_592_000.0, 2_592_000.0),
        (.aal1, .aal1, false, 3600, 86_400), (.aal1, .aal2, true, 3600, 86_400), (.aal1, .aal2, false, 3600, 86_400),
        (.aal2, .aal1, true, 3600, 86_400), (.aal2, .aal2, false, 3600, 86_400), (.aal3, .aal1, true, 900, 43_200),
        (.aal3, .aal2, false, 900, 43_200),
    ])
    func `The presets have the limits of NIST SP 800-63B-4`(
        preset: BrowserSessionSettings.Preset, present: ContextClass, stays: Bool, idle: Double, overall: Double
    ) {
        var settings = BrowserSessionSettings()
        settings.preset = preset
        #expect(settings.limits(of: present, stays: stays) == BrowserSessionLimits(idle: idle, overall: overall))
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

    @Test(arguments: TestStore.available)
    func `A grant of before says what it was granted on, also after its session is raised`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.make(on: store)
        let begun = try await browser(test)
        let application = ClientID(rawValue: "app")
        let opened = try await test.openGrant(
            on: begun.session.id, of: begun.user.id, terms: GrantTerms(scopes: ["openid"]), for: application)
        let granted = try #require(opened.granted)
        let ended = GrantID(rawValue: "ended")
        // Rows of before had no proofs of their own.
        try await test.store.write { transaction in
            var grant = try #require(try transaction.grant(granted.grant.id))
            grant.proofs = nil
            _ = try transaction.insert(
                Grant(
                    id: ended, sessionID: begun.session.id, userID: begun.user.id, clientID: application,
                    dialect: .oauth, createdAt: grant.createdAt, expiresAt: grant.expiresAt,
                    refresh: RefreshTokenState(currentDigest: Data())))
            _ = try transaction.update(grant)
            guard let other = try transaction.grant(ended) else { return }
            _ = try transaction.end(other, at: grant.createdAt)
        }
        test.clock.advance(60)
        let again = try await signedIn(test)
        _ = try #require(await test.realm.sessions.raise(begun.session, by: again))
        let owner = HandleOwner.testClient
        #expect(
            try await test.realm.sessions.evidence(of: granted.refreshToken, of: owner)?.proofs == begun.session.proofs)
        guard
            case .refreshed(let next) = try await test.realm.sessions.refresh(
                granted.refreshToken, of: owner, by: test.client)
        else {
            Issue.record("not refreshed")
            return
        }
        #expect(next.evidence.proofs == begun.session.proofs)
        #expect(next.evidence.proofs != next.session.proofs)
        #expect(try await test.store.read { try $0.grant(ended) }?.proofs == nil, "What is over is left alone.")
    }

    @Test
    func `An address that was not proven is proven by a mailed code before an authenticator app is set up`()
        async throws
    {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        var change = AccountChange()
        change.emailVerified = false
        _ = try await test.realm.accounts.change(begun.user.id, change, by: test.client)
        guard case .begun(let handle) = try await test.realm.journeys.begin(raising: begun.session, by: test.client)
        else {
            Issue.record("not begun")
            return
        }
        let expectation = FlowExpectation(
            [.signIn], at: [.journey(.registration)], of: [.dialect(test.client.dialect)])
        func refusal() async throws -> Enrolments.EnrolmentRefusal? {
            let outcome = try await test.realm.enrolments.beginDevice(
                during: handle, expecting: expectation, kinds: [.totp], by: test.client)
            if case .refused(let refusal) = outcome { return refusal }
            return nil
        }
        #expect(try await refusal() == .unverifiedEmail)
        guard
            case .mailed(let address) = try await test.realm.journeys.confirmAddress(
                for: handle, expecting: expectation, by: test.client)
        else {
            Issue.record("nothing was mailed")
            return
        }
        #expect(address == begun.user.email)
        let mailed = try await test.realm.outbox.messages().last { $0.message.recipient == address.canonical }
        let code = try #require(mailed?.content.values["code"])
        func answer(_ code: String) async throws -> Verdict {
            try await test.realm.authenticator.answer(
                .code(Secret(code)), to: .flow(handle, expectation), by: test.client)
        }
        guard case .refused(let wrong) = try await answer(code == "12345678" ? "12345679" : "12345678") else {
            Issue.record("a wrong code counts")
            return
        }
        #expect(wrong.reason == .wrongAnswer)
        #expect(try await refusal() == .unverifiedEmail)
        guard case .advanced(.registration) = try await answer(code) else {
            Issue.record("the right code leads elsewhere")
            return
        }
        let user = try #require(await test.realm.accounts.user(begun.user.id))
        #expect(user.profile.emailVerified)
        // The password stays, and the session that is being raised goes on.
        #expect(try await test.realm.sessions.session(ofBrowser: begun.token) != nil)
        #expect(try await refusal() == nil)
        // Nothing is left to confirm, and the code is used up.
        guard case .refused = try await answer(code) else {
            Issue.record("a code counts twice")
            return
        }
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
