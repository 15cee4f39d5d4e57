import Foundation
import Testing

@testable import CountersignCore

/// What applications get of sessions, and sessions that no application's sign-in made.
@Suite("Grants")
struct GrantTests {
    private static let application = ClientID(rawValue: "app")
    private static let other = ClientID(rawValue: "other")

    private func signedIn(_ test: TestRealm) async throws -> SignedIn {
        if try await test.realm.accounts.user(email: TestRealm.email) == nil { try await test.addUser() }
        return try #require(await test.signIn().signedIn)
    }

    private func browser(_ test: TestRealm) async throws -> Sessions.BrowserSession {
        try #require(await test.realm.sessions.begin(inBrowser: signedIn(test)))
    }

    private func open(
        on session: Session, for application: ClientID = application, scopes: [String] = ["openid"],
        demanding demand: Sessions.SecondFactorDemand = .whereRequired, _ test: TestRealm
    ) async throws -> AuthorizationCodes.Redemption {
        try await test.openGrant(
            on: session.id, of: session.userID, terms: GrantTerms(scopes: scopes), for: application,
            demanding: demand)
    }

    private func refresh(_ token: Secret<String>, _ test: TestRealm) async throws -> Sessions.RefreshOutcome {
        try await test.realm.sessions.refresh(token, of: .testClient, by: test.client)
    }

    // MARK: Names

    @Test
    func `The refresh token begins with the grant's id, which is not the session's`() async throws {
        let test = try await TestRealm.make()
        let first = try await signedIn(test)
        let begins = first.refreshToken.reveal().split(separator: ".").first.map(String.init)
        #expect(begins == first.grant.id.rawValue)
        #expect(first.grant.id.rawValue != first.session.id.rawValue)
        #expect(first.grant.sessionID == first.session.id)
    }

    @Test
    func `A made-up refresh token under the sid of a token ends nothing`() async throws {
        let test = try await TestRealm.make()
        let first = try await signedIn(test)
        let madeUp = Secret("\(first.session.id.rawValue).\(first.refreshToken.reveal().suffix(43))")
        #expect(try await refresh(madeUp, test).refusal == .ended)
        try await test.realm.sessions.revoke(madeUp, of: .testClient)
        #expect(try await test.events(.refreshTokenReused).isEmpty)
        #expect(try await refresh(first.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A session of before, whose grant has its id, goes on under its refresh token`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let (id, now) = (SessionID(rawValue: KeyedSecret.freshName(random: test.random)), test.now)
        let token = RefreshToken(grant: GrantID(rawValue: id.rawValue), random: test.random)
        _ = try await test.store.write { transaction in
            _ = try transaction.insert(
                Session(
                    id: id, userID: user.id, dialect: .identityToolkit, tokenEpoch: user.tokenEpoch, createdAt: now,
                    expiresAt: now + 1000, proofs: [Proof(kind: .password, at: now)]))
            return try transaction.insert(
                Grant(
                    id: GrantID(rawValue: id.rawValue), sessionID: id, userID: user.id, clientID: Self.application,
                    dialect: .identityToolkit, createdAt: now, expiresAt: now + 1000,
                    refresh: RefreshTokenState(currentDigest: token.digest)))
        }
        let second = try #require(await refresh(token.text, test).refreshed)
        #expect(second.session.id == id)
        // What was sealed for the session's id opens as the grant's.
        #expect(try await refresh(token.text, test).refreshed?.refreshToken == second.refreshToken)
    }

    @Test
    func `What a refresh token was sealed for is spelled as it was when a session had one grant`() {
        #expect(SealedAddress.grant(GrantID(rawValue: "s")).context == "session/s")
    }

    // MARK: Origin

    @Test
    func `A session remembers where its sign-in came from`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        var client = test.client
        client.source = "192.0.2.7"
        client.userAgent = String(repeating: "x", count: 1000)
        let signedIn = try #require(await test.signIn(by: client).signedIn)
        let kept = try #require(await test.store.read { try $0.session(signedIn.session.id) })
        #expect(kept.origin.address == "192.0.2.7")
        #expect(kept.origin.userAgent?.count == SessionOrigin.longestUserAgent)
        #expect(kept == signedIn.session)
    }

    // MARK: A browser's session

    @Test
    func `A browser's session has no grant; its cookie's token opens it, and the sign-in's refresh token nothing`()
        async throws
    {
        let test = try await TestRealm.make()
        let first = try await signedIn(test)
        let begun = try #require(await test.realm.sessions.begin(inBrowser: first))
        #expect(begun.session.id == first.session.id && begun.user.id == first.user.id)
        #expect(try await test.store.read { try $0.grants(of: first.session.id, limit: 9) }.isEmpty)
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
        let found = try #require(await test.realm.sessions.session(ofBrowser: begun.token))
        #expect(found.session == begun.session && found.session.proofs.map(\.kind) == [.password])
        #expect(found.user.id == first.user.id)
        #expect(try await test.realm.sessions.begin(inBrowser: first) == nil)
        let kept = try #require(await test.store.read { try $0.session(first.session.id) })
        #expect(kept.browserDigest != Data(begun.token.reveal().utf8))
    }

    @Test
    func `A cookie opens nothing where it is another's, a refresh token, garbage, or its session is over`() async throws
    {
        let test = try await TestRealm.make()
        let granted = try await signedIn(test)
        let begun = try await browser(test)
        let sessions = test.realm.sessions
        let id = begun.session.id.rawValue
        for text in [
            "", ".", id, "\(id).", "\(id).\(granted.refreshToken.reveal().suffix(43))", granted.refreshToken.reveal(),
            "\(granted.session.id.rawValue).\(begun.token.reveal().suffix(43))", begun.token.reveal() + "A",
            String(repeating: "a", count: 100_000), "\u{0}.\u{0}",
        ] {
            #expect(try await sessions.session(ofBrowser: Secret(text)) == nil, "\(text.prefix(99))")
        }
        #expect(try await sessions.session(ofBrowser: begun.token) != nil)
        #expect(try await sessions.end(begun.session.id, of: begun.user.id, by: test.client))
        #expect(try await sessions.session(ofBrowser: begun.token) == nil)
    }

    @Test(
        arguments: ["revoked", "disabled", "expired", "deleted"])
    func `A browser's session ends with a revocation of the user's tokens, when the user is disabled, and in time`(
        how: String
    ) async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.tokens.sessionDays = 2 }
        let begun = try await browser(test)
        var change = AccountChange()
        switch how {
        case "revoked": change.revokesTokensAt = test.now
        case "disabled": change.isDisabled = true
        case "expired": test.clock.advance(2 * 86_400)
        default: _ = try await test.realm.accounts.delete(begun.user.id, by: test.client)
        }
        if how == "revoked" || how == "disabled" {
            _ = try await test.realm.accounts.change(begun.user.id, change, by: test.client)
        }
        #expect(try await test.realm.sessions.session(ofBrowser: begun.token) == nil)
        #expect(
            try await open(on: begun.session, test).refusal == (how == "disabled" ? .userDisabled : .ended))
    }

    @Test
    func `A session is found by its id for its user alone`() async throws {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        let stranger = try await test.addUser(TestRealm.otherEmail)
        let sessions = test.realm.sessions
        #expect(try await sessions.session(begun.session.id, of: begun.user.id)?.id == begun.session.id)
        #expect(try await sessions.session(begun.session.id, of: stranger.id) == nil)
        #expect(try await sessions.session(SessionID(rawValue: "x"), of: begun.user.id) == nil)
        #expect(try await !sessions.end(begun.session.id, of: stranger.id, by: test.client))
        #expect(
            try await test.openGrant(on: begun.session.id, of: stranger.id, for: Self.application).refusal == .ended)
        #expect(try await sessions.session(begun.session.id, of: begun.user.id) != nil)
    }

    // MARK: Several grants

    @Test
    func `Applications get grants of one session, each with its own scopes, tokens and end`() async throws {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        let first = try #require(await open(on: begun.session, test).granted)
        let second = try #require(await open(on: begun.session, for: Self.other, scopes: ["api"], test).granted)
        #expect(first.session.id == begun.session.id && second.session.id == begun.session.id)
        #expect(first.grant.id != second.grant.id)
        #expect(first.evidence.scopes == ["openid"] && second.evidence.scopes == ["api"])
        #expect(first.evidence.proofs == begun.session.proofs)
        let listed = try await test.realm.grants.list(of: begun.user.id)
        #expect(Set(listed.map(\.id)) == [first.grant.id, second.grant.id])

        // Ending a grant leaves the session and the other grant.
        #expect(try await test.realm.grants.end(first.grant.id, of: begun.user.id, by: test.client))
        #expect(try await !test.realm.grants.end(first.grant.id, of: begun.user.id, by: test.client))
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
        #expect(try await test.realm.sessions.session(ofBrowser: begun.token) != nil)
        let next = try #require(await refresh(second.refreshToken, test).refreshed)
        #expect(try await test.events(.grantEnded).map(\.userID) == [begun.user.id])

        // Ending the session ends what is left.
        #expect(try await test.realm.sessions.end(begun.session.id, of: begun.user.id, by: test.client))
        #expect(try await !test.realm.sessions.end(begun.session.id, of: begun.user.id, by: test.client))
        #expect(try await refresh(next.refreshToken, test).refusal == .ended)
        #expect(try await open(on: begun.session, test).refusal == .ended)
        let kept = try await test.store.read { try $0.grants(of: begun.session.id, limit: 9) }
        #expect(kept.count == 2 && kept.allSatisfy { $0.revokedAt != nil })
        #expect(try await test.events(.sessionEnded).map(\.userID) == [begun.user.id])
    }

    @Test
    func `A grant is ended by its own user alone`() async throws {
        let test = try await TestRealm.make()
        let first = try await signedIn(test)
        let stranger = try await test.addUser(TestRealm.otherEmail)
        #expect(try await !test.realm.grants.end(first.grant.id, of: stranger.id, by: test.client))
        #expect(try await refresh(first.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A stolen refresh token ends its grant; the session and the grants of other applications go on`() async throws
    {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        let first = try #require(await open(on: begun.session, test).granted)
        let second = try #require(await open(on: begun.session, for: Self.other, test).granted)
        let next = try #require(await refresh(first.refreshToken, test).refreshed)
        test.clock.advance(60)
        #expect(try await refresh(first.refreshToken, test).refusal == .reused)
        #expect(try await refresh(next.refreshToken, test).refusal == .ended)
        #expect(try await refresh(second.refreshToken, test).refreshed != nil)
        #expect(try await test.realm.sessions.session(ofBrowser: begun.token) != nil)
        let living = try await test.living(
            begun.session.id, of: .application(Self.application, of: .identityToolkit), for: begun.user.id)
        #expect(living == nil)
        let others = try await test.living(
            begun.session.id, of: .application(Self.other, of: .identityToolkit), for: begun.user.id)
        #expect(others?.grant.id == second.grant.id)
    }

    @Test
    func `A grant lives no longer than its session`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.tokens.sessionDays = 2 }
        let begun = try await browser(test)
        test.clock.advance(86_400)
        let granted = try #require(await open(on: begun.session, test).granted)
        #expect(granted.grant.expiresAt == begun.session.expiresAt)
        test.clock.advance(86_400)
        #expect(try await refresh(granted.refreshToken, test).refusal == .ended)
        test.clock.advance(1)
        try await test.realm.maintenance.run()
        let left = try await test.store.read { transaction in
            try transaction.sessions(of: begun.user.id, limit: 9).count
                + transaction.grants(of: begun.user.id, limit: 9).count
        }
        #expect(left == 0)
    }

    @Test(arguments: TestStore.available)
    func `What a grant's tokens say stays as it was when its session is proven anew`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let begun = try await browser(test)
        let granted = try #require(await open(on: begun.session, test).granted)
        test.clock.advance(60)
        let raised = try #require(await test.realm.sessions.raise(begun.session, by: signedIn(test)))
        #expect(raised.session.proofs != begun.session.proofs)
        let next = try #require(await refresh(granted.refreshToken, test).refreshed)
        #expect(next.evidence.proofs == begun.session.proofs)
        #expect(try await test.realm.sessions.evidence(of: next.refreshToken, of: .testClient) == next.evidence)
        let later = try #require(await open(on: raised.session, test).granted)
        #expect(later.evidence.proofs == raised.session.proofs)
    }

    @Test
    func `A grant of before, which kept no proofs, says what its session was proven with before it is proven anew`()
        async throws
    {
        let test = try await TestRealm.make()
        let begun = try await browser(test)
        let token = RefreshToken(
            grant: GrantID(rawValue: KeyedSecret.freshName(random: test.random)), random: test.random)
        let (session, now) = (begun.session, test.now)
        #expect(
            try await test.store.write {
                try $0.insert(
                    Grant(
                        id: token.grantID, sessionID: session.id, userID: session.userID, clientID: Self.application,
                        dialect: .identityToolkit, createdAt: now, expiresAt: now + 1000,
                        refresh: RefreshTokenState(currentDigest: token.digest)))
            })
        test.clock.advance(60)
        let raised = try #require(await test.realm.sessions.raise(begun.session, by: signedIn(test)))
        #expect(raised.session.proofs != session.proofs)
        #expect(try await refresh(token.text, test).refreshed?.evidence.proofs == session.proofs)
    }

    // MARK: Second factors

    @Test
    func `A demand for a second factor is judged with the settings of the moment, by the trade and by a new grant`()
        async throws
    {
        let test = try await TestRealm.make()
        let granted = try await signedIn(test)
        let begun = try await browser(test)
        func refresh(_ demand: Sessions.SecondFactorDemand) async throws -> Sessions.RefreshOutcome {
            try await test.realm.sessions.refresh(
                granted.refreshToken, of: .testClient, secondFactor: demand, by: test.client)
        }
        #expect(try await refresh(.always).refusal == .secondFactorRequired)
        #expect(try await open(on: begun.session, demanding: .always, test).refusal == .secondFactorRequired)
        try await test.changeSettings { $0.secondFactors.state = .mandatory }
        #expect(try await refresh(.whereRequired).refusal == .secondFactorRequired)
        #expect(try await open(on: begun.session, test).refusal == .secondFactorRequired)
        // Nothing was used up.
        #expect(try await refresh(.none).refreshed != nil)
        #expect(try await open(on: begun.session, demanding: .none, test).granted != nil)
        try await test.changeSettings { $0.secondFactors.state = .enabled }
        var strict = test.client
        strict.requiresSecondFactor = true
        #expect(
            try await test.openGrant(on: begun.session.id, of: begun.user.id, for: Self.other, by: strict).refusal
                == .secondFactorRequired)
        #expect(try await open(on: begun.session, test).granted != nil)
    }

    // MARK: Listings

    @Test
    func `The dossier counts sessions that a browser holds or that have a grant which goes on`() async throws {
        let test = try await TestRealm.make()
        let first = try await signedIn(test)
        let begun = try await browser(test)
        func count() async throws -> Int? { try await test.realm.accounts.dossier(first.user.id)?.sessionCount }
        #expect(try await count() == 2)
        try await test.realm.sessions.revoke(first.refreshToken, of: .testClient)
        #expect(try await count() == 1)
        _ = try await test.realm.sessions.end(begun.session.id, of: begun.user.id, by: test.client)
        #expect(try await count() == 0)
        let listed = try await test.realm.sessions.list(of: first.user.id)
        #expect(listed.map { $0.grants.count }.sorted() == [0, 1])
        let data = try #require(await test.realm.accounts.personalData(first.user.id, by: test.client))
        #expect(data.sessions.flatMap(\.grants).map(\.clientID) == [test.client.clientID])
    }

    // MARK: Races

    @Test(arguments: TestStore.available)
    func `Whatever refreshes while its session ends, no token is good afterwards`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let first = try await signedIn(test)
        let outcomes = try await race(8, meetingBefore: 1) { number -> Secret<String>? in
            if number == 3 {
                _ = try await test.realm.sessions.end(first.session.id, of: first.user.id, by: test.client)
                return nil
            }
            return try await refresh(first.refreshToken, test).refreshed?.refreshToken
        }
        for token in outcomes.compactMap({ $0 }) + [first.refreshToken] {
            #expect(try await refresh(token, test).refusal == .ended)
        }
        #expect(try await test.realm.sessions.session(first.session.id, of: first.user.id) == nil)
    }

    @Test(
        arguments: TestStore.available)
    func `Whatever grants are opened while their session ends, none is good afterwards`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let begun = try await browser(test)
        var codes: [Secret<String>] = []
        for _ in 0..<8 {
            codes.append(
                try #require(await test.code(on: begun.session.id, of: begun.user.id, for: Self.application)))
        }
        let outcomes = try await race(8, meetingBefore: 1) { [codes] number -> SignedIn? in
            if number == 3 {
                _ = try await test.realm.sessions.end(begun.session.id, of: begun.user.id, by: test.client)
                return nil
            }
            return try await test.redeem(codes[number], for: Self.application).granted
        }
        for granted in outcomes.compactMap({ $0 }) {
            #expect(try await refresh(granted.refreshToken, test).refusal == .ended)
        }
        #expect(try await test.realm.sessions.session(ofBrowser: begun.token) == nil)
    }
}
