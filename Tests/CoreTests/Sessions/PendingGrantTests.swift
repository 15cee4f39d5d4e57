import CoreTestSupport
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

/// What a user has allowed and no application has fetched yet, after each way in which that is ended (docs/decisions/0469).
@Suite("What is allowed and not fetched yet")
struct PendingGrantTests {
    private static let address = "https://shop.example/callback"

    /// How a user's word waits to be fetched.
    enum Word: CaseIterable {
        case code, device, backchannel, browser
    }

    enum Ending: CaseIterable {
        case nothing
        case consentByUser, consentByAdministrator, applicationOfSession
        case session, otherSessions, everySession, signOut
        case removal, otherHands
        case disabled, password

        /// Whether it leaves a word as it is.
        func leaves(_ word: Word) -> Bool {
            switch (self, word) {
            case (.nothing, _): true
            // It is for no application.
            case (.consentByUser, .browser), (.consentByAdministrator, .browser), (.applicationOfSession, .browser),
                (.removal, .browser), (.otherHands, .browser):
                true
            // It began in no session.
            case (.session, .backchannel), (.signOut, .backchannel): true
            default: false
            }
        }
    }

    private struct Stage {
        let test: TestRealm
        let user: User
        let phone = TestDevice()
        let factor: FactorID
        /// Of the browser in which the user allows things.
        let own: OwnSession
        /// Of another browser of the user's.
        let other: OwnSession
        let session: SessionID
        let shop = ClientID(rawValue: "shop")
        let client: ClientContext

        static let registration: ApplicationRegistration = {
            var registration = ApplicationRegistration(
                redirectURIs: [PendingGrantTests.address], scopes: ["openid", "offline_access"])
            registration.oauth = OAuthRegistration(kind: .web)
            registration.oauth.grantTypes = [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
                "urn:openid:params:grant-type:ciba",
            ]
            return registration
        }()

        init(on store: TestStore = .sqlite) async throws {
            test = try await TestRealm.make(on: store)
            client = ClientContext(clientID: shop, dialect: .oauth, limitedSource: nil, source: "127.0.0.1")
            _ = try #require(await test.realm.applications.add(id: shop, Self.registration, by: client))
            user = try await test.addUser()
            factor = try await test.enrol(phone, of: user.id).factor.id
            own = try await test.session(of: user)
            other = try await test.session(of: user)
            session = try #require(own.session)
            // So that there is something to take back, and something for which the session goes on without its browser.
            let terms = GrantTerms(scopes: ["openid", "offline_access"])
            let opened = try await test.openGrant(on: session, of: user.id, terms: terms, for: shop, by: client)
            guard case .granted = opened else { throw TestFailure() }
        }

        /// What codes stand for.
        var approved: AuthorizationCode {
            var code = AuthorizationCode(
                client: shop.rawValue, redirectURI: PendingGrantTests.address, scopes: ["openid"], session: session)
            code.isOfBrowser = true
            return code
        }

        func redeem(_ code: Secret<String>) async throws -> Bool {
            let presented = AuthorizationCode.Presented(
                client: shop.rawValue, redirectURI: PendingGrantTests.address)
            return try await test.realm.authorizationCodes.redeem(code, presented: presented, by: client).granted
                != nil
        }

        /// Has the user allow something.
        /// - Returns: what fetches it, and says whether there was anything to get.
        func allow(_ word: Word) async throws -> () async throws -> Bool {
            let (realm, client) = (test.realm, client)
            let devices = realm.deviceAuthorizations
            switch word {
            case .code:
                let code = try #require(await realm.authorizationCodes.issue(approved, of: user.id))
                return { try await redeem(code) }
            case .device:
                let request = DeviceAuthorizations.Request(client: shop, scopes: ["openid"])
                guard case .begun(let begun) = try await devices.begin(request, by: client) else { throw TestFailure() }
                let decision = try await devices.decide(
                    true, FlowHandle(begun.userCode), session: session, of: user.id, by: client)
                #expect(decision == .done)
                let presented = DeviceAuthorizations.Presented(client: shop)
                return {
                    let redeemed = try await devices.redeem(begun.deviceCode, presented: presented, by: client)
                    if case .granted = redeemed { return true }
                    return false
                }
            case .backchannel:
                let backchannel = realm.backchannelAuthentications
                let request = BackchannelAuthentications.Request(.user(user.id), scopes: ["openid"])
                guard
                    case .begun(let handle) = try await backchannel.begin(request, audience: "https://api", by: client)
                else { throw TestFailure() }
                let asked = try await test.request(to: factor)
                let statement = Secret(try phone.answer(to: asked, at: test.now))
                let verdict = try await realm.authenticator.answer(
                    .signedDecision(statement, audiences: [TestDevice.audience], claims: TestRealm.decisionClaims),
                    to: .flow(asked.handle, .pushTransaction), by: client)
                #expect(verdict.decision?.isAllowed == true)
                return {
                    if case .granted = try await backchannel.redeem(handle.token, by: client) { return true }
                    return false
                }
            case .browser:
                let key = BrowserKey(random: test.random)
                guard case .begun(let begun)? = try await devices.begin(signInOf: key, by: client) else {
                    throw TestFailure()
                }
                let handle = FlowHandle(begun.deviceCode.reveal())
                guard case .waiting(let code, let number, _) = try await devices.standing(ofBrowser: handle, key)
                else { throw TestFailure() }
                let present = try #require(await realm.sessions.session(session, of: user.id))
                let decision = try await devices.decide(true, browser: code, number: number, in: present, by: client)
                #expect(decision == .done)
                return { try await devices.signIn(browser: handle, key, by: client) != nil }
            }
        }

        func end(by ending: Ending) async throws {
            let realm = test.realm
            switch ending {
            case .nothing: break
            case .consentByUser:
                #expect(try await realm.ownAccount.revokeApplication(shop, of: other, by: client).refusal == nil)
            case .consentByAdministrator: #expect(try await realm.consents.revoke(shop, of: user.id, by: client))
            case .applicationOfSession:
                #expect(try await realm.grants.endAll(of: session, to: shop, of: user.id, by: client).count == 1)
            case .session: #expect(try await realm.sessions.end(session, of: user.id, by: client))
            case .otherSessions:
                #expect(try await realm.ownAccount.endOtherSessions(of: other, by: client).refusal == nil)
            case .everySession: #expect(try await realm.sessions.endAll(of: user.id, by: client) == 2)
            case .signOut: #expect(try await realm.sessions.signOut(session, of: user.id, by: client))
            case .removal:
                #expect(try await realm.applications.remove(shop, by: client))
                #expect(try await realm.applications.add(id: shop, Self.registration, by: client) != nil)
            case .otherHands:
                _ = try await realm.applications.change(shop, by: client) {
                    $0.redirectURIs.append("https://operator.example/callback")
                }
            case .disabled:
                for isDisabled in [true, false] {
                    var change = AccountChange()
                    change.isDisabled = isDisabled
                    _ = try await realm.accounts.change(user.id, change, by: client)
                }
            case .password:
                var change = AccountChange()
                change.password = Secret("difference engine no. 2")
                _ = try await realm.accounts.change(user.id, change, by: client)
            }
        }
    }

    @Test(arguments: TestStore.available)
    func `What was allowed before it was ended is not fetched after it, whatever it is and however it is ended`(
        store: TestStore
    ) async throws {
        for ending in Ending.allCases {
            let stage = try await Stage(on: store)
            var waiting: [(Word, () async throws -> Bool)] = []
            for word in Word.allCases { waiting.append((word, try await stage.allow(word))) }
            stage.test.clock.advance(1)
            try await stage.end(by: ending)
            for (word, fetch) in waiting {
                #expect(try await fetch() == ending.leaves(word), "\(word) after \(ending)")
                #expect(try await !fetch(), "\(word) after \(ending), once more")
            }
        }
    }

    @Test
    func `What is allowed after an end is fetched, and a further end counts for it too`() async throws {
        let stage = try await Stage()
        // The clock stands still: it is not what decides.
        for _ in 0..<3 {
            let early = try #require(await stage.test.realm.authorizationCodes.issue(stage.approved, of: stage.user.id))
            let late = try #require(await stage.test.realm.authorizationCodes.issue(stage.approved, of: stage.user.id))
            #expect(try await stage.redeem(early))
            #expect(try await stage.test.realm.consents.revoke(stage.shop, of: stage.user.id, by: stage.client))
            #expect(try await !stage.redeem(late))
        }
        // What another application was allowed is another matter.
        var code = stage.approved
        code.client = "bank"
        let other = try #require(await stage.test.realm.authorizationCodes.issue(code, of: stage.user.id))
        _ = try await stage.test.realm.consents.revoke(stage.shop, of: stage.user.id, by: stage.client)
        let presented = AuthorizationCode.Presented(client: "bank", redirectURI: Self.address)
        let redeemed = try await stage.test.realm.authorizationCodes.redeem(
            other, presented: presented, by: stage.test.client)
        #expect(redeemed.granted != nil)
    }

    @Test(arguments: TestStore.available)
    func `Of codes that are redeemed while a consent is taken back none leaves a grant`(store: TestStore) async throws {
        let stage = try await Stage(on: store)
        var codes: [Secret<String>] = []
        for _ in 0..<12 {
            codes.append(
                try #require(await stage.test.realm.authorizationCodes.issue(stage.approved, of: stage.user.id)))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, code) in codes.enumerated() {
                group.addTask { _ = try await stage.redeem(code) }
                if number == 5 {
                    group.addTask {
                        let (consents, user) = (stage.test.realm.consents, stage.user.id)
                        let isTakenBack = try await consents.revoke(stage.shop, of: user, by: stage.client)
                        #expect(isTakenBack)
                    }
                }
            }
            try await group.waitForAll()
        }
        let grants = try await stage.test.store.read {
            try $0.grants(of: stage.user.id, to: stage.shop, ListRange(limit: 100))
        }
        #expect(grants.allSatisfy { $0.revokedAt != nil })
    }

    /// Anyone can send them, and each is a row.
    @Test(arguments: TestStore.available)
    func `Requests of browsers without a session are kept for hours, and count for their source by their size`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let shop = ClientID(rawValue: "shop")
        _ = try #require(await test.realm.applications.add(id: shop, Stage.registration, by: test.client))
        let (authorizations, key) = (test.realm.authorizations, BrowserKey(random: test.random))
        var request = AuthorizationRequest(client: shop, redirectURI: Self.address)
        let stranger = test.client(from: "192.0.2.1")
        func begin(isSignedIn: Bool = false) async throws -> FlowHandle? {
            let begun = try await authorizations.begin(request, in: key, isSignedIn: isSignedIn, by: stranger)
            if case .begun(let handle) = begun { return handle }
            return nil
        }
        let waiting = try #require(await begin())
        let signedIn = try #require(await begin(isSignedIn: true))
        test.clock.advance(7199)
        #expect(try await authorizations.pending(waiting, in: key) != nil)
        test.clock.advance(1)
        #expect(try await authorizations.pending(waiting, in: key) == nil)
        #expect(try await authorizations.pending(signedIn, in: key) != nil)
        #expect(try await authorizations.application(of: waiting)?.id == shop, "It still leads back.")
        test.clock.advance(3601)
        _ = try await test.realm.maintenance.run()
        #expect(try await authorizations.application(of: waiting) == nil)
        #expect(try await authorizations.pending(signedIn, in: key) != nil)
        // One of 16 KiB counts as nine, and one that is refused as none.
        request.loginHint = String(repeating: "a", count: 17_000)
        for number in 0..<66 { #expect(try await begin() != nil, "\(number)") }
        #expect(try await begin() == nil)
        request.loginHint = nil
        for number in 0..<6 { #expect(try await begin() != nil, "\(number)") }
        #expect(try await begin() == nil)
    }

    @Test(arguments: [[], [AuthorizationRequest.Prompt.consent]] as [Set<AuthorizationRequest.Prompt>])
    func `A page that waits asks once more where the consent that was given on it was taken back`(
        prompts: Set<AuthorizationRequest.Prompt>
    ) async throws {
        let stage = try await Stage()
        let (authorizations, key) = (stage.test.realm.authorizations, BrowserKey(random: stage.test.random))
        var request = AuthorizationRequest(client: stage.shop, redirectURI: Self.address)
        request.scopes = ["openid"]
        request.prompts = prompts
        guard case .begun(let handle) = try await authorizations.begin(request, in: key, by: stage.client) else {
            throw TestFailure()
        }
        func standing() async throws -> AuthorizationStanding {
            let pending = try #require(await authorizations.pending(handle, in: key))
            let session = try await stage.test.realm.sessions.session(stage.session, of: stage.user.id)
            return try await authorizations.standing(of: pending, session: session)
        }
        func isAsked() async throws -> Bool {
            if case .consent = try await standing() { return true }
            return false
        }
        for _ in 0..<2 {
            #expect(try await isAsked())
            #expect(
                try await authorizations.answer(
                    .allow, to: handle, in: key, session: stage.session, by: stage.client))
            #expect(try await standing() == .ready)
            #expect(try await stage.test.realm.consents.revoke(stage.shop, of: stage.user.id, by: stage.client))
        }
        let application = try #require(await stage.test.realm.applications.application(stage.shop))
        let outcome = try await authorizations.finish(
            request, application: application, handle: handle, in: key, session: stage.session, by: stage.client)
        guard case .missing(.consent) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test
    func `What a server of an earlier version noted nothing of is judged by when it was allowed`() async throws {
        let stage = try await Stage()
        let (user, shop, test) = (stage.user.id, stage.shop, stage.test)
        func stands(since instant: Date, to client: ClientID) async throws -> Bool {
            try await test.store.read { try $0.stands(nil, of: user, to: client, since: instant) }
        }
        let before = test.now
        #expect(try await stands(since: before, to: shop))
        #expect(try await !stands(since: before - 1, to: shop), "There was no such application.")
        test.clock.advance(1)
        #expect(try await test.realm.consents.revoke(shop, of: user, by: stage.client))
        #expect(try await !stands(since: before, to: shop))
        #expect(try await !stands(since: test.now, to: shop))
        #expect(try await stands(since: test.now + 1, to: shop))
        #expect(try await stands(since: before, to: ClientID(rawValue: "bank")))
        let least = try JSONDecoder().decode(GrantBasis.self, from: Data(#"{"future":1}"#.utf8))
        #expect(least == GrantBasis(registration: nil, withdrawal: nil))
    }

    @Test
    func `The note of an end goes when nothing can wait any more that it is about`() async throws {
        let stage = try await Stage()
        let digest = Withdrawal.digest(of: stage.user.id, from: stage.shop)
        func note() async throws -> FlowRecord? { try await stage.test.store.read { try $0.flow(digest: digest) } }
        #expect(try await stage.test.realm.consents.revoke(stage.shop, of: stage.user.id, by: stage.client))
        #expect(try await note()?.purpose == Withdrawal.purpose)
        stage.test.clock.advance(AuthorizationRequests.lifetime)
        _ = try await stage.test.realm.maintenance.run()
        #expect(try await note() != nil)
        stage.test.clock.advance(Withdrawal.lifetime + 1)
        _ = try await stage.test.realm.maintenance.run()
        #expect(try await note() == nil)
    }
}
