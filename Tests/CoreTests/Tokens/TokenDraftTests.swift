import Foundation
import Testing

@testable import CountersignCore

@Suite("What a token says is composed in one place")
struct TokenDraftTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000.7)

    private func signedIn(_ proofs: [Proof]) async throws -> SignedIn {
        let test = try await TestRealm.make()
        try await test.addUser()
        var signedIn = try #require(await test.signIn().signedIn)
        signedIn.session.proofs = proofs
        return signedIn
    }

    private func claims(_ draft: TokenDraft) -> TokenClaims {
        draft.claims(random: SeededRandom(seed: 7), proofs: .standard)
    }

    @Test
    func `Every token says who made it, for whom, when and until when, in whole seconds`() throws {
        let draft = TokenDraft(issuer: "i", audience: "a", subject: "s", issuedAt: Self.now, lifetime: 60)
        #expect(
            claims(draft).members == [
                "iss": "i", "aud": "a", "sub": "s", "iat": .integer(1_800_000_000), "exp": .integer(1_800_000_060),
            ])
    }

    @Test
    func `Of claims with one name the registered ones count most, then the protocol's, then the account's`() {
        var draft = TokenDraft(
            issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 60, parts: [.notBefore],
            account: [
                "iss": "x", "nbf": .integer(1), "sub": "kept", "color": "red", "size": .integer(1), "name": "Mallory",
            ],
            spelling: ["aud": "x", "color": "blue", "name": nil])
        let composed = claims(draft)
        #expect(composed["iss"] == "i" && composed["aud"] == "a" && composed["nbf"] == .integer(1_800_000_000))
        #expect(composed["sub"] == "kept" && composed["color"] == "blue" && composed["size"] == .integer(1))
        #expect(composed["name"] == nil)
        draft.subject = "s"
        #expect(claims(draft)["sub"] == "s")
    }

    @Test
    func `An identifier has 128 random bits, under the name that the protocol has for it`() throws {
        for name in ["jti", "uti"] {
            let draft = TokenDraft(
                issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 0,
                parts: [.identifier(name: name)])
            #expect([UInt8](base64URL: claims(draft).string(name) ?? "")?.count == 16)
        }
    }

    private static let at = Date(timeIntervalSince1970: 1_799_999_000)
    static let evidence: [(proofs: [Proof], each: [String], summary: [String], level: JSONValue, assurance: String)] = [
        ([Proof(kind: .password, at: at)], ["pwd"], ["pwd"], "1", "aal1"),
        ([Proof(kind: .email, at: at)], ["otp"], ["pwd"], "1", "aal1"),
        (
            [Proof(kind: .password, at: at), Proof(kind: .totp, at: at + 9, isSecondFactor: true)],
            ["pwd", "otp", "mfa"], ["pwd", "mfa"], "2", "aal2"
        ),
        (
            [Proof(kind: .email, at: at), Proof(kind: .totp, at: at + 9, isSecondFactor: true)], ["otp", "mfa"],
            ["pwd", "mfa"], "2", "aal2"
        ),
        (
            [Proof(kind: .password, at: at), Proof(kind: .push, at: at + 9, isSecondFactor: true)],
            ["pwd", "mca", "hwk", "user", "mfa"], ["pwd", "mfa"], "2", "aal2"
        ),
        ([Proof(kind: .push, at: at, isSecondFactor: true)], ["mca", "hwk", "user"], ["pop"], "1", "aal1"),
    ]

    @Test(arguments: evidence)
    func `The claims amr, acr and auth_time tell what the session was proven with, and when last`(
        _ item: (proofs: [Proof], each: [String], summary: [String], level: JSONValue, assurance: String)
    ) async throws {
        let signedIn = try await signedIn(item.proofs)
        for (methods, names) in [(AuthenticationMethods.each, item.each), (.summary, item.summary)] {
            let draft = TokenDraft(
                issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 0,
                parts: [.methods(methods), .contextClass(.numbers), .authenticationTime, .session, .epoch],
                signedIn: signedIn)
            let composed = claims(draft)
            #expect(composed["amr"] == .array(names.map { .string($0) }))
            #expect(composed["acr"] == item.level)
            #expect(ContextClasses.assuranceLevels.name(of: signedIn.evidence, .standard) == item.assurance)
            #expect(composed["auth_time"] == item.proofs.map(\.at).max().map { .integer($0.seconds) })
            #expect(composed["sid"] == .string(signedIn.session.id.rawValue))
            #expect(composed["countersign_epoch"] == .integer(Int64(signedIn.user.tokenEpoch)))
        }
    }

    /// A key that a PIN or a finger unlocks: two factors in one proof.
    private struct VerifyingKey: ProofMethod {
        let kind = FactorKind(rawValue: "verifying-key")
        let traits: ProofTraits = {
            var traits = ProofTraits(role: .first, assurance: [.possession, .userVerified])
            traits.amr = ["swk"]
            return traits
        }()

        func judge(
            _ response: JSONValue, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
        ) async throws -> Judgement<NoContent> { .wrong(.wrongAnswer) }
    }

    @Test(
        arguments: [
            (nil, ["swk", "mfa"], ["pop", "mfa"], "2", "aal2"),
            // The same key, whose answer said that it did not ask for the PIN.
            (.some(Assurance.possession), ["swk"], ["pop"], "1", "aal1"),
        ] as [(Assurance?, [String], [String], JSONValue, String)])
    func `One proof that is two factors is told as two, without a second factor beside it`(
        _ assurance: Assurance?, _ each: [String], _ summary: [String], _ level: JSONValue, _ name: String
    ) async throws {
        let proofs = ProofRegistry.standard.adding(VerifyingKey())
        let signedIn = try await signedIn([Proof(kind: VerifyingKey().kind, at: Self.at, assurance: assurance)])
        #expect(signedIn.evidence.secondFactor == nil)
        for (methods, names) in [(AuthenticationMethods.each, each), (.summary, summary)] {
            for (classes, word) in [(ContextClasses.numbers, level), (.assuranceLevels, .string(name))] {
                let draft = TokenDraft(
                    issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 60,
                    parts: [.methods(methods), .contextClass(classes)], signedIn: signedIn)
                let composed = draft.claims(random: SeededRandom(seed: 7), proofs: proofs)
                #expect(composed["amr"] == .array(names.map { .string($0) }))
                #expect(composed["acr"] == word)
            }
        }
    }

    @Test
    func `A lifetime is counted from the second that iat tells, whatever is left of it`() {
        for fraction in [0, 0.3, 0.999_999] {
            let start = Date(timeIntervalSince1970: 1_800_000_000 + fraction)
            let draft = TokenDraft(issuer: "i", audience: "a", subject: nil, issuedAt: start, lifetime: 3600)
            #expect(claims(draft)["iat"] == .integer(1_800_000_000))
            #expect(claims(draft)["exp"] == .integer(1_800_003_600))
        }
    }

    @Test
    func `A token of no session says nothing of one`() {
        let draft = TokenDraft(
            issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 0,
            parts: [.methods(.each), .contextClass(.numbers), .authenticationTime, .session, .epoch])
        #expect(Set(claims(draft).members.keys) == ["iss", "aud", "iat", "exp"])
    }

    @Test
    func `Before a revocation by a server whose clock is ahead, a token for verifiers without epochs says its instant`()
        async throws
    {
        var signedIn = try await signedIn([Proof(kind: .password, at: Self.now)])
        var user = signedIn.user
        user.revokeTokens(at: Self.now + 30)
        signedIn = SignedIn(
            user: user, session: signedIn.session, grant: signedIn.grant, refreshToken: signedIn.refreshToken)
        var draft = TokenDraft(
            issuer: "i", audience: "a", subject: nil, issuedAt: Self.now, lifetime: 60, parts: [.authenticationTime],
            signedIn: signedIn)
        #expect(claims(draft)["iat"] == .integer(1_800_000_000))
        draft.stamp = .afterRevocation
        #expect(claims(draft)["iat"] == .integer(user.tokensValidAfter.seconds))
        #expect(claims(draft)["auth_time"] == .integer(user.tokensValidAfter.seconds))
        #expect(claims(draft)["exp"] == .integer(1_800_000_060))
    }
}
