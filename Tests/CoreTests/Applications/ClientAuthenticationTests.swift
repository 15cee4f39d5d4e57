import Crypto
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Applications show who they are")
struct ClientAuthenticationTests {
    private static let issuer = "https://issuer.example/"
    private static let secret = "a secret of 24 characters"

    /// A realm with a public application, one with a secret, one with a key, and one with both.
    private struct Stage {
        let test: TestRealm
        let key = P256.Signing.PrivateKey()
        let other = P256.Signing.PrivateKey()
        var expectation = ClientExpectation(
            Set(ClientAuthenticationMethod.allCases), issuers: [ClientAuthenticationTests.issuer])

        static func make(on store: TestStore = .sqlite) async throws -> Stage {
            let stage = Stage(test: try await TestRealm.make(on: store))
            let keys = try AssertionKey.keys(
                ofJWKS: ["keys": .array([stage.jwk(stage.key, "k1"), stage.jwk(P256.Signing.PrivateKey(), "k2")])])
            for (id, hasSecret, hasKeys) in [
                ("public", false, false), ("native", false, false), ("secret", true, false), ("key", false, true),
                ("both", true, true),
            ] {
                var registration = ApplicationRegistration(assertionKeys: hasKeys ? keys : [])
                if hasSecret { registration.setSecret(Secret(ClientAuthenticationTests.secret)) }
                if id == "native" { registration.oauth.kind = .native }
                _ = try await stage.test.realm.applications.add(
                    id: ClientID(rawValue: id), registration, by: stage.test.client)
            }
            return stage
        }

        func jwk(_ key: P256.Signing.PrivateKey, _ id: String?) -> JSONValue {
            let point = Array(key.publicKey.rawRepresentation)
            var members: [String: JSONValue] = [
                "kty": "EC", "crv": "P-256", "use": "sig", "x": .string(point[..<32].base64URL),
                "y": .string(point[32...].base64URL),
            ]
            members["kid"] = id.map { .string($0) }
            return .object(members)
        }

        func authenticate(
            _ credentials: ClientCredentials, from source: String? = nil, _ expectation: ClientExpectation? = nil
        ) async throws -> ClientAuthentication {
            var client = test.client
            client.limitedSource = source
            return try await test.realm.applications.authenticate(
                credentials, expecting: expectation ?? self.expectation, by: client)
        }

        /// What is good of an assertion, with other claims and another header; a nil leaves a member out.
        func assertion(
            _ changes: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:],
            by key: P256.Signing.PrivateKey? = nil
        ) throws -> ClientCredentials {
            var claims: [String: JSONValue] = [
                "iss": "key", "sub": "key", "aud": .string(ClientAuthenticationTests.issuer),
                "jti": .string(test.random.bytes(8).hex), "iat": .integer(test.now.seconds),
                "exp": .integer(test.now.seconds + 60),
            ]
            for (name, value) in changes { claims[name] = value }
            var head: [String: JSONValue] = ["alg": "ES256", "kid": "k1"]
            for (name, value) in header { head[name] = value }
            return try signed(head, JSONValue.object(claims).jsonText(), by: key)
        }

        func signed(
            _ header: [String: JSONValue], _ payload: [UInt8], by key: P256.Signing.PrivateKey? = nil
        ) throws -> ClientCredentials {
            let input = "\(try JSONValue.object(header).jsonText().base64URL).\(payload.base64URL)"
            let signature = try (key ?? self.key).signature(for: Data(input.utf8)).rawRepresentation
            return shown("\(input).\(signature.base64URL)")
        }

        func shown(_ assertion: String) -> ClientCredentials {
            ClientCredentials(
                assertion: Secret(assertion),
                assertionType: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        }
    }

    private static func basic(_ id: String, _ secret: String) -> ClientCredentials {
        ClientCredentials(
            basic: .init(
                clientID: id, decoded: secret.removingPercentEncoding.map { Secret($0) }, plain: Secret(secret)))
    }

    private static func post(_ id: String?, _ secret: String?) -> ClientCredentials {
        ClientCredentials(clientID: id, secret: secret.map { Secret($0) })
    }

    struct Case: Sendable {
        let credentials: ClientCredentials
        let outcome: Outcome
    }

    enum Outcome: Sendable, Equatable {
        case good(String, ClientAuthenticationMethod)
        case refused(ClientAuthenticationRefusal)

        init(_ authentication: ClientAuthentication) {
            switch authentication {
            case .authenticated(let application, let method): self = .good(application.id.rawValue, method)
            case .refused(let refusal): self = .refused(refusal)
            }
        }
    }

    static let cases: [Case] = [
        Case(credentials: post("public", nil), outcome: .good("public", .none)),
        Case(credentials: post("public", "anything"), outcome: .good("public", .none)),
        // What oidc-agent, libcurl and Go's oauth2 send for a public client: `curl --user native:`.
        Case(credentials: basic("native", ""), outcome: .good("native", .none)),
        Case(credentials: basic("secret", ""), outcome: .refused(.credentialsMissing)),
        Case(credentials: basic("unknown", ""), outcome: .refused(.unknown)),
        Case(credentials: basic("native", "anything"), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("secret", secret), outcome: .good("secret", .secretPost)),
        Case(credentials: basic("secret", secret), outcome: .good("secret", .secretBasic)),
        Case(
            credentials: basic("secret", "a%20secret%20of%2024%20characters"),
            outcome: .good("secret", .secretBasic)),
        Case(credentials: post("both", secret), outcome: .good("both", .secretPost)),
        Case(credentials: post(nil, nil), outcome: .refused(.missing)),
        Case(credentials: post("", nil), outcome: .refused(.missing)),
        Case(credentials: post(nil, secret), outcome: .refused(.missing)),
        Case(credentials: basic("", secret), outcome: .refused(.missing)),
        Case(credentials: post("unknown", nil), outcome: .refused(.unknown)),
        Case(credentials: post("secret", nil), outcome: .refused(.credentialsMissing)),
        Case(credentials: post("key", nil), outcome: .refused(.credentialsMissing)),
        Case(credentials: post("secret", ""), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("secret", "wrong"), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("secret", "a%20secret%20of%2024%20characters"), outcome: .refused(.wrongCredentials)),
        Case(credentials: basic("secret", "wrong"), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("key", secret), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("unknown", secret), outcome: .refused(.wrongCredentials)),
        Case(credentials: basic("unknown", secret), outcome: .refused(.wrongCredentials)),
        Case(credentials: post("secret\u{0}x", secret), outcome: .refused(.malformed)),
    ]

    @Test(arguments: cases)
    func `A secret in the body or by Basic, or nothing`(_ item: Case) async throws {
        let stage = try await Stage.make()
        #expect(Outcome(try await stage.authenticate(item.credentials)) == item.outcome)
    }

    @Test
    func `A request shows its name alone where nothing else is said of an application, if only without a value`() {
        #expect(Self.post("public", nil).nameAlone == ClientID(rawValue: "public"))
        var unreadable = Self.post("public", nil)
        unreadable.hasUnreadableBasic = true
        var both = Self.basic("public", "")
        both.clientID = "public"
        let others = [
            ClientCredentials(), Self.post("public", ""), Self.basic("public", ""), both, unreadable,
            ClientCredentials(clientID: "public", assertion: Secret("")),
            ClientCredentials(clientID: "public", assertionType: ""),
        ]
        for other in others { #expect(other.nameAlone == nil, "\(other)") }
    }

    @Test
    func `One method in a request, of one application`() async throws {
        let stage = try await Stage.make()
        var credentials = Self.basic("secret", Self.secret)
        credentials.clientID = "secret"
        #expect(Outcome(try await stage.authenticate(credentials)) == .good("secret", .secretBasic))
        credentials.clientID = "both"
        #expect(Outcome(try await stage.authenticate(credentials)) == .refused(.malformed))
        credentials.clientID = "secret"
        credentials.secret = Secret(Self.secret)
        #expect(Outcome(try await stage.authenticate(credentials)) == .refused(.malformed))
        credentials = try stage.assertion()
        credentials.secret = Secret(Self.secret)
        #expect(Outcome(try await stage.authenticate(credentials)) == .refused(.malformed))
        credentials = Self.post("public", nil)
        credentials.hasUnreadableBasic = true
        #expect(Outcome(try await stage.authenticate(credentials)) == .refused(.malformed))
    }

    @Test
    func `An endpoint takes the methods that it names, and one that names none takes no application`() async throws {
        let stage = try await Stage.make()
        let shown: [(ClientAuthenticationMethod, String, ClientCredentials)] = [
            (.none, "public", Self.post("public", nil)), (.secretPost, "secret", Self.post("secret", Self.secret)),
            (.secretBasic, "secret", Self.basic("secret", Self.secret)),
            (.privateKeyJWT, "key", try stage.assertion()),
        ]
        for (method, id, credentials) in shown {
            for admitted in [[]] + ClientAuthenticationMethod.allCases.map({ Set([$0]) }) {
                let outcome = Outcome(
                    try await stage.authenticate(
                        credentials, ClientExpectation(admitted, issuers: [Self.issuer])))
                #expect(
                    outcome == (admitted.contains(method) ? .good(id, method) : .refused(.methodNotAdmitted)),
                    "\(method) where \(admitted)")
            }
        }
        // A public application has nothing to show where something is asked for.
        let outcome = Outcome(
            try await stage.authenticate(Self.post("public", "x"), ClientExpectation([.secretPost])))
        #expect(outcome == .refused(.wrongCredentials))
    }

    // MARK: Assertions

    struct AssertionCase: Sendable, CustomTestStringConvertible {
        let name: String
        /// Nil where the assertion is good.
        let reason: String?
        var claims: @Sendable (Date) -> [String: JSONValue?] = { _ in [:] }
        var header: [String: JSONValue?] = [:]
        var testDescription: String { name }
    }

    static let assertions: [AssertionCase] = [
        AssertionCase(name: "the assertion itself", reason: nil),
        AssertionCase(name: "without kid", reason: nil, header: ["kid": nil]),
        AssertionCase(name: "as what it is", reason: nil, header: ["typ": "client-authentication+jwt"]),
        AssertionCase(name: "as a JWT", reason: nil, header: ["typ": "JWT"]),
        AssertionCase(name: "as an access token", reason: "algorithm", header: ["typ": "at+jwt"]),
        AssertionCase(name: "of an empty type", reason: "algorithm", header: ["typ": ""]),
        AssertionCase(name: "of half a media type", reason: "algorithm", header: ["typ": "application/"]),
        AssertionCase(name: "unsigned", reason: "algorithm", header: ["alg": "none"]),
        AssertionCase(name: "with HS256", reason: "algorithm", header: ["alg": "HS256"]),
        AssertionCase(name: "with the other algorithm", reason: "signature", header: ["alg": "RS256"]),
        AssertionCase(name: "by another key's name", reason: "signature", header: ["kid": "k2"]),
        AssertionCase(name: "by an unknown key", reason: "signature", header: ["kid": "k3"]),
        AssertionCase(name: "without audience", reason: "audience", claims: { _ in ["aud": nil] }),
        AssertionCase(
            name: "for the endpoint", reason: "audience", claims: { _ in ["aud": .string(issuer + "oauth/token")] }),
        AssertionCase(
            name: "for a list of the issuer", reason: nil, claims: { _ in ["aud": .array([.string(issuer)])] }),
        AssertionCase(
            name: "for a list of two", reason: "audience",
            claims: { _ in ["aud": .array([.string(issuer), "https://elsewhere.example"])] }),
        AssertionCase(
            name: "for a list of the issuer twice", reason: "audience",
            claims: { _ in ["aud": .array([.string(issuer), .string(issuer)])] }),
        AssertionCase(name: "for an empty list", reason: "audience", claims: { _ in ["aud": .array([])] }),
        AssertionCase(name: "expired", reason: "expired", claims: { ["exp": .integer($0.seconds)] }),
        AssertionCase(name: "for ever", reason: "lifetime", claims: { _ in ["exp": nil] }),
        AssertionCase(name: "for a day", reason: "lifetime", claims: { ["exp": .integer($0.seconds + 86_400)] }),
        AssertionCase(name: "for five minutes", reason: nil, claims: { ["exp": .integer($0.seconds + 300)] }),
        AssertionCase(name: "for six minutes", reason: "lifetime", claims: { ["exp": .integer($0.seconds + 360)] }),
        AssertionCase(name: "exp as text", reason: "lifetime", claims: { _ in ["exp": "soon"] }),
        AssertionCase(name: "from the future", reason: "future", claims: { ["iat": .integer($0.seconds + 61)] }),
        AssertionCase(name: "not yet", reason: "future", claims: { ["nbf": .integer($0.seconds + 61)] }),
        AssertionCase(name: "a minute ahead", reason: nil, claims: { ["iat": .integer($0.seconds + 60)] }),
        AssertionCase(name: "of an hour ago", reason: "lifetime", claims: { ["iat": .integer($0.seconds - 3600)] }),
        AssertionCase(name: "by a slow clock", reason: nil, claims: { ["iat": .integer($0.seconds - 350)] }),
        AssertionCase(name: "without iat", reason: nil, claims: { _ in ["iat": nil] }),
        AssertionCase(name: "without jti", reason: "identifier", claims: { _ in ["jti": nil] }),
        AssertionCase(name: "with an empty jti", reason: "identifier", claims: { _ in ["jti": ""] }),
        AssertionCase(name: "jti as a number", reason: "identifier", claims: { _ in ["jti": .integer(7)] }),
        AssertionCase(
            name: "with a long jti", reason: "identifier",
            claims: { _ in ["jti": .string(String(repeating: "x", count: 256))] }),
        AssertionCase(
            name: "another application's", reason: "signature", claims: { _ in ["iss": "secret", "sub": "secret"] }),
        AssertionCase(
            name: "of no application", reason: "signature", claims: { _ in ["iss": "nobody", "sub": "nobody"] }),
    ]

    @Test(arguments: assertions)
    func `An assertion is taken where all of it is right, and the log says what is not`(_ item: AssertionCase)
        async throws
    {
        let stage = try await Stage.make()
        let credentials = try stage.assertion(item.claims(stage.test.now), header: item.header)
        let outcome = Outcome(try await stage.authenticate(credentials))
        #expect(outcome == (item.reason == nil ? .good("key", .privateKeyJWT) : .refused(.wrongCredentials)))
        let events = try await stage.test.events(.clientRefused)
        #expect(events.map(\.reason) == (item.reason.map { [$0] } ?? []))
        #expect(events.allSatisfy { $0.details["method"] == "private_key_jwt" })
    }

    @Test
    func `What is no assertion of an application's own is malformed, and not counted`() async throws {
        let stage = try await Stage.make()
        var untyped = try stage.assertion()
        untyped.assertionType = nil
        for credentials in [
            stage.shown(""), stage.shown("a.b.c"), stage.shown("...."), untyped,
            try stage.assertion(["iss": "other"]), try stage.assertion(["sub": nil]),
            try stage.assertion(header: ["crit": .array(["exp"])]), try stage.assertion(header: ["alg": nil]),
        ] {
            #expect(Outcome(try await stage.authenticate(credentials, from: "a")) == .refused(.malformed))
        }
        // A claim that is there twice.
        let twice = #"{"iss":"key","sub":"secret","sub":"key","aud":"\#(Self.issuer)","jti":"x","exp":1}"#
        #expect(
            Outcome(try await stage.authenticate(stage.signed(["alg": "ES256", "kid": "k1"], Array(twice.utf8))))
                == .refused(.malformed))
        var named = try stage.assertion()
        named.clientID = "both"
        #expect(Outcome(try await stage.authenticate(named)) == .refused(.malformed))
        named.clientID = "key"
        #expect(Outcome(try await stage.authenticate(named)) == .good("key", .privateKeyJWT))
        #expect(try await stage.test.counter(CounterKey.clients(from: "a")) == nil)
        let forged = try stage.assertion(by: stage.other)
        #expect(Outcome(try await stage.authenticate(forged)) == .refused(.wrongCredentials))
    }

    @Test(arguments: TestStore.available)
    func `An assertion is good once, also where it comes twenty times at once`(on store: TestStore) async throws {
        let stage = try await Stage.make(on: store)
        let credentials = try stage.assertion(["jti": "one"])
        let outcomes = try await race(20, meetingBefore: 1) { _ in
            Outcome(try await stage.authenticate(credentials))
        }
        #expect(outcomes.count { $0 == .good("key", .privateKeyJWT) } == 1)
        #expect(outcomes.count { $0 == .refused(.wrongCredentials) } == 19)
        #expect(try await stage.test.events(.clientRefused).allSatisfy { $0.reason == "used" })
        // The same name of another application's assertion is another assertion.
        let other = try stage.assertion(["jti": "one", "iss": "both", "sub": "both"])
        #expect(Outcome(try await stage.authenticate(other)) == .good("both", .privateKeyJWT))
        #expect(Outcome(try await stage.authenticate(other)) == .refused(.wrongCredentials))
    }

    @Test
    func `A used assertion is forgotten once every server takes it for expired, and no handle leads to it`()
        async throws
    {
        let stage = try await Stage.make()
        let credentials = try stage.assertion(["jti": "one"])
        _ = try await stage.authenticate(credentials)
        let used = UsedToken(.clientAssertion, "one", of: "key", expiresAt: stage.test.now + 60)
        #expect(try await stage.test.store.read { try $0.flow(digest: used.digest) } == nil)
        // As long as a server whose clock is behind could take it.
        stage.test.clock.advance(60 + UsedToken.kept)
        try await stage.test.realm.maintenance.run()
        #expect(try await !stage.test.store.write { try $0.insert(used) })
        stage.test.clock.advance(1)
        try await stage.test.realm.maintenance.run()
        #expect(try await stage.test.store.write { try $0.insert(used) })
        #expect(Outcome(try await stage.authenticate(credentials)) == .refused(.wrongCredentials))
    }

    @Test
    func `A used token is known by the digest of a byte that no text has, its kind, its owner and its name`() {
        let text = "dpop-proof\u{0}thumbprint\u{0}näme"
        let used = UsedToken(.possessionProof, "näme", of: "thumbprint", expiresAt: .distantFuture)
        #expect(used.digest == Data(SHA256.hash(data: Data([0xFF]) + Data(text.utf8))))
    }

    // MARK: Limits and the log

    @Test
    func `Wrong credentials count by source, whether there is such an application or not; right ones do not`()
        async throws
    {
        let stage = try await Stage.make()
        let limit = RateLimit.clientsPerSource.count
        for index in 0..<limit {
            let id = index.isMultiple(of: 2) ? "secret" : "unknown"
            #expect(
                Outcome(try await stage.authenticate(Self.post(id, "wrong"), from: "a"))
                    == .refused(.wrongCredentials))
            #expect(
                Outcome(try await stage.authenticate(Self.post("secret", Self.secret), from: "b"))
                    == .good("secret", .secretPost))
        }
        for credentials in [Self.post("secret", Self.secret), Self.basic("unknown", "wrong"), try stage.assertion()] {
            guard case .refused(.limited(let until)) = try await stage.authenticate(credentials, from: "a") else {
                Issue.record("looked at")
                continue
            }
            #expect(until > stage.test.now)
        }
        // Who shows nothing guesses nothing.
        #expect(Outcome(try await stage.authenticate(Self.post("public", nil), from: "a")) == .good("public", .none))
        #expect(try await stage.test.counter(CounterKey.clients(from: "b")) == nil)
        #expect(try await stage.test.events(.clientRefused).count == limit)
        stage.test.clock.advance(RateLimit.clientsPerSource.window)
        #expect(
            Outcome(try await stage.authenticate(Self.post("secret", Self.secret), from: "a"))
                == .good("secret", .secretPost))
    }

    @Test(arguments: TestStore.available)
    func `Wrong secrets sent at once to two servers on one store get the looks that the limit has, and no more`(
        on store: TestStore
    ) async throws {
        let stage = try await Stage.make(on: store)
        let servers = [
            stage, Stage(test: try TestRealm.make(keptIn: stage.test.store, clock: stage.test.clock, seed: 2)),
        ]
        let limit = RateLimit.clientsPerSource.count
        let outcomes = try await race(2 * limit, meetingBefore: 1) { number in
            Outcome(try await servers[number % 2].authenticate(Self.post("secret", "wrong"), from: "a"))
        }
        #expect(outcomes.count { $0 == .refused(.wrongCredentials) } == limit)
        #expect(outcomes.count { if case .refused(.limited) = $0 { true } else { false } } == limit)
        for server in servers {
            let right = Outcome(try await server.authenticate(Self.post("secret", Self.secret), from: "a"))
            guard case .refused(.limited) = right else {
                Issue.record("looked at: \(right)")
                continue
            }
        }
        #expect(try await stage.test.events(.clientRefused).count == limit)
    }

    @Test
    func `A right secret and a public client's request write nothing, also while others count`() async throws {
        let stage = try await Stage.make()
        _ = try await stage.authenticate(Self.post("secret", "wrong"), from: "a")
        let counter = try await stage.test.counter(CounterKey.clients(from: "a"))
        let log = try await stage.test.realm.auditLog.events(limit: 1000).count
        for credentials in [
            Self.post("secret", Self.secret), Self.basic("secret", Self.secret), Self.post("public", nil),
            Self.post("public", "anything"),
        ] {
            guard case .authenticated = try await stage.authenticate(credentials, from: "a") else {
                Issue.record("refused")
                continue
            }
        }
        #expect(try await stage.test.counter(CounterKey.clients(from: "a")) == counter)
        #expect(counter?.count == 1 && counter?.open == [])
        #expect(try await stage.test.realm.auditLog.events(limit: 1000).count == log)
    }

    @Test
    func `A drawn secret is looked at within the limit alone, is counted where it is wrong, and ends with its overlap`()
        async throws
    {
        let stage = try await Stage.make()
        let (first, second) = (
            ApplicationRegistration.drawnSecret(random: stage.test.random),
            ApplicationRegistration.drawnSecret(random: stage.test.random)
        )
        var registration = ApplicationRegistration()
        registration.setSecret(first, isDrawn: true)
        registration.setSecret(second, isDrawn: true, keepingFormerUntil: stage.test.now + 60)
        _ = try await stage.test.realm.applications.add(
            id: ClientID(rawValue: "drawn"), registration, by: stage.test.client)
        func outcome(_ secret: Secret<String>, _ expectation: ClientExpectation? = nil) async throws -> Outcome {
            Outcome(try await stage.authenticate(Self.post("drawn", secret.reveal()), from: "a", expectation))
        }
        for secret in [first, second] { #expect(try await outcome(secret) == .good("drawn", .secretPost)) }
        #expect(try await outcome(second, ClientExpectation([.secretBasic])) == .refused(.methodNotAdmitted))
        stage.test.clock.advance(60)
        #expect(try await outcome(first) == .refused(.wrongCredentials))
        #expect(try await stage.test.counter(CounterKey.clients(from: "a"))?.count == 1)
        let wrong = ApplicationRegistration.drawnSecret(random: stage.test.random)
        for _ in 1..<RateLimit.clientsPerSource.count {
            #expect(try await outcome(wrong) == .refused(.wrongCredentials))
        }
        guard case .refused(.limited) = try await outcome(second) else {
            Issue.record("looked at")
            return
        }
        #expect(try await stage.test.events(.clientRefused).count == RateLimit.clientsPerSource.count)
    }

    @Test
    func `Only a secret that was drawn is noted as such, and stays so over an overlap`() throws {
        var registration = ApplicationRegistration()
        registration.setSecret(Secret(String(repeating: "a", count: ApplicationRegistration.drawnSecretLength)))
        #expect(registration.secretIsDrawn == nil)
        registration.setSecret(ApplicationRegistration.drawnSecret(random: SystemRandom()), isDrawn: true)
        let drawn = try JSONDecoder().decode(
            ApplicationRegistration.self, from: JSONEncoder().encode(registration))
        #expect(drawn.secretIsDrawn == true)
        registration.setSecret(Secret(Self.secret), keepingFormerUntil: .distantFuture)
        #expect(registration.secretIsDrawn == nil)
        #expect(registration.oauth.formerSecrets.map(\.isDrawn) == [true])
        registration.setSecret(nil)
        #expect(registration.secretIsDrawn == nil)
    }

    @Test
    func `An application shows no more assertions than are remembered, and another may go on`() async throws {
        let stage = try await Stage.make()
        let limit = RateLimit.assertionsPerApplication
        let now = stage.test.now
        let full = limit.keys(of: CounterKey.assertions(of: ClientID(rawValue: "key")), from: 0)
        try await stage.test.store.write { transaction in
            for key in full {
                try transaction.put(AttemptCounter(key: key, count: limit.count / full.count, since: now))
            }
        }
        // The last place is taken by a right assertion alone; a forged or repeated one takes none.
        try await stage.test.store.write { transaction in
            try transaction.put(AttemptCounter(key: full[0], count: limit.count / full.count - 1, since: now))
        }
        let forged = try stage.assertion(by: stage.other)
        #expect(Outcome(try await stage.authenticate(forged, from: "a")) == .refused(.wrongCredentials))
        let credentials = try stage.assertion()
        #expect(Outcome(try await stage.authenticate(credentials, from: "a")) == .good("key", .privateKeyJWT))
        guard case .refused(.limited(let until)) = try await stage.authenticate(stage.assertion(), from: "a") else {
            Issue.record("taken")
            return
        }
        #expect(until == now + limit.window)
        let other = try stage.assertion(["iss": "both", "sub": "both"])
        #expect(Outcome(try await stage.authenticate(other, from: "a")) == .good("both", .privateKeyJWT))
        stage.test.clock.advance(limit.window)
        #expect(Outcome(try await stage.authenticate(stage.assertion(), from: "a")) == .good("key", .privateKeyJWT))
    }

    @Test
    func `The log names the method and a known application, and nothing that the requester wrote`() async throws {
        let stage = try await Stage.make()
        _ = try await stage.authenticate(Self.post("secret", "wr0ng"))
        _ = try await stage.authenticate(Self.basic("n0body", "wr0ng"))
        let events = try await stage.test.events(.clientRefused)
        #expect(events.count == 2)
        #expect(Set(events.map { $0.details["method"] }) == ["client_secret_post", "client_secret_basic"])
        #expect(events.compactMap { $0.details["application"] } == ["secret"])
        let text = String(decoding: try JSONEncoder().encode(events), as: UTF8.self)
        #expect(!text.contains("wr0ng") && !text.contains("n0body"))
    }

    @Test
    func `An unknown application costs a comparison or a verification like a known one`() throws {
        #expect(!ApplicationRegistration().hasSecret(Secret("")))
        for algorithm in StatementAlgorithm.allCases {
            // An RSA key verifies both kinds of signatures (RFC 7518, sections 3.3 and 3.5).
            let own = algorithm == .ps256 ? StatementAlgorithm.rs256 : algorithm
            #expect(AssertionKey.decoy(algorithm)?.algorithm == own)
        }
    }

    // MARK: Keys

    static let keySets: [(jwks: JSONValue, fault: AssertionKey.Fault)] = {
        let key: [String: JSONValue] = [
            "kty": "EC", "crv": "P-256", "x": "SunBGweBTqtDNsxBnqUAjKHoKwF83Gpr_ka5e6FaB4o",
            "y": "wbnG4MMOUADqLEEebfoCBgTOXFgCTD8wQ2aQ2ldQKGw",
        ]
        func with(_ changes: [String: JSONValue]) -> JSONValue { .object(key.merging(changes) { _, new in new }) }
        func set(_ keys: JSONValue...) -> JSONValue { .object(["keys": .array(keys)]) }
        return [
            (.null, .noKeySet), (.object([:]), .noKeySet), (set(), .noKeySet), (.object(["keys": "x"]), .noKeySet),
            (.object(["keys": .array((0...10).map { with(["kid": .string("\($0)")]) })]), .noKeySet),
            (set(with(["d": "AQAB"])), .isPrivate), (set(.object(["kty": "oct", "k": "AQAB"])), .isPrivate),
            (set(with([:]), with(["kid": "a"])), .ambiguousName),
            (set(with(["kid": "a"]), with(["kid": "a"])), .ambiguousName),
            (set(with(["kid": .integer(1)])), .ambiguousName), (set(with(["kid": ""])), .ambiguousName),
            (set(with(["crv": "P-384"])), .unusableKey(.malformed)),
            (set(with(["use": "enc"])), .unusableKey(.wrongPurpose)),
            (set(with(["x": "AQAB"])), .unusableKey(.notOnCurve)), (set("x"), .unusableKey(.malformed)),
        ]
    }()

    @Test(arguments: keySets)
    func `Keys are registered as a set of public ones, whose names tell them apart`(
        _ item: (jwks: JSONValue, fault: AssertionKey.Fault)
    ) {
        #expect(throws: item.fault) { try AssertionKey.keys(ofJWKS: item.jwks) }
    }

    @Test
    func `Registrations with keys are kept, and the log says that they changed`() async throws {
        let stage = try await Stage.make()
        let id = ClientID(rawValue: "key")
        let kept = try #require(await stage.test.realm.applications.application(id))
        #expect(kept.registration.assertionKeys.map(\.id) == ["k1", "k2"])
        #expect(kept.registration.isConfidential)
        _ = try await stage.test.realm.applications.change(id, by: stage.test.client) { $0.assertionKeys = [] }
        #expect(try await stage.test.events(.applicationChanged).contains { $0.details["keysChanged"] == .bool(true) })
        let outcome = Outcome(try await stage.authenticate(try stage.assertion()))
        #expect(outcome == .good("key", .none), "a public application's credentials are not looked at")
    }
}
