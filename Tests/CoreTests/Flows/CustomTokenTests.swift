import Crypto
import Foundation
import JWTKit
import Testing

@testable import CountersignCore

@Suite("Custom tokens")
struct CustomTokenTests {
    private static let account = "back-end@example.iam"
    /// Whichever the dialect names.
    private static let audience = "https://tokens.example.com/custom"

    /// A developer's back end and its key.
    private struct BackEnd {
        let key = P256.Signing.PrivateKey()

        func token(_ claims: [String: JSONValue], kid: String? = nil) async throws -> String {
            let keys = JWTKeyCollection()
            await keys.add(ecdsa: try ES256PrivateKey(pem: key.pemRepresentation))
            return try await keys.sign(TokenClaims(claims), kid: kid.map { JWKIdentifier(string: $0) })
        }
    }

    private func claims(_ test: TestRealm, _ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [
            "iss": .string(Self.account), "sub": .string(Self.account), "uid": "ada",
            "aud": .string(Self.audience), "iat": .integer(test.now.seconds),
            "exp": .integer(test.now.seconds + 3600),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private func prepared(mode: RealmMode = .production) async throws -> (TestRealm, BackEnd) {
        let test = try await TestRealm.make(mode: mode)
        let backEnd = BackEnd()
        let pem = backEnd.key.publicKey.pemRepresentation
        try await test.changeSettings { $0.tokens.customTokenKeys[Self.account] = pem }
        return (test, backEnd)
    }

    private func answer(_ token: String, _ test: TestRealm) async throws -> Verdict {
        try await test.realm.authenticator.answer(
            .customToken(Secret(token), audience: Self.audience),
            to: .opening(FlowOpening(subject: .answer, terms: GrantTerms())),
            by: test.client)
    }

    @Test
    func `The word of a registered back end signs in, and makes the user where there is none`() async throws {
        let (test, backEnd) = try await prepared()
        let token = try await backEnd.token(claims(test, ["claims": .object(["role": "admin"])]), kid: "any")
        let first = try #require(await answer(token, test).signedIn)
        #expect(first.isNewUser)
        #expect(first.user.id.rawValue == "ada")
        #expect(first.user.email == nil)
        #expect(first.evidence.proofs.map(\.kind) == [.customToken])
        #expect(first.evidence.details["developer_claims"]?["role"] == "admin")
        let second = try #require(await answer(token, test).signedIn)
        #expect(!second.isNewUser)
    }

    @Test
    func `No second factor is asked for; its user must not be disabled`() async throws {
        let (test, backEnd) = try await prepared()
        let enrolled = try await test.addEnrolledUser()
        let token = try await backEnd.token(claims(test, ["uid": .string(enrolled.user.id.rawValue)]))
        #expect(try await answer(token, test).isAccomplished)
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client)
        #expect(try await answer(token, test).reason == .userDisabled)
    }

    @Test
    func `A token for others, by others, or of another time is refused`() async throws {
        let (test, backEnd) = try await prepared()
        let now = test.now.seconds
        let cases: [(String, [String: JSONValue?], Refusal.Reason)] = [
            ("foreign audience", ["aud": "https://example.org"], .foreignCredential),
            ("audience in a list", ["aud": .array([.string(Self.audience)])], .foreignCredential),
            ("no audience", ["aud": nil], .foreignCredential),
            ("unregistered issuer", ["iss": "x", "sub": "x"], .foreignCredential),
            ("issuer and subject differ", ["sub": "x"], .malformedCredential),
            ("no issuer", ["iss": nil], .malformedCredential),
            ("no uid", ["uid": nil], .missingIdentifier),
            ("uid no text", ["uid": .integer(1)], .malformedCredential),
            ("empty uid", ["uid": ""], .missingIdentifier),
            ("a claim of ours", ["claims": .object(["firebase": "x"])], .reservedClaim),
            ("claims that are no object", ["claims": "x"], .malformedClaims),
            ("long uid", ["uid": .string(String(repeating: "x", count: 129))], .malformedCredential),
            ("no iat", ["iat": nil], .malformedCredential),
            ("no exp", ["exp": nil], .malformedCredential),
            ("expired", ["iat": .integer(now - 3600), "exp": .integer(now)], .flowExpired),
            ("more than an hour", ["exp": .integer(now + 3601)], .flowExpired),
            ("beyond all times", ["iat": .integer(.min), "exp": .integer(.max)], .flowExpired),
            ("of the future", ["iat": .integer(now + 301), "exp": .integer(now + 302)], .flowExpired),
        ]
        for (name, changes, reason) in cases {
            let token = try await backEnd.token(claims(test, changes))
            #expect(try await answer(token, test).reason == reason, "\(name)")
        }
        #expect(try await answer(try await BackEnd().token(claims(test)), test).reason == .foreignCredential)
        #expect(try await test.store.read { try $0.countUsers() } == 0)
        let almost = try await backEnd.token(claims(test, ["iat": .integer(now + 300), "exp": .integer(now + 301)]))
        #expect(try await answer(almost, test).isAccomplished)
    }

    @Test
    func `An unsigned token, and one that our own keys signed, are refused in production`() async throws {
        let (test, _) = try await prepared()
        try await test.realm.keyring.prepare()
        let unsigned = try await test.realm.keyring.unsignedToken(TokenClaims(claims(test)))
        #expect(try await answer(unsigned, test).reason == .foreignCredential)
        let own = try await test.realm.keyring.sign(TokenClaims(claims(test)), with: .es256)
        #expect(try await answer(own, test).reason == .foreignCredential)
    }

    @Test
    func `Under --dev an unsigned token is taken as the emulator takes it`() async throws {
        let (test, backEnd) = try await prepared(mode: .development)
        func unsigned(_ changes: [String: JSONValue]) async throws -> Verdict {
            let good: [String: JSONValue] = ["uid": "eve", "aud": .string(Self.audience)]
            let claims = TokenClaims(good.merging(changes) { $1 })
            return try await answer(try await test.realm.keyring.unsignedToken(claims), test)
        }
        #expect(try await unsigned([:]).signedIn?.user.id.rawValue == "eve")
        #expect(try await unsigned(["exp": .integer(test.now.seconds + 1)]).isAccomplished)
        #expect(try await unsigned(["exp": .integer(test.now.seconds)]).reason == .flowExpired)
        #expect(try await unsigned(["exp": "tomorrow"]).reason == .malformedCredential)
        #expect(try await unsigned(["aud": "countersign"]).reason == .malformedCredential)
        #expect(try await unsigned(["uid": ""]).reason == .missingIdentifier)
        let signed = try await backEnd.token(claims(test))
        #expect(try await answer(signed, test).isAccomplished)
        let forged = try await BackEnd().token(claims(test))
        #expect(try await answer(forged, test).reason == .foreignCredential)
    }

    @Test
    func `The key of another kind does not verify, whatever the header says`() async throws {
        let (test, backEnd) = try await prepared()
        let good = try await backEnd.token(claims(test))
        let parts = good.split(separator: ".")
        for algorithm in ["HS256", "RS256", "none", "ES384"] {
            let head = Array(Data("{\"alg\":\"\(algorithm)\"}".utf8)).base64URL
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(head).\(parts[1])".utf8),
                using: SymmetricKey(data: Data(backEnd.key.publicKey.pemRepresentation.utf8)))
            for signature in ["", String(parts[2]), Array(code).base64URL] {
                let verdict = try await answer("\(head).\(parts[1]).\(signature)", test)
                #expect(verdict.reason == .foreignCredential, "\(algorithm)")
            }
        }
    }

    @Test
    func `Garbage is refused, and nothing is thrown`() async throws {
        let (test, backEnd) = try await prepared()
        let good = try await backEnd.token(claims(test))
        for text in ["", "..", "a.b.c"] + (0..<100).map({ _ in test.noise(around: good) }) where text != good {
            #expect(try await answer(text, test).refusal != nil)
        }
    }
}
