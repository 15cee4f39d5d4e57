import ClientHTTP
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import NIOCore
import SignedTokens
import Testing

@testable import ScopeProtection

/// An API behind a scope, judged request by request without a framework, and once with one.
@Suite("Protected resources")
struct ProtectedResourceTests {
    private let time = Time()
    private let issuer = StagedIssuer()

    private static let metadata = "https://api.example.org/.well-known/oauth-protected-resource/v1"
    private static let tail = #", resource_metadata="\#(metadata)""#
    private static let invalid = #"Bearer error="invalid_token"\#(tail)"#
    private static let invalidBound = #"DPoP error="invalid_token", algs="ES256 RS256 PS256 EdDSA Ed25519"\#(tail)"#

    private func resource(
        _ possession: ProtectedResource.Possession = .accepted, nonces: ProofNonces? = nil
    ) throws -> ProtectedResource {
        try ProtectedResource(
            "https://api.example.org/v1", issuer: StagedIssuer.name, scopes: ["read", "write"],
            possession: possession, nonces: nonces, http: HTTPClient(transport: issuer), now: { [time] in time.now })
    }

    private func request(
        _ token: String?, scheme: String = "Bearer", proofs: [String] = [], target: String = "/v1/notes?page=2",
        form: String? = nil
    ) -> ResourceRequest {
        ResourceRequest(
            method: "GET", target: target, authorization: token.map { ["\(scheme) \($0)"] } ?? [], proofs: proofs,
            form: form)
    }

    private func outcome(_ judgement: ProtectedResource.Judgement) -> String {
        switch judgement {
        case .admitted(let token, _): "admitted \(token.subject)"
        case .refused(let refusal): "\(refusal.status) \(refusal.challenge ?? "")"
        }
    }

    // MARK: Tokens

    @Test
    func `A token that the issuer signed for this API is taken, and the keys are found by the metadata`() async throws {
        let api = try resource()
        let token = try issuer.token(at: time.now)
        guard case .admitted(let valid, nil) = await api.judge(request(token), ScopeRequirement("read")) else {
            return #expect(Bool(false), "refused")
        }
        #expect(valid.subject == "ada" && valid.clientID == "shop" && valid.scope == ["read", "write"])
        #expect(valid.isUser && valid.authenticationContext == "aal1" && valid.keyThumbprint == nil)
        #expect(issuer.paths == ["/.well-known/oauth-authorization-server", "/keys"])
        let several = try issuer.token(at: time.now, ["aud": .array(["x", "https://api.example.org/v1"])])
        #expect(
            outcome(await api.judge(request(several, scheme: "bearer"), ScopeRequirement("read"))) == "admitted ada")
        let typed = try issuer.token(at: time.now, header: ["typ": "application/AT+JWT"])
        #expect(outcome(await api.judge(request(typed), ScopeRequirement("read"))) == "admitted ada")
    }

    private static let brokenClaims: [(String, [String: JSONValue?])] = [
        ("another issuer", ["iss": "https://auth.example.com"]),
        ("an issuer with a slash", ["iss": .string(StagedIssuer.name + "/")]),
        ("no issuer", ["iss": JSONValue?.none]),
        ("another audience", ["aud": "https://api.example.org"]),
        ("no audience", ["aud": JSONValue?.none]),
        ("an audience that is no text", ["aud": .array([.integer(1)])]),
        ("no subject", ["sub": JSONValue?.none]),
        ("no client", ["client_id": JSONValue?.none]),
        ("no id", ["jti": JSONValue?.none]),
        ("an id that is a number", ["jti": .integer(1)]),
        ("no end", ["exp": JSONValue?.none]),
        ("an end that is a text", ["exp": "1790000600"]),
        ("no beginning of its life", ["iat": JSONValue?.none]),
        ("expired by the leeway", ["exp": .integer(1_790_000_000 - 60)]),
        ("not yet", ["nbf": .integer(1_790_000_000 + 61)]),
        ("from the future", ["iat": .integer(1_790_000_000 + 61)]),
        ("bound to a certificate", ["cnf": .object(["x5t#S256": "abc"])]),
        ("bound to nothing", ["cnf": .object([:])]),
        ("bound in a text", ["cnf": "abc"]),
    ]

    @Test(arguments: brokenClaims.indices)
    func `A token with one wrong claim is refused`(_ place: Int) async throws {
        let (name, changes) = Self.brokenClaims[place]
        let token = try issuer.token(at: time.now, changes)
        let found = outcome(await (try resource()).judge(request(token), ScopeRequirement("read")))
        #expect(found == "401 \(Self.invalid)", "\(name)")
    }

    @Test
    func `Clocks may differ by a minute`() async throws {
        let api = try resource()
        for changes: [String: JSONValue?] in [
            ["exp": .integer(1_790_000_000 - 59)], ["nbf": .integer(1_790_000_000 + 60)],
            ["iat": .integer(1_790_000_000 + 60)],
        ] {
            let token = try issuer.token(at: time.now, changes)
            #expect(outcome(await api.judge(request(token), ScopeRequirement("read"))) == "admitted ada")
        }
    }

    private static let brokenHeaders: [(String, [String: JSONValue?])] = [
        ("an ID token's type", ["typ": "JWT"]),
        ("a logout token's type", ["typ": "logout+jwt"]),
        ("no type", ["typ": JSONValue?.none]),
        ("no algorithm", ["alg": JSONValue?.none]),
        ("no signature", ["alg": "none"]),
        ("the other kind of key", ["alg": "RS256"]),
        ("a shared secret", ["alg": "HS256"]),
        ("a curve that is not published", ["alg": "ES384"]),
        ("no key", ["kid": JSONValue?.none]),
        ("a key of nobody", ["kid": "two"]),
        ("what has to be understood", ["crit": .array(["exp"])]),
    ]

    @Test(arguments: brokenHeaders.indices)
    func `A token with one wrong member of its header is refused`(_ place: Int) async throws {
        let (name, changes) = Self.brokenHeaders[place]
        let token = try issuer.token(at: time.now, header: changes)
        let found = outcome(await (try resource()).judge(request(token), ScopeRequirement("read")))
        #expect(found == "401 \(Self.invalid)", "\(name)")
    }

    @Test
    func `A token of another key under a known name, and one that was changed, are refused`() async throws {
        let api = try resource()
        let good = try issuer.token(at: time.now)
        let parts = good.split(separator: ".").map(String.init)
        let stranger = try issuer.token(at: time.now, by: StagedIssuer.Key(id: "one"))
        let other = try issuer.token(at: time.now, ["scope": "admin"]).split(separator: ".").map(String.init)
        for wrong in [
            stranger, "\(parts[0]).\(other[1]).\(parts[2])", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])",
            good + ".", String(repeating: "a", count: 16_384),
        ] {
            #expect(outcome(await api.judge(request(wrong), ScopeRequirement("read"))) == "401 \(Self.invalid)")
        }
        let long = String(repeating: "a", count: 16_385)
        #expect(outcome(await api.judge(request(long), ScopeRequirement("read"))).hasPrefix("400 "))
    }

    // MARK: Answers

    @Test
    func `What is missing is said as the specifications say it`() async throws {
        let api = try resource()
        let token = try issuer.token(at: time.now)
        func answer(_ request: ResourceRequest, _ requirement: ScopeRequirement = ScopeRequirement("write read"))
            async -> String
        { outcome(await api.judge(request, requirement)) }
        let nothing = #"401 Bearer resource_metadata="\#(Self.metadata)", scope="read write""#
        #expect(await answer(request(nil)) == nothing)
        #expect(await answer(request("YWRhOnB3", scheme: "Basic")) == nothing)
        #expect(await answer(request("made-up")) == "401 \(Self.invalid)")
        let wants = ScopeRequirement("admin read")
        #expect(
            await answer(request(token), wants)
                == #"403 Bearer error="insufficient_scope", scope="admin read"\#(Self.tail)"#)
        let strong = ScopeRequirement("read", atLeast: .aal2, maxAge: 300)
        #expect(
            await answer(request(token), strong)
                == #"401 Bearer error="insufficient_user_authentication", error_description="Another authentication is needed", "#
                + #"acr_values="aal2", max_age="300"\#(Self.tail)"#)
        let old = ScopeRequirement("read", maxAge: 99)
        #expect(
            await answer(request(token), old)
                == #"401 Bearer error="insufficient_user_authentication", error_description="Another authentication is needed", "#
                + #"max_age="99"\#(Self.tail)"#)
        for stronger in ["aal2", "phr", "phrh"] {
            let token = try issuer.token(at: time.now, ["acr": .string(stronger)])
            #expect(await answer(request(token), strong) == "admitted ada")
        }
    }

    @Test
    func `Two credentials are refused, and one in the query or a form is never read`() async throws {
        let api = try resource()
        let token = try issuer.token(at: time.now)
        let ambiguous = #"400 Bearer error="invalid_request"\#(Self.tail)"#
        let scope = ScopeRequirement("read")
        for target in [
            "/v1/notes?access_token=\(token)", "/v1/notes?a=b&acc%65ss_token=\(token)", "/v1/notes?access_token",
        ] {
            #expect(outcome(await api.judge(request(token, target: target), scope)) == ambiguous)
            #expect(
                outcome(await api.judge(request(nil, target: target), scope)).hasPrefix("401 Bearer resource_metadata"))
        }
        let form = "note=x&access_token=\(token)"
        #expect(outcome(await api.judge(request(token, form: form), scope)) == ambiguous)
        #expect(outcome(await api.judge(request(nil, form: form), scope)).hasPrefix("401 Bearer resource_metadata"))
        let twice = ResourceRequest(
            method: "GET", target: "/v1/notes", authorization: ["Bearer \(token)", "Bearer \(token)"])
        #expect(outcome(await api.judge(twice, scope)) == ambiguous)
        for malformed in ["", "a b", "a,b"] {
            #expect(outcome(await api.judge(request(malformed), scope)) == ambiguous, "\(malformed)")
        }
    }

    // MARK: Proofs of possession

    @Test
    func `A bound token counts with its proof, once, and never as a bearer's`() async throws {
        let (api, key) = (try resource(), BoundKey())
        let scope = ScopeRequirement("read")
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        let proof = try key.proof(for: token, at: time.now)
        #expect(outcome(await api.judge(request(token, scheme: "DPoP", proofs: [proof]), scope)) == "admitted ada")
        let used =
            #"401 DPoP error="invalid_dpop_proof", error_description="The DPoP proof was used before.", algs="ES256 RS256 PS256 EdDSA Ed25519""#
            + Self.tail
        #expect(outcome(await api.judge(request(token, scheme: "DPoP", proofs: [proof]), scope)) == used)
        let fresh = try key.proof(for: token, at: time.now)
        #expect(outcome(await api.judge(request(token, proofs: [fresh]), scope)) == "401 \(Self.invalidBound)")
        #expect(outcome(await api.judge(request(token), scope)) == "401 \(Self.invalidBound)")
        let bearer = try issuer.token(at: time.now)
        let ofBearer = try key.proof(for: bearer, at: time.now)
        #expect(
            outcome(await api.judge(request(bearer, scheme: "DPoP", proofs: [ofBearer]), scope))
                == "401 \(Self.invalidBound)")
        // What the proof allows, the scope still has to.
        let again = try key.proof(for: token, at: time.now)
        #expect(
            outcome(await api.judge(request(token, scheme: "DPoP", proofs: [again]), ScopeRequirement("admin")))
                == #"403 DPoP error="insufficient_scope", scope="admin", algs="ES256 RS256 PS256 EdDSA Ed25519"\#(Self.tail)"#
        )
    }

    private static let brokenProofs: [(String, claims: [String: JSONValue?], header: [String: JSONValue?])] = [
        ("another method", ["htm": "POST"], [:]),
        ("another spelling of the method", ["htm": "get"], [:]),
        ("another path", ["htu": "https://api.example.org/v1/users"], [:]),
        ("another host", ["htu": "https://api.example.com/v1/notes"], [:]),
        ("another scheme", ["htu": "http://api.example.org/v1/notes"], [:]),
        ("no address", ["htu": JSONValue?.none], [:]),
        ("too old", ["iat": .integer(1_790_000_000 - 61)], [:]),
        ("from the future", ["iat": .integer(1_790_000_000 + 16)], [:]),
        ("no time", ["iat": JSONValue?.none], [:]),
        ("another token", ["ath": "abc"], [:]),
        ("no token", ["ath": JSONValue?.none], [:]),
        ("no id", ["jti": JSONValue?.none], [:]),
        ("a long id", ["jti": .string(String(repeating: "a", count: 257))], [:]),
        ("another type", [:], ["typ": "jwt"]),
        ("no type", [:], ["typ": JSONValue?.none]),
        ("no key", [:], ["jwk": JSONValue?.none]),
        ("no signature", [:], ["alg": "none"]),
        ("a shared secret", [:], ["alg": "HS256"]),
        ("what has to be understood", [:], ["crit": .array(["b64"])]),
    ]

    @Test(arguments: brokenProofs.indices)
    func `A proof with one wrong part is refused`(_ place: Int) async throws {
        let (name, claims, header) = Self.brokenProofs[place]
        let (api, key) = (try resource(), BoundKey())
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        let proof = try key.proof(for: token, at: time.now, claims, header: header)
        let found = outcome(await api.judge(request(token, scheme: "DPoP", proofs: [proof]), ScopeRequirement("read")))
        #expect(found.hasPrefix(#"401 DPoP error="invalid_dpop_proof", error_description=""#), "\(name): \(found)")
    }

    @Test
    func `The address of a proof is compared as addresses are`() async throws {
        let (api, key) = (try resource(), BoundKey())
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        func isTaken(_ address: String, at target: String = "/v1/notes") async throws -> Bool {
            let proof = try key.proof(for: token, at: time.now, ["htu": .string(address)])
            let sent = request(token, scheme: "DPoP", proofs: [proof], target: target)
            if case .admitted = await api.judge(sent, ScopeRequirement("read")) { return true } else { return false }
        }
        for same in [
            "https://api.example.org/v1/notes", "HTTPS://API.example.org:443/v1/notes",
            "https://api.example.org/v1/n%6ftes", "https://api.example.org/v1/notes?page=3#x",
            "https://api.example.org/v1/./notes", "https://api.example.org/v1/users/../notes",
            "https://api.example.org/../v1/%2E/notes", "https://api.example.org/a/b/%2e%2e/../v1/notes",
        ] { #expect(try await isTaken(same), "\(same)") }
        for other in [
            "https://api.example.org/v1%2Fnotes", "https://api.example.org/v1/notes/",
            "https://api.example.org/v1/notes/.", "https://api.example.org/v1/notes/..",
            "https://api.example.org/v1/x/..%2Fnotes", "https://api.example.org/v1/...//notes",
            "https://api.example.org/V1/notes",
            "https://ada@api.example.org/v1/notes", "https://api.example.org:444/v1/notes", "/v1/notes", "",
        ] { #expect(try await !isTaken(other), "\(other)") }
        #expect(try await isTaken("https://api.example.org/a%2fb", at: "/a%2Fb"))
        #expect(try await !isTaken("https://api.example.org/a%2fb", at: "/a/b"))
    }

    @Test
    func `Another key's proof, two proofs, none, and one that shows its private key are refused`() async throws {
        let (api, key, other) = (try resource(), BoundKey(), BoundKey())
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        func proof() throws -> String { try key.proof(for: token, at: time.now) }
        guard case .object(var shown) = key.jwk else { return #expect(Bool(false), "no key") }
        shown["d"] = "abc"
        for wrong in [
            [try other.proof(for: token, at: time.now)],
            [try key.proof(for: token, at: time.now, signedBy: other.key)],
            [try proof(), try proof()], [], ["a.b.c"], [String(repeating: "a", count: 4097)],
            [try key.proof(for: token, at: time.now, header: ["jwk": .object(shown)])],
        ] {
            let found = outcome(
                await api.judge(request(token, scheme: "DPoP", proofs: wrong), ScopeRequirement("read")))
            #expect(found.hasPrefix(#"401 DPoP error="invalid_dpop_proof""#), "\(found)")
        }
    }

    @Test
    func `One proof sent twenty times at once lets one request in`() async throws {
        let (api, key) = (try resource(), BoundKey())
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        let proof = try key.proof(for: token, at: time.now)
        let sent = request(token, scheme: "DPoP", proofs: [proof])
        let admitted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    if case .admitted = await api.judge(sent, ScopeRequirement("read")) { true } else { false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 1)
    }

    @Test
    func `A nonce that is asked for is told, counts for its minute and the next, and is renewed`() async throws {
        let (api, key) = (try resource(nonces: ProofNonces()), BoundKey())
        let token = try issuer.token(at: time.now, ["cnf": try key.confirmation])
        func judge(_ nonce: String?) async throws -> ProtectedResource.Judgement {
            let proof = try key.proof(for: token, at: time.now, ["nonce": nonce.map { .string($0) }])
            return await api.judge(request(token, scheme: "DPoP", proofs: [proof]), ScopeRequirement("read"))
        }
        guard case .refused(let refusal) = try await judge(nil), let nonce = refusal.nonce else {
            return #expect(Bool(false), "no nonce")
        }
        #expect(
            refusal.challenge == #"DPoP error="use_dpop_nonce", algs="ES256 RS256 PS256 EdDSA Ed25519"\#(Self.tail)"#)
        guard case .admitted(_, nil) = try await judge(nonce) else { return #expect(Bool(false), "refused") }
        time.advance(60)
        guard case .admitted(_, let next?) = try await judge(nonce) else { return #expect(Bool(false), "not renewed") }
        time.advance(60)
        guard case .refused(let late) = try await judge(nonce) else { return #expect(Bool(false), "admitted") }
        #expect(late.challenge?.hasPrefix(#"DPoP error="use_dpop_nonce""#) == true)
        guard case .admitted = try await judge(next) else { return #expect(Bool(false), "refused") }
        for made in ["", "abc", ProofNonces().nonce(at: time.now)] {
            guard case .refused = try await judge(made) else { return #expect(Bool(false), "admitted") }
        }
    }

    @Test
    func `An API that wants bound tokens alone says so`() async throws {
        let api = try resource(.required)
        let token = try issuer.token(at: time.now)
        #expect(outcome(await api.judge(request(token), ScopeRequirement("read"))) == "401 \(Self.invalidBound)")
        #expect(
            outcome(await api.judge(request(nil), ScopeRequirement("read")))
                == #"401 DPoP algs="ES256 RS256 PS256 EdDSA Ed25519", resource_metadata="\#(Self.metadata)", scope="read""#
        )
        let metadata = try JSONParser.parse(api.metadata)
        #expect(metadata["dpop_bound_access_tokens_required"] == .bool(true))
    }

    @Test
    func `Used proofs are forgotten when they are too old, and one key cannot take the room of all`() async throws {
        let used = UsedProofsInMemory(limit: 4, limitOfKey: 2)
        let now = time.now
        #expect(try await used.use("a", of: "k", until: now + 120, at: now))
        #expect(try await !used.use("a", of: "k", until: now + 120, at: now))
        #expect(try await used.use("a", of: "l", until: now + 120, at: now))
        #expect(try await used.use("b", of: "k", until: now + 120, at: now))
        await #expect(throws: UsedProofsInMemory.Full.self) {
            try await used.use("c", of: "k", until: now + 120, at: now)
        }
        #expect(try await used.use("b", of: "l", until: now + 120, at: now))
        await #expect(throws: UsedProofsInMemory.Full.self) {
            try await used.use("a", of: "m", until: now + 120, at: now)
        }
        #expect(try await used.use("c", of: "k", until: now + 240, at: now + 120))
        #expect(try await used.use("a", of: "k", until: now + 240, at: now + 120))
    }

    // MARK: Keys

    @Test
    func `Keys that are rotated under load fail no verification`() async throws {
        let api = try resource()
        let first = issuer.key
        let token = try issuer.token(at: time.now)
        #expect(outcome(await api.judge(request(token), ScopeRequirement("read"))) == "admitted ada")
        let second = StagedIssuer.Key(id: "two")
        issuer.rotate(to: [first, second])
        let now = time.now
        let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { [issuer] in
                    let token = try issuer.token(at: now, by: number % 2 == 0 ? first : second)
                    let judgement = await api.judge(request(token), ScopeRequirement("read"))
                    if case .admitted = judgement { return true } else { return false }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 200)
        #expect(issuer.paths.count { $0 == "/keys" } == 2)
        // Made-up names ask nothing more within the minute, and then once.
        for (seconds, questions) in [(59.0, 2), (1.0, 3)] {
            time.advance(seconds)
            for _ in 0..<20 {
                let made = try issuer.token(at: time.now, by: StagedIssuer.Key(id: UUID().uuidString))
                #expect(outcome(await api.judge(request(made), ScopeRequirement("read"))) == "401 \(Self.invalid)")
            }
            #expect(issuer.paths.count { $0 == "/keys" } == questions)
        }
    }

    @Test
    func `While the issuer is away its keys count, and unknown ones are not called wrong`() async throws {
        let api = try resource()
        let token = try issuer.token(at: time.now, ["exp": .integer(1_790_100_000)])
        #expect(outcome(await api.judge(request(token), ScopeRequirement("read"))) == "admitted ada")
        issuer.goes(away: true)
        time.advance(400)
        #expect(outcome(await api.judge(request(token), ScopeRequirement("read"))) == "admitted ada")
        let other = try issuer.token(at: time.now, by: StagedIssuer.Key(id: "two"))
        guard case .refused(let refusal) = await api.judge(request(other), ScopeRequirement("read")) else {
            return #expect(Bool(false), "admitted")
        }
        #expect(refusal.status == 503 && refusal.retryAfter == 10 && refusal.challenge == nil)
        issuer.goes(away: false)
        time.advance(60)
        #expect(outcome(await api.judge(request(other), ScopeRequirement("read"))) == "401 \(Self.invalid)")
    }

    @Test
    func `Metadata of another issuer is no answer`() async throws {
        issuer.calls(itself: "https://auth.example.com")
        let token = try issuer.token(at: time.now)
        guard case .refused(let refusal) = await (try resource()).judge(request(token), ScopeRequirement("read")) else {
            return #expect(Bool(false), "admitted")
        }
        #expect(refusal.status == 503)
    }

    // MARK: Introspection

    @Test
    func `A token that says nothing is asked about with the API's own credentials`() async throws {
        let transport = StagedTransport { request in
            let isKnown = request.body.map { String(decoding: $0, as: UTF8.self).contains("token=opaque&") } ?? false
            let answer =
                isKnown
                ? #"{"active":true,"scope":"read","client_id":"shop","sub":"ada","username":"ada@example.org","aud":"https://api.example.org/v1","exp":1790000600,"auth_time":1789999990,"acr":"aal2"}"#
                : #"{"active":true,"scope":"read","client_id":"shop","sub":"ada","aud":"elsewhere","exp":1790000600}"#
            return HTTPClientResponse(status: 200, body: Data(answer.utf8))
        }
        let url = try #require(URL(string: "https://auth.example.org/oauth/introspect"))
        let validator = IntrospectionValidator(
            .accessTokens(
                introspectionURL: url, audiences: ["https://api.example.org/v1"], clientID: "api",
                clientSecret: "s+cret"),
            http: HTTPClient(transport: transport), now: { [time] in time.now })
        let api = ProtectedResource(
            try .init(identifier: "https://api.example.org/v1", authorizationServers: [StagedIssuer.name]),
            validator: validator, now: { [time] in time.now })
        let judgement = await api.judge(request("opaque"), ScopeRequirement("read", atLeast: .aal2))
        guard case .admitted(let token, _) = judgement else { return #expect(Bool(false), "\(judgement)") }
        #expect(
            token.subject == "ada" && token.userID == "ada" && token.isUser && token.displayName == "ada@example.org")
        #expect(
            transport.requests[0].headers["Authorization"]
                == "Basic \(Data("api:s%2Bcret".utf8).base64EncodedString())")
        #expect(outcome(await api.judge(request("other"), ScopeRequirement("read"))) == "401 \(Self.invalid)")
        transport.becomes { _ in HTTPClientResponse(status: 401) }
        #expect(outcome(await api.judge(request("opaque"), ScopeRequirement("read"))).hasPrefix("503"))
    }

    // MARK: With a framework

    @Test
    func `Routes of Hummingbird's are guarded, and the API's metadata is where clients look`() async throws {
        let (api, key) = (try resource(nonces: ProofNonces()), BoundKey())
        let router = Router()
        router.publishMetadata(of: api)
        router.requires("read", of: api).get("v1/notes") { _, _ in "\(ValidToken.current?.subject ?? "nobody")'s" }
        router.requires("write", of: api).post("v1/notes") { request, context in
            var request = request
            return String(buffer: try await request.collectBody(upTo: 1 << 17))
        }
        let (bearer, bound) = (
            try issuer.token(at: time.now), try issuer.token(at: time.now, ["cnf": try key.confirmation])
        )
        try await Application(router: router).test(.router) { client in
            func send(_ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: String? = nil) async throws
                -> TestResponse
            {
                try await client.executeRequest(
                    uri: "/v1/notes", method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
            }
            let document = try await client.executeRequest(
                uri: "/.well-known/oauth-protected-resource/v1", method: .get, headers: [:], body: nil)
            #expect(
                String(buffer: document.body)
                    == #"{"authorization_servers":["https://auth.example.org"],"bearer_methods_supported":["header"],"#
                    + #""dpop_bound_access_tokens_required":false,"#
                    + #""dpop_signing_alg_values_supported":["ES256","RS256","PS256","EdDSA","Ed25519"],"#
                    + #""resource":"https://api.example.org/v1","scopes_supported":["read","write"]}"#)
            #expect(document.headers[.accessControlAllowOrigin] == "*")
            let missing = try await send(.get, [:])
            #expect(missing.status == .unauthorized && missing.headers[.cacheControl] == "no-store")
            #expect(
                missing.headers[.wwwAuthenticate] == #"Bearer resource_metadata="\#(Self.metadata)", scope="read""#)
            #expect(String(buffer: try await send(.get, [.authorization: "Bearer \(bearer)"]).body) == "ada's")
            // A form is looked through for a second token, and stays there for the handler.
            let form: HTTPFields = [
                .authorization: "Bearer \(bearer)", .contentType: "application/x-www-form-urlencoded",
                .contentLength: "6",
            ]
            #expect(String(buffer: try await send(.post, form, "note=x").body) == "note=x")
            var twice = form
            twice[.contentLength] = "21"
            #expect(try await send(.post, twice, "access_token=x&note=x").status == .badRequest)
            // Also where no length is said, and behind whatever comes before.
            twice[.contentLength] = nil
            let long = "note=" + String(repeating: "a", count: 65_000)
            for body in ["access_token=x&note=x", long + "&access_token=x"] {
                #expect(try await send(.post, twice, body).status == .badRequest)
            }
            #expect(String(buffer: try await send(.post, twice, long).body) == long)
            #expect(try await send(.post, twice, long + long).status == .contentTooLarge)
            twice[.authorization] = nil
            #expect(try await send(.post, twice, long + long).status == .unauthorized)
            var headers: HTTPFields = [
                .authorization: "DPoP \(bound)", .dpop: try key.proof(for: bound, at: time.now),
            ]
            let asked = try await send(.get, headers)
            #expect(asked.status == .unauthorized)
            headers[.dpop] = try key.proof(
                for: bound, at: time.now, ["nonce": asked.headers[.dpopNonce].map { .string($0) }])
            #expect(try await send(.get, headers).status == .ok)
        }
    }
}
