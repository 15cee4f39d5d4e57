import ClientHTTP
import Crypto
import Foundation
import JSON
import SignedTokens
import Testing

@testable import CountersignClient

/// What the client believes of a server, by table.
@Suite("What the client believes")
struct JudgementTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let issuer = "https://auth.example.org"

    private static let document: [String: JSONValue] = [
        "issuer": .string(issuer), "authorization_endpoint": "https://auth.example.org/authorize",
        "token_endpoint": "https://auth.example.org/oauth/token", "jwks_uri": "https://auth.example.org/keys",
        "code_challenge_methods_supported": .array(["S256"]),
        "authorization_response_iss_parameter_supported": .bool(true),
    ]

    private static func metadata(_ changes: [String: JSONValue?] = [:]) throws -> ServerMetadata {
        var document = document
        for (name, value) in changes { document[name] = value }
        return try ServerMetadata(.object(document), of: issuer)
    }

    private static func code(of error: any Error) -> ClientFailure.Code? { (error as? ClientFailure)?.code }

    // MARK: Metadata

    @Test
    func `Metadata of another issuer, with plain addresses, or without PKCE are not taken`() throws {
        #expect(try Self.metadata().namesIssuer)
        let wrong: [([String: JSONValue?], ClientFailure.Code)] = [
            (["issuer": .string(Self.issuer + "/")], .untrusted), (["issuer": JSONValue?.none], .untrusted),
            (["token_endpoint": "http://auth.example.org/token"], .untrusted),
            (["jwks_uri": "http://auth.example.org/keys"], .untrusted),
            (["revocation_endpoint": "ftp://auth.example.org/revoke"], .untrusted),
            (["authorization_endpoint": JSONValue?.none], .unsupported),
            (["code_challenge_methods_supported": .array(["plain"])], .unsupported),
        ]
        for (changes, code) in wrong {
            #expect("\(changes)") { try Self.metadata(changes) } throws: { Self.code(of: $0) == code }
        }
        #expect(try Self.metadata(["token_endpoint": "http://127.0.0.1:8080/token"]).tokenEndpoint.port == 8080)
    }

    // MARK: ID tokens

    private func judge(
        _ changes: [String: JSONValue?] = [:], type: String? = "JWT", maxAge: Int? = nil, user: SignedInUser? = nil
    ) throws -> SignedInUser {
        var claims: [String: JSONValue] = [
            "iss": .string(Self.issuer), "aud": "notes", "sub": "ada", "exp": .integer(1_790_000_600),
            "iat": .integer(1_790_000_000), "nonce": "n", "auth_time": .integer(1_789_999_900),
            "at_hash": .string(Array(SHA256.hash(data: Data("token".utf8)).prefix(16)).base64URL),
        ]
        for (name, value) in changes { claims[name] = value }
        let judge = IdentityTokenJudge(
            metadata: try Self.metadata(), clientID: "notes", surroundings: Surroundings(now: { Self.now }))
        return try judge.judge(
            TokenClaims(claims), type: type,
            .init(nonce: user == nil ? "n" : nil, accessToken: "token", maxAge: maxAge, user: user))
    }

    private static let wrong: [(String, [String: JSONValue?])] = [
        ("another issuer", ["iss": "https://auth.example.com"]), ("no issuer", ["iss": JSONValue?.none]),
        ("another application", ["aud": "shop"]), ("no audience", ["aud": JSONValue?.none]),
        ("several audiences, and whose it is not said", ["aud": .array(["notes", "shop"])]),
        ("several audiences, and another's", ["aud": .array(["notes", "shop"]), "azp": "shop"]),
        ("another party", ["azp": "shop"]), ("expired", ["exp": .integer(1_789_999_940)]),
        ("no end", ["exp": JSONValue?.none]), ("from the future", ["iat": .integer(1_790_000_061)]),
        ("no beginning", ["iat": JSONValue?.none]), ("another nonce", ["nonce": "m"]),
        ("no nonce", ["nonce": JSONValue?.none]), ("no user", ["sub": JSONValue?.none]),
        ("a user without name", ["sub": ""]),
        ("a user who is a number", ["sub": .integer(1)]), ("another access token", ["at_hash": "abc"]),
    ]

    @Test(arguments: wrong.indices)
    func `An ID token with one wrong claim is not taken`(_ place: Int) throws {
        let (name, changes) = Self.wrong[place]
        #expect("\(name)") { try judge(changes) } throws: { Self.code(of: $0) == .untrusted }
    }

    @Test
    func `An ID token is its request's, its user's, of its type, and as fresh as was asked`() throws {
        #expect(try judge().id == "ada")
        #expect(try judge(["aud": .array(["notes"])]).id == "ada")
        #expect(try judge(["aud": .array(["notes", "shop"]), "azp": "notes"]).id == "ada")
        #expect(try judge(type: nil).id == "ada")
        #expect(throws: ClientFailure.self) { try judge(type: "at+jwt") }
        #expect(throws: ClientFailure.self) { try judge(type: "logout+jwt") }
        #expect(try judge(maxAge: 100).id == "ada")
        #expect(throws: ClientFailure.self) { try judge(maxAge: 39) }
        #expect(throws: ClientFailure.self) { try judge(["auth_time": JSONValue?.none], maxAge: 3600) }
        let user = try judge()
        #expect(try judge(["nonce": JSONValue?.none], user: user) == user)
        #expect(throws: ClientFailure.self) { try judge(["sub": "bob"], user: user) }
        // A refresh is no authentication.
        let instant = try #require(user.authenticatedAt)
        for later in [instant - 1, instant + 1] {
            let claim = JSONValue.integer(Int64(later.timeIntervalSince1970))
            #expect(throws: ClientFailure.self) { try judge(["auth_time": claim], user: user) }
        }
        #expect(try judge(["auth_time": JSONValue?.none], user: user).id == "ada")
    }

    @Test
    func `What the first version kept is read`() throws {
        let kept = try JSONDecoder().decode(
            KeptSession.self,
            from: Data(
                """
                {"accessTokens":{"":{"expiresAt":811693472,"scopes":["openid"],"text":"at","type":"DPoP"}},
                "clientID":"notes","idToken":"id","issuer":"https://auth.example.org","key":"AQID","refreshToken":"rt",
                "resources":["https://api.example.org"],"scopes":["openid"],
                "user":{"acr":"aal1","authenticatedAt":811692872,"id":"ada","sessionID":"s"}}
                """.utf8))
        #expect(kept.user?.id == "ada" && kept.refreshToken == "rt" && kept.key == Data([1, 2, 3]))
        #expect(kept.accessTokens[""]?.isBound == true)
        #expect(kept.accessTokens[""]?.expiresAt == Date(timeIntervalSinceReferenceDate: 811_693_472))
        let least = #"{"accessTokens":{},"clientID":"notes","issuer":"i","resources":[],"scopes":[]}"#
        #expect(try JSONDecoder().decode(KeptSession.self, from: Data(least.utf8)).user == nil)
    }

    @Test
    func `Words of a server are bounded and harmless`() {
        let failure = ClientFailure.refused(
            "access\u{1B}[31m_denied" + String(repeating: "x", count: 500), "\u{7}gone\n")
        #expect(failure.description.utf8.count < 400)
        #expect(failure.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
        #expect(ClientFailure.refused("access_denied", nil).code == .cancelled)
    }
}
