import ClientHTTP
import CountersignCore
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

@testable import ScopeProtection

/// A server that says what a test says, and counts.
final class StagedTransport: HTTPTransport {
    typealias Answer = @Sendable (HTTPClientRequest) throws -> HTTPClientResponse
    private let state: Mutex<(answer: Answer, requests: [HTTPClientRequest])>

    init(_ answer: @escaping Answer) { state = Mutex((answer, [])) }

    var requests: [HTTPClientRequest] { state.withLock { $0.requests } }
    func becomes(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let answer = state.withLock {
            $0.requests.append(request)
            return $0.answer
        }
        return try answer(request)
    }
}

/// A server whose first answer comes when a test says so; those that follow come at once.
private final class HeldTransport: HTTPTransport {
    private struct State {
        var count = 0
        var isOpen = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let first: HTTPClientResponse
    private let later: HTTPClientResponse

    init(_ first: HTTPClientResponse, then later: HTTPClientResponse? = nil) {
        self.first = first
        self.later = later ?? first
    }

    var count: Int { state.withLock { $0.count } }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let isLater = state.withLock { state in
            state.count += 1
            for watcher in state.watchers { watcher.resume() }
            state.watchers = []
            return state.isOpen
        }
        if isLater { return later }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return first
    }

    func isAsked() async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if state.count == 0 { state.watchers.append(continuation) }
                return state.count > 0
            }
            if isAsked { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

final class Time: Sendable {
    private let seconds = Mutex(1_790_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(_ by: Double) { seconds.withLock { $0 += by } }
}

@Suite("Token validators")
struct ValidatorTests {
    private static let server = URL(string: "https://auth.example.org") ?? URL(filePath: "/")
    private let time = Time()

    // MARK: Keys

    private struct Issuer: Sendable {
        let key = P256.Signing.PrivateKey()
        var kid = "one"

        var jwks: String {
            let point = Array(key.publicKey.rawRepresentation)
            return
                #"{"keys":[{"kty":"odd"},{"kty":"EC","crv":"P-256","alg":"ES256","kid":"\#(kid)","x":"\#(Array(point[..<32]).base64URL)","y":"\#(Array(point[32...]).base64URL)"}]}"#
        }

        func token(_ claims: String, header: String? = nil) throws -> String {
            let header = header ?? #"{"alg":"ES256","kid":"\#(kid)"}"#
            let input = "\(Array(header.utf8).base64URL).\(Array(claims.utf8).base64URL)"
            return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
        }
    }

    private func claims(
        exp: Double = 60, iss: String = "com.ibm.mfp", aud: String = #""com.ibm.mfp""#, nbf: Double? = nil
    ) -> String {
        let nbf = nbf.map { #","nbf":\#(time.now.timeIntervalSince1970 + $0)"# } ?? ""
        return
            #"{"iss":"\#(iss)","aud":\#(aud),"sub":"ada","scope":"a b","exp":\#(time.now.timeIntervalSince1970 + exp)\#(nbf)}"#
    }

    private func isValid(_ validator: some TokenValidator, _ token: String) async throws -> Bool {
        if case .valid = try await validator.validate(token) { true } else { false }
    }

    @Test
    func `Offline: only what the published key signed, for us, now`() async throws {
        let issuer = Issuer()
        let transport = StagedTransport { [jwks = issuer.jwks] _ in
            HTTPClientResponse(status: 200, body: Data(jwks.utf8))
        }
        let validator = JWKSValidator(
            .securityChecks(server: Self.server), http: HTTPClient(transport: transport), now: { [time] in time.now })
        guard case .valid(let token) = try await validator.validate(issuer.token(claims())) else {
            return #expect(Bool(false), "refused")
        }
        #expect(token.subject == "ada" && token.scope == ["a", "b"])
        #expect(try await isValid(validator, issuer.token(claims(aud: #"["x","com.ibm.mfp"]"#))))
        for wrong in [
            claims(exp: -31), claims(iss: "somebody"), claims(aud: #""somebody""#), claims(nbf: 60),
            #"{"iss":"com.ibm.mfp","aud":"com.ibm.mfp","sub":"ada"}"#, "{}", "[]",
        ] { #expect(try await !isValid(validator, issuer.token(wrong)), "\(wrong)") }
        let stranger = Issuer()
        #expect(try await !isValid(validator, stranger.token(claims())))
        for header in [
            #"{"alg":"none","kid":"one"}"#, #"{"alg":"HS256","kid":"one"}"#, #"{"alg":"ES256"}"#,
            #"{"alg":"ES256","kid":"one","crit":["exp"]}"#, #"{"alg":"RS256","kid":"one"}"#,
        ] { #expect(try await !isValid(validator, issuer.token(claims(), header: header)), "\(header)") }
        #expect(try await !isValid(validator, "a.b.c"))
        #expect(transport.requests.count == 1)
        #expect(transport.requests[0].url.path == "/.well-known/jwks.json")
    }

    @Test
    func `Offline: a new key is fetched when it is first seen, and made-up ones not each time`() async throws {
        let first = Issuer()
        let transport = StagedTransport { [jwks = first.jwks] _ in
            HTTPClientResponse(status: 200, body: Data(jwks.utf8))
        }
        let validator = JWKSValidator(
            .securityChecks(server: Self.server), http: HTTPClient(transport: transport), now: { [time] in time.now })
        #expect(try await isValid(validator, first.token(claims())))
        var second = Issuer()
        second.kid = "two"
        let jwks = second.jwks
        transport.becomes { _ in HTTPClientResponse(status: 200, body: Data(jwks.utf8)) }
        time.advance(11)
        #expect(try await isValid(validator, second.token(claims())))
        for _ in 0..<50 {
            var made = Issuer()
            made.kid = "made-up"
            #expect(try await !isValid(validator, made.token(claims())))
        }
        #expect(transport.requests.count == 2)
        // Where the issuer is away, keys that were good still are.
        struct Away: Error {}
        transport.becomes { _ in throw Away() }
        time.advance(301)
        #expect(try await isValid(validator, second.token(claims())))
        // It is asked again after a while, not for each request; and a token that cannot be looked up is not called
        // invalid.
        #expect(try await isValid(validator, second.token(claims())))
        var third = Issuer()
        third.kid = "three"
        let (unknown, fresh) = (try third.token(claims()), third.jwks)
        await #expect(throws: (any Error).self) { try await validator.validate(unknown) }
        #expect(transport.requests.count == 3)
        transport.becomes { _ in HTTPClientResponse(status: 200, body: Data(fresh.utf8)) }
        time.advance(11)
        #expect(try await isValid(validator, third.token(claims())))
    }

    @Test
    func `Offline: a token that was good once is judged by its times and by the keys of now`() async throws {
        let (first, second) = (Issuer(), Issuer())
        let transport = StagedTransport { [jwks = first.jwks] _ in
            HTTPClientResponse(status: 200, body: Data(jwks.utf8))
        }
        let validator = JWKSValidator(
            .securityChecks(server: Self.server), http: HTTPClient(transport: transport), now: { [time] in time.now })
        let (short, long) = (try first.token(claims()), try first.token(claims(exp: 3600)))
        for _ in 0..<2 { for token in [short, long] { #expect(try await isValid(validator, token)) } }
        // One token's claims under another's signature.
        let parts = (short.split(separator: "."), long.split(separator: "."))
        #expect(try await !isValid(validator, [parts.0[0], parts.1[1], parts.0[2]].joined(separator: ".")))
        time.advance(91)
        #expect(try await !isValid(validator, short))
        #expect(try await isValid(validator, long))
        // The same name, another key: the issuer took the first one back.
        transport.becomes { [jwks = second.jwks] _ in HTTPClientResponse(status: 200, body: Data(jwks.utf8)) }
        time.advance(300)
        #expect(try await !isValid(validator, long))
        #expect(try await isValid(validator, second.token(claims())))
    }

    @Test
    func `Offline: who comes while the first keys are on their way waits for them`() async throws {
        let issuer = Issuer()
        let transport = HeldTransport(HTTPClientResponse(status: 200, body: Data(issuer.jwks.utf8)))
        let validator = JWKSValidator(
            .securityChecks(server: Self.server), http: HTTPClient(transport: transport), now: { [time] in time.now })
        let token = try issuer.token(claims())
        let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await isValid(validator, token) } }
            await transport.isAsked()
            for _ in 0..<200 { await Task.yield() }
            transport.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(valid == 20)
        #expect(transport.count == 1)
    }

    @Test
    func `Online: a burst fetches our own token once`() async throws {
        let held = HeldTransport(
            HTTPClientResponse(status: 200, body: Data(#"{"access_token":"own","expires_in":3600}"#.utf8)),
            then: HTTPClientResponse(
                status: 200,
                body: Data(
                    #"{"active":true,"scope":"a","client_id":"c","exp":\#((time.now.timeIntervalSince1970 + 60) * 1000)}"#
                        .utf8)))
        let validator = IntrospectionValidator(
            .securityChecks(server: Self.server, clientID: "me", clientSecret: "secret"),
            http: HTTPClient(transport: held), now: { [time] in time.now })
        let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await isValid(validator, "t") } }
            await held.isAsked()
            for _ in 0..<200 { await Task.yield() }
            held.open()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(valid == 20)
        #expect(held.count == 21)
    }

    // MARK: Introspection

    @Test
    func `Online: our own token is renewed once, answers are used as long as we said, conflicts are passed on`()
        async throws
    {
        let active =
            #"{"active":true,"scope":"a RegisteredClient","username":"ada","client_id":"c","exp":1790000060000,"mfp-user":{"id":"ada","displayName":"Ada","authenticatedAt":1789999990000}}"#
        let answers = StagedAnswers(active)
        let transport = StagedTransport { try answers.answer($0) }
        let validator = IntrospectionValidator(
            .securityChecks(server: Self.server, clientID: "me", clientSecret: "secret", reuse: 30),
            http: HTTPClient(transport: transport), now: { [time] in time.now })
        guard case .valid(let token) = try await validator.validate("t") else {
            return #expect(Bool(false), "refused")
        }
        #expect(token.userID == "ada" && token.displayName == "Ada" && token.isUser && token.clientID == "c")
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_790_000_060))
        #expect(token.authenticatedAt == Date(timeIntervalSince1970: 1_789_999_990))
        let basic = transport.requests[0].headers["Authorization"]
        #expect(basic == "Basic \(Data("me:secret".utf8).base64EncodedString())")
        #expect(transport.requests.count == 2)
        #expect(try await isValid(validator, "t"))
        #expect(transport.requests.count == 2)
        time.advance(30)
        answers.set(introspection: (200, #"{"active":false}"#))
        #expect(try await !isValid(validator, "t"))
        answers.set(introspection: (409, ""))
        guard case .conflict = try await validator.validate("t") else { return #expect(Bool(false), "no conflict") }
        answers.set(introspection: (200, active), refusesFirst: true)
        #expect(try await isValid(validator, "u"))
        // What the issuer calls active is not, behind its own end.
        time.advance(60)
        #expect(try await !isValid(validator, "w"))
        answers.set(introspection: (401, ""))
        await #expect(throws: IntrospectionValidator.Failure.self) { try await validator.validate("v") }
        answers.set(introspection: (500, ""))
        await #expect(throws: IntrospectionValidator.Failure.self) { try await validator.validate("v") }
    }

    // MARK: The middleware

    @Test
    func `A request is let in with what it takes, and answered what is missing without`() async throws {
        struct Words: TokenValidator {
            struct Broken: Error {}
            func validate(_ token: String) async throws -> TokenVerdict {
                switch token {
                case "conflict": return .conflict
                case "broken": throw Broken()
                case "made-up": return .invalid
                default:
                    return .valid(
                        ValidToken(
                            subject: "ada", scope: Set(token.split(separator: "+").map(String.init)),
                            expiresAt: .distantFuture))
                }
            }
        }
        let router = Router()
        router.requires(scope: "read", validator: Words()).get("balance") { _, _ in
            "19938.80 for \(ValidToken.current?.subject ?? "nobody")"
        }
        router.get("public") { _, _ in "\(ValidToken.current == nil)" }
        try await Application(router: router).test(.router) { client in
            func get(_ authorization: [String]) async throws -> (Int, String?, String) {
                var headers = HTTPFields()
                for value in authorization { headers.append(HTTPField(name: .authorization, value: value)) }
                let response = try await client.executeRequest(
                    uri: "/balance", method: .get, headers: headers, body: nil)
                return (response.status.code, response.headers[.wwwAuthenticate], String(buffer: response.body))
            }
            #expect(try await get([]) == (401, "Bearer", ""))
            #expect(try await get(["Basic abc"]) == (401, "Bearer", ""))
            for malformed in [["Bearer"], ["Bearer "], ["Bearer a b"], ["Bearer a,b"], ["Bearer a", "Bearer b"]] {
                #expect(try await get(malformed).0 == 400, "\(malformed)")
            }
            #expect(try await get(["Bearer made-up"]) == (401, #"Bearer error="invalid_token""#, ""))
            #expect(
                try await get(["Bearer write"]) == (403, #"Bearer error="insufficient_scope", scope="read""#, ""))
            #expect(try await get(["bearer write+read"]) == (200, nil, "19938.80 for ada"))
            #expect(try await get(["Bearer conflict"]).0 == 409)
            #expect(try await get(["Bearer broken"]).0 == 500)
            let open = try await client.executeRequest(uri: "/public", method: .get, headers: [:], body: nil)
            #expect(String(buffer: open.body) == "true")
        }
    }
}

private final class StagedAnswers: Sendable {
    private let state: Mutex<(introspection: (Int, String), refusesFirst: Bool)>

    init(_ active: String) { state = Mutex(((200, active), false)) }

    func set(introspection: (Int, String), refusesFirst: Bool = false) {
        state.withLock { $0 = (introspection, refusesFirst) }
    }

    func answer(_ request: HTTPClientRequest) throws -> HTTPClientResponse {
        if request.url.path.hasSuffix("/token") {
            return HTTPClientResponse(status: 200, body: Data(#"{"access_token":"own","expires_in":3600}"#.utf8))
        }
        let answer = state.withLock { state in
            if state.refusesFirst {
                state.refusesFirst = false
                return (401, "")
            }
            return state.introspection
        }
        return HTTPClientResponse(status: answer.0, body: Data(answer.1.utf8))
    }
}
