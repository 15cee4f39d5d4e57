import Crypto
import Foundation
import JWTKit
import Testing

@testable import CountersignCore

/// Each expectation against each token that is not what it names.
@Suite("Tokens are judged in the core")
struct TokenVerificationTests {
    private static let issuer = "https://issuer.example/"
    private static let audience = "https://api.example"

    /// A realm in which Ada is signed in.
    private struct Stage {
        let test: TestRealm
        let signedIn: SignedIn

        static func make(mode: RealmMode = .production) async throws -> Stage {
            let test = try await TestRealm.make(mode: mode)
            try await test.realm.keyring.prepare()
            try await test.addUser()
            return Stage(test: test, signedIn: try #require(await test.signIn().signedIn))
        }

        var expectation: TokenExpectation {
            TokenExpectation(
                types: [.accessToken], issuers: .oneOf([TokenVerificationTests.issuer]),
                audiences: .oneOf([TokenVerificationTests.audience]),
                subject: .user { $0.string("sub").map(UserID.init(rawValue:)) }, session: { _ in .testClient },
                claims: ["color": "blue"])
        }

        /// What a good token says.
        var draft: TokenDraft {
            TokenDraft(
                type: .accessToken, issuer: TokenVerificationTests.issuer, audience: TokenVerificationTests.audience,
                subject: signedIn.user.id.rawValue, issuedAt: test.now, lifetime: 3600, parts: [.session, .epoch],
                signedIn: signedIn, spelling: ["color": "blue"])
        }

        /// The good token with other claims; a nil leaves one out.
        func token(
            _ changes: [String: JSONValue?] = [:], _ algorithm: SigningAlgorithm = .es256, typ: String? = "at+jwt"
        ) async throws -> String {
            var claims = draft.claims(random: test.random, proofs: .standard)
            for (name, value) in changes { claims.members[name] = value }
            return try await test.realm.keyring.sign(claims, with: algorithm, typ: typ)
        }

        func judge(_ token: String, _ expectation: TokenExpectation? = nil) async throws -> TokenRefusal? {
            switch try await test.realm.tokens.verify(token, expecting: expectation ?? self.expectation) {
            case .good: nil
            case .refused(let refusal): refusal
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let changes: @Sendable (Date) -> [String: JSONValue?]
        let refusal: TokenRefusal?
        var testDescription: String { name }

        init(
            _ name: String, _ refusal: TokenRefusal?, _ changes: @escaping @Sendable (Date) -> [String: JSONValue?]
        ) {
            self.name = name
            self.refusal = refusal
            self.changes = changes
        }
    }

    static let cases = [
        Case("the token itself", nil) { _ in [:] },
        Case("another issuer", .wrongIssuer) { _ in ["iss": "https://other.example/"] },
        Case("an issuer that begins alike", .wrongIssuer) { _ in ["iss": .string(issuer + "x")] },
        Case("no issuer", .wrongIssuer) { _ in ["iss": nil] },
        Case("a list of issuers", .wrongIssuer) { _ in ["iss": .array([.string(issuer)])] },
        Case("another audience", .wrongAudience) { _ in ["aud": "https://other.example"] },
        Case("no audience", .wrongAudience) { _ in ["aud": nil] },
        Case("a list of audiences", .wrongAudience) { _ in ["aud": .array([.string(audience)])] },
        Case("another value of a claim", .incomplete) { _ in ["color": "red"] },
        Case("a claim of another type", .incomplete) { _ in ["color": .bool(true)] },
        Case("without the claim", .incomplete) { _ in ["color": nil] },
        Case("expired in this second", .expired) { ["exp": .integer($0.seconds)] },
        Case("good for one second more", nil) { ["exp": .integer($0.seconds + 1)] },
        Case("expired long ago", .expired) { _ in ["exp": .integer(.min)] },
        Case("without exp", .incomplete) { _ in ["exp": nil] },
        Case("exp as text", .malformed) { _ in ["exp": "2099"] },
        Case("exp of no calendar", .malformed) { _ in ["exp": .number(1e300)] },
        Case("from the future beyond the leeway", .fromTheFuture) { ["iat": .integer($0.seconds + 301)] },
        Case("from the future within the leeway", nil) { ["iat": .integer($0.seconds + 300)] },
        Case("not yet", .fromTheFuture) { ["nbf": .integer($0.seconds + 301)] },
        Case("nbf within the leeway", nil) { ["nbf": .integer($0.seconds + 300)] },
        Case("nbf as text", .malformed) { _ in ["nbf": "now"] },
        Case("without iat", .incomplete) { _ in ["iat": nil] },
        Case("iat as text", .malformed) { _ in ["iat": "now"] },
        Case("another epoch's", .revoked) { _ in ["countersign_epoch": .integer(-1)] },
        Case("epoch as text", .malformed) { _ in ["countersign_epoch": "0"] },
        Case("nobody's", .userNotFound) { _ in ["sub": "nobody"] },
        Case("without subject", .incomplete) { _ in ["sub": nil] },
        Case("a subject that is no text", .incomplete) { _ in ["sub": .integer(7)] },
        Case("of no session", .incomplete) { _ in ["sid": nil] },
        Case("of an unknown session", .sessionEnded) { _ in ["sid": "unknown"] },
        // Both expired and of an unknown user: one reason, always the same.
        Case("nobody's and expired", .userNotFound) { ["sub": "nobody", "exp": .integer($0.seconds)] },
        Case("expired and from the future", .expired) {
            ["exp": .integer($0.seconds), "iat": .integer($0.seconds + 999)]
        },
    ]

    @Test(arguments: cases)
    func `A token is refused for the one thing that is not as expected`(_ item: Case) async throws {
        let stage = try await Stage.make()
        for algorithm in SigningAlgorithm.allCases {
            let token = try await stage.token(item.changes(stage.test.now), algorithm)
            #expect(try await stage.judge(token) == item.refusal)
        }
    }

    @Test
    func `A good token brings its user and its session as they are now`() async throws {
        let stage = try await Stage.make()
        let judgement = try await stage.test.realm.tokens.verify(stage.token(), expecting: stage.expectation)
        let token = try #require(judgement.token)
        #expect(token.user?.id == stage.signedIn.user.id)
        #expect(token.session?.session.id == stage.signedIn.session.id)
        #expect(token.expiresAt == Date(timeIntervalSince1970: Double(stage.test.now.seconds + 3600)))
        #expect(token.claims["color"] == "blue")
    }

    @Test
    func `A session that another claim names has to go on`() async throws {
        let stage = try await Stage.make()
        var expectation = stage.expectation
        expectation.sessionClaim = "session"
        let id = JSONValue.string(stage.signedIn.session.id.rawValue)
        func judge(_ session: JSONValue?) async throws -> TokenRefusal? {
            try await stage.judge(stage.token(["sid": "the developer's", "session": session]), expectation)
        }
        #expect(try await judge(id) == nil)
        #expect(try await judge("unknown") == .sessionEnded)
        #expect(try await judge(nil) == .incomplete)
        expectation.admitsNoSession = true
        #expect(try await judge(nil) == nil)
        #expect(try await judge("unknown") == .sessionEnded)
        #expect(try await judge(.integer(7)) == .incomplete)
        #expect(try await stage.test.realm.sessions.endAll(of: stage.signedIn.user.id, by: .commandLine) == 1)
        #expect(try await judge(id) == .sessionEnded)
        #expect(try await judge(nil) == nil)
    }

    @Test
    func `An expectation that names no type, no issuer or no audience admits nothing`() async throws {
        let stage = try await Stage.make()
        let token = try await stage.token()
        #expect(try await stage.judge(token) == nil)
        #expect(try await stage.judge(token, TokenExpectation()) == .wrongType)
        var expectation = stage.expectation
        expectation.types = []
        #expect(try await stage.judge(token, expectation) == .wrongType)
        expectation = stage.expectation
        expectation.issuers = .oneOf([])
        #expect(try await stage.judge(token, expectation) == .wrongIssuer)
        expectation = stage.expectation
        expectation.audiences = .oneOf([])
        #expect(try await stage.judge(token, expectation) == .wrongAudience)
        expectation = stage.expectation
        expectation.algorithms = []
        #expect(try await stage.judge(token, expectation) == .wrongAlgorithm)
        expectation.algorithms = [.rs256]
        #expect(try await stage.judge(token, expectation) == .wrongAlgorithm)
        #expect(try await stage.judge(stage.token([:], .rs256), expectation) == nil)
    }

    static let types: [(typ: String?, isGood: Bool)] = [
        ("at+jwt", true), ("AT+JWT", true), ("application/at+jwt", true), ("JWT", false), (nil, false), ("", false),
        ("at", false), ("jwt+at", false), ("client-authentication+jwt", false),
    ]

    @Test(arguments: types)
    func `The type in the header decides, without regard to case or to the media type's first part`(
        _ item: (typ: String?, isGood: Bool)
    ) async throws {
        let stage = try await Stage.make()
        let refusal = try await stage.judge(stage.token(typ: item.typ))
        #expect(refusal == (item.isGood ? nil : .wrongType))
    }

    @Test
    func `What no key of this server signed is no token, whatever its header says`() async throws {
        let stage = try await Stage.make(mode: .development)
        let token = try await stage.token()
        let parts = token.split(separator: ".").map(String.init)
        let header = try JSONDecoder().decode([String: JSONValue].self, from: Data([UInt8](base64URL: parts[0]) ?? []))
        let kid = try #require(header["kid"])
        func forged(_ header: JSONValue, _ signature: String? = nil) throws -> String {
            "\(try header.jsonText().base64URL).\(parts[1]).\(signature ?? parts[2])"
        }
        var tokens: [String: String] = [
            "none": try forged(.object(["alg": "none", "typ": "at+jwt"]), ""),
            "None": try forged(.object(["alg": "None", "kid": kid, "typ": "at+jwt"]), ""),
            "unknown kid": try forged(.object(["alg": "ES256", "kid": "x", "typ": "at+jwt"])),
            "no kid": try forged(.object(["alg": "ES256", "typ": "at+jwt"])),
            "crit": try forged(.object(["alg": "ES256", "kid": kid, "typ": "at+jwt", "crit": .array(["exp"])])),
            "another algorithm": try forged(.object(["alg": "RS256", "kid": kid, "typ": "at+jwt"])),
            "typ of another type": try forged(.object(["alg": "ES256", "kid": kid, "typ": .integer(7)])),
            "altered": "\(parts[0]).\(try JSONValue.object(["sub": "eve"]).jsonText().base64URL).\(parts[2])",
            "no signature": "\(parts[0]).\(parts[1]).", "two parts": "\(parts[0]).\(parts[1])", "nothing": "",
        ]
        for (index, secret) in [try await stage.test.realm.keyring.jwks(), Data()].enumerated() {
            let head = try JSONValue.object(["alg": "HS256", "kid": kid, "typ": "at+jwt"]).jsonText().base64URL
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(head).\(parts[1])".utf8), using: SymmetricKey(data: secret))
            tokens["HS256 with what is public \(index)"] = "\(head).\(parts[1]).\(Array(code).base64URL)"
        }
        for (name, token) in tokens { #expect(try await stage.judge(token) == .malformed, "\(name)") }
        #expect(try await stage.judge(token) == nil)
    }

    @Test
    func `A token without signature counts where both the expectation and the realm's mode say so`() async throws {
        for (mode, admits) in [
            (RealmMode.production, false), (.production, true), (.development, false), (.development, true),
        ] {
            let stage = try await Stage.make(mode: mode)
            var expectation = stage.expectation
            expectation.admitsUnsigned = admits
            let claims = stage.draft.claims(random: stage.test.random, proofs: .standard)
            let token = try await stage.test.realm.keyring.unsignedToken(claims, typ: "at+jwt")
            let isGood = mode.usesUnsignedTokens && admits
            #expect(try await stage.judge(token, expectation) == (isGood ? nil : .malformed))
            // The rest of the rules hold for it too.
            expectation.audiences = .oneOf(["other"])
            #expect(try await stage.judge(token, expectation) == (isGood ? .wrongAudience : .malformed))
        }
    }

    @Test
    func `A token ends with its session, its user's tokens and its user; where no session is asked for, not with that`()
        async throws
    {
        let stage = try await Stage.make()
        let token = try await stage.token()
        var without = stage.expectation
        without.session = nil
        var other = stage.expectation
        other.session = { _ in .dialect(.guardian) }
        #expect(try await stage.judge(token, other) == .sessionEnded)
        try await stage.test.realm.sessions.revoke(stage.signedIn.refreshToken, of: .testClient)
        #expect(try await stage.judge(token) == .sessionEnded)
        #expect(try await stage.judge(token, without) == nil)

        var change = AccountChange()
        change.isDisabled = true
        let id = stage.signedIn.user.id
        _ = try await stage.test.realm.accounts.change(id, change, by: stage.test.client)
        #expect(try await stage.judge(token, without) == .userDisabled)
        change = AccountChange()
        change.revokesTokensAt = stage.test.now
        _ = try await stage.test.realm.accounts.change(id, change, by: stage.test.client)
        #expect(try await stage.judge(token, without) == .revoked)
        _ = try await stage.test.realm.accounts.delete(id, by: stage.test.client)
        #expect(try await stage.judge(token, without) == .userNotFound)
    }

    @Test
    func `What only names an attempt counts after its time, and nothing else of it is forgiven`() async throws {
        let stage = try await Stage.make()
        var expectation = stage.expectation
        expectation.admitsExpired = true
        let token = try await stage.token(["exp": .integer(stage.test.now.seconds - 9)])
        #expect(try await stage.judge(token) == .expired)
        #expect(try await stage.judge(token, expectation) == nil)
        #expect(try await stage.judge(stage.token(["exp": nil]), expectation) == .incomplete)
    }
}
