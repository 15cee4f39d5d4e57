import Foundation
import Testing

@testable import CountersignCore

/// Authorization codes that make grants of sessions (RFC 6749, section 4.1).
@Suite("Codes of sessions")
struct CodeRedemptionTests {
    private static let address = "https://app.example.org/callback"
    /// RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = PKCEChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: .s256)

    private struct Stage {
        let test: TestRealm
        let session: Session
        let code: Secret<String>

        init(
            on store: TestStore = .sqlite, _ change: (inout AuthorizationCode) -> Void = { _ in }
        ) async throws {
            test = try await TestRealm.make(on: store)
            try await test.addUser()
            let signedIn = try #require(await test.signIn().signedIn)
            session = try #require(await test.realm.sessions.begin(inBrowser: signedIn)).session
            var code = AuthorizationCode(
                client: "app", redirectURI: CodeRedemptionTests.address, challenge: CodeRedemptionTests.challenge,
                nonce: "n", scopes: ["openid"], details: ["a": .integer(1)], audiences: ["https://api"],
                session: session.id)
            change(&code)
            self.code = try #require(await test.realm.authorizationCodes.issue(code, of: session.userID))
        }

        func redeem(
            _ change: (inout AuthorizationCode.Presented) -> Void = { _ in }, code: Secret<String>? = nil,
            secondFactor demand: Sessions.SecondFactorDemand = .whereRequired
        ) async throws -> AuthorizationCodes.Redemption {
            var presented = AuthorizationCode.Presented(
                client: "app", redirectURI: CodeRedemptionTests.address, verifier: CodeRedemptionTests.verifier)
            change(&presented)
            return try await test.realm.authorizationCodes.redeem(
                code ?? self.code, presented: presented, secondFactor: demand, by: test.client)
        }

        func refresh(_ signedIn: SignedIn) async throws -> Sessions.RefreshOutcome {
            try await test.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: test.client)
        }
    }

    @Test
    func `A code makes a grant of its session, with all that was approved`() async throws {
        let stage = try await Stage()
        guard case .granted(let signedIn, let code) = try await stage.redeem() else { throw TestFailure() }
        #expect(signedIn.session.id == stage.session.id)
        #expect(signedIn.grant.clientID == stage.test.client.clientID)
        #expect(
            signedIn.grant.terms
                == GrantTerms(scopes: ["openid"], details: ["a": .integer(1)], audiences: ["https://api"]))
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password])
        #expect(code.nonce == "n")
        #expect(try await stage.refresh(signedIn).refreshed != nil)
    }

    @Test
    func `A code that comes again is refused, and the grant that it made is over`() async throws {
        let stage = try await Stage()
        let signedIn = try #require(await stage.redeem().granted)
        // Without what the client alone knows, it says nothing about the client's code.
        #expect(try await stage.redeem({ $0.verifier = nil }).refusal == .unknown)
        let next = try #require(await stage.refresh(signedIn).refreshed)
        #expect(try await stage.redeem().refusal == .reused)
        #expect(try await stage.refresh(next).refusal == .ended)
        #expect(try await stage.redeem().refusal == .reused)
        #expect(try await stage.test.events(.authorizationCodeReused).map(\.userID) == [signedIn.user.id])
        // The session goes on.
        #expect(try await stage.test.realm.sessions.session(stage.session.id, of: signedIn.user.id) != nil)
    }

    @Test
    func `A code of a minute ago is as unknown as one that never was, and is removed`() async throws {
        let stage = try await Stage()
        stage.test.clock.advance(60)
        #expect(try await stage.redeem().refusal == .unknown)
        #expect(try await stage.redeem(code: Secret(String(repeating: "a", count: 43))).refusal == .unknown)
        #expect(try await stage.redeem(code: Secret(String(repeating: "a", count: 100_000))).refusal == .unknown)
        stage.test.clock.advance(0.001)
        #expect(try await stage.test.realm.maintenance.run() == 1)
    }

    private static let wrong: [(String, @Sendable (inout AuthorizationCode.Presented) -> Void)] = [
        ("another client", { $0.client = "other" }),
        ("another address", { $0.redirectURI = address + "/" }),
        ("no verifier", { $0.verifier = nil }),
        ("another verifier", { $0.verifier = String(repeating: "a", count: 43) }),
        ("the challenge as verifier", { $0.verifier = challenge.value }),
        ("no address", { $0.redirectURI = nil }),
    ]

    @Test(arguments: wrong.indices)
    func `A code is refused without what belongs to it, and is used up by trying`(_ place: Int) async throws {
        let (name, change) = Self.wrong[place]
        let stage = try await Stage()
        #expect(try await stage.redeem(change).refusal == .unknown, "\(name)")
        #expect(try await stage.redeem().refusal == .reused, "\(name)")
    }

    @Test
    func `A code without challenge takes no verifier`() async throws {
        #expect(try await Stage { $0.challenge = nil }.redeem().refusal == .unknown)
        #expect(try await Stage { $0.challenge = nil }.redeem({ $0.verifier = nil }).granted != nil)
    }

    @Test
    func `A code that is bound to a key is refused without a proof of that key`() async throws {
        #expect(try await Stage { $0.keyThumbprint = "jkt" }.redeem().refusal == .unknown)
        #expect(try await Stage { $0.keyThumbprint = "jkt" }.redeem({ $0.keyThumbprint = "other" }).refusal == .unknown)
        #expect(try await Stage { $0.keyThumbprint = "jkt" }.redeem({ $0.keyThumbprint = "jkt" }).granted != nil)
        // The client may prove a key of its own accord; its tokens are bound to it.
        #expect(try await Stage().redeem({ $0.keyThumbprint = "jkt" }).granted != nil)
    }

    @Test
    func
        `A code is worth nothing after its session, while the user is disabled, or without a factor that is asked for`()
        async throws
    {
        let stage = try await Stage()
        let (realm, user) = (stage.test.realm, stage.session.userID)
        #expect(try await stage.redeem(secondFactor: .always).refusal == .secondFactorRequired)
        var change = AccountChange()
        change.isDisabled = true
        _ = try await realm.accounts.change(user, change, by: stage.test.client)
        #expect(try await stage.redeem().refusal == .userDisabled)
        change.isDisabled = false
        _ = try await realm.accounts.change(user, change, by: stage.test.client)
        #expect(try await stage.redeem().refusal == .ended, "The session does not come back.")
        let other = try await Stage()
        #expect(
            try await other.test.realm.sessions.end(
                other.session.id, of: other.session.userID, by: other.test.client))
        #expect(try await other.redeem().refusal == .ended)
        let late = AuthorizationCode(client: "app", redirectURI: Self.address, session: stage.session.id)
        #expect(try await realm.authorizationCodes.issue(late, of: user) == nil)
    }

    @Test
    func `A code is issued on a session of the user's own alone`() async throws {
        let stage = try await Stage()
        let stranger = try await stage.test.addUser(TestRealm.otherEmail)
        for session in [stage.session.id, SessionID(rawValue: "x"), nil] {
            let code = AuthorizationCode(client: "app", redirectURI: Self.address, session: session)
            #expect(try await stage.test.realm.authorizationCodes.issue(code, of: stranger.id) == nil)
        }
    }

    @Test
    func `A code and what it stands for are not kept in the clear, and go with their user`() async throws {
        let stage = try await Stage()
        let digest = AuthorizationCodeDraft.digest(of: stage.code)
        func kept() async throws -> AuthorizationCodeRecord? {
            try await stage.test.store.read { try $0.authorizationCode(digest: digest) }
        }
        let record = try #require(await kept())
        #expect(record.digest != Data(stage.code.reveal().utf8))
        #expect(record.body.range(of: Data("callback".utf8)) == nil)
        #expect(try await stage.test.realm.accounts.delete(stage.session.userID, by: stage.test.client))
        #expect(try await kept() == nil)
    }

    @Test(arguments: TestStore.available)
    func `Of twenty redemptions at once one makes a grant, and the others end it`(store: TestStore) async throws {
        let stage = try await Stage(on: store)
        let outcomes = try await race(20, meetingBefore: 1) { _ in try await stage.redeem() }
        let granted = outcomes.compactMap(\.granted)
        #expect(granted.count == 1)
        #expect(outcomes.count { $0.refusal == .reused } == 19)
        let grants = try await stage.test.store.read { try $0.grants(of: stage.session.id, limit: 99) }
        #expect(grants.map(\.id) == granted.map(\.grant.id))
        let made = try #require(granted.first)
        #expect(try await stage.refresh(made).refusal == .ended)
    }

    // MARK: Proof keys

    @Test
    func `A challenge is matched by the verifier that it was made of`() {
        #expect(Self.challenge.matches(Self.verifier))
        #expect(!Self.challenge.matches(Self.verifier + "a"))
        #expect(!PKCEChallenge(Self.challenge.value, method: .plain).matches(Self.verifier))
        let plain = String(repeating: "~", count: 43)
        #expect(PKCEChallenge(plain, method: .plain).matches(plain))
        for text in ["", "short", String(repeating: "a", count: 129), String(repeating: "é", count: 43)] {
            #expect(!PKCEChallenge(text, method: .plain).matches(text), "\(text.prefix(9))")
        }
    }

    @Test
    func `What a code stands for is read without the members that came later`() throws {
        let least = try JSONDecoder().decode(
            AuthorizationCode.self, from: Data(#"{"client":"c","redirectURI":"r","future":1}"#.utf8))
        #expect(least == AuthorizationCode(client: "c", redirectURI: "r"))
        let full = AuthorizationCode(
            client: "c", redirectURI: "r", challenge: Self.challenge, nonce: "n", scopes: ["s"],
            details: ["d": .bool(true)], audiences: ["a"], keyThumbprint: "k", session: SessionID(rawValue: "s"))
        #expect(try JSONDecoder().decode(AuthorizationCode.self, from: JSONEncoder().encode(full)) == full)
    }
}

extension AuthorizationCodes.Redemption {
    var granted: SignedIn? { if case .granted(let signedIn, _) = self { signedIn } else { nil } }
    var refusal: AuthorizationCodes.Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
