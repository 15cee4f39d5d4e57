import ClientHTTP
import Foundation
import JSON
import MSAL
import NativeAuthWire
import Testing

/// A server in memory: answers each endpoint as it is told, and remembers what it was asked.
final class ScriptedServer: HTTPTransport {
    struct Answer: Sendable, ExpressibleByStringLiteral {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""
        /// Instead of an answer.
        var error: HTTPClientError?

        init(_ body: String, status: Int = 200, headers: [String: String] = [:]) {
            self.body = body
            self.status = status
            self.headers = headers
        }

        init(stringLiteral body: String) { self.body = body }

        static func refusal(
            _ error: String, _ suberror: String? = nil, codes: [Int] = [], text: String? = "TEXT", more: String = ""
        ) -> Answer {
            let suberror = suberror.map { #","suberror":"\#($0)""# } ?? ""
            let text = text.map { #","error_description":"\#($0)""# } ?? ""
            let codes = codes.map(String.init).joined(separator: ",")
            return Answer(#"{"error":"\#(error)"\#(suberror)\#(text),"error_codes":[\#(codes)]\#(more)}"#, status: 400)
        }

        static func failure(_ error: HTTPClientError) -> Answer {
            var answer = Answer("")
            answer.error = error
            return answer
        }

        static let redirect: Answer = #"{"challenge_type":"redirect","redirect_reason":"REASON"}"#
        static func token(_ token: String) -> Answer { Answer(#"{"continuation_token":"\#(token)"}"#) }
        static func password(_ token: String) -> Answer {
            Answer(#"{"challenge_type":"password","continuation_token":"\#(token)"}"#)
        }
        static func code(_ token: String, channel: String = "email") -> Answer {
            Answer(
                #"{"challenge_type":"oob","continuation_token":"\#(token)","challenge_target_label":"a***@b.c","#
                    + #""challenge_channel":"\#(channel)","code_length":8,"binding_method":"prompt","interval":300}"#)
        }
        static func methods(_ token: String) -> Answer {
            Answer(
                #"{"continuation_token":"\#(token)","methods":[{"id":"m1","challenge_type":"oob","#
                    + #""challenge_channel":"email","login_hint":"a***@b.c"},{"id":"m2","challenge_type":"oob","#
                    + #""challenge_channel":"sms"}]}"#)
        }
    }

    private struct State: Sendable {
        var answers: [String: [Answer]] = [:]
        var requests: [HTTPClientRequest] = []
    }

    private let state = Locked(State())

    /// The path is answered so from now on, by one answer after the other; the last one stays.
    func on(_ path: String, _ answers: Answer...) { state.withLock { $0.answers[path] = answers } }
    func on(_ endpoint: Endpoint, _ answers: Answer...) { state.withLock { $0.answers[endpoint.path] = answers } }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            guard let path = state.answers.keys.first(where: { request.url.path.hasSuffix($0) }),
                let answers = state.answers[path], let first = answers.first
            else { return nil }
            if answers.count > 1 { state.answers[path] = Array(answers.dropFirst()) }
            return first
        }
        guard let answer else { return HTTPClientResponse(status: 404, body: Data("no script".utf8)) }
        if let error = answer.error { throw error }
        return HTTPClientResponse(status: answer.status, headers: answer.headers, body: Data(answer.body.utf8))
    }

    var requests: [HTTPClientRequest] { state.withLock { $0.requests } }
    var paths: [String] { requests.map { $0.url.path.replacingOccurrences(of: "/contoso", with: "") } }
    func requests(to endpoint: Endpoint) -> [HTTPClientRequest] {
        requests.filter { $0.url.path.hasSuffix(endpoint.path) }
    }

    /// The fields of the last request to an endpoint.
    func form(_ endpoint: Endpoint) -> [String: String] { requests(to: endpoint).last?.form ?? [:] }
}

extension HTTPClientRequest {
    var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body ?? Data(), as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[String(parts[0]).removingPercentEncoding ?? ""] = String(parts[1]).removingPercentEncoding
        }
        return fields
    }
}

/// A clock that tests move, and that pauses move.
final class TestClock: Sendable {
    private let time = Locked((now: Date(timeIntervalSince1970: 1_790_000_000), pauses: [TimeInterval]()))

    var now: Date { time.current.now }
    var pauses: [TimeInterval] { time.current.pauses }
    func advance(_ seconds: TimeInterval) { time.withLock { $0.now.addTimeInterval(seconds) } }
    func pause(_ seconds: TimeInterval) {
        time.withLock {
            $0.pauses.append(seconds)
            $0.now.addTimeInterval(seconds)
        }
    }
}

/// Keeps accounts for the time of a test; it can be broken.
final class MemoryStorage: AccountStorage {
    struct Broken: Error {}

    let items = Locked<[String: Data]>([:])
    let isBroken = Locked(false)

    private func check() throws { if isBroken.current { throw Broken() } }

    func data(for account: String?) throws -> Data? {
        try check()
        return items.withLock { items in account.map { items[$0] } ?? items.first?.value }
    }

    func save(_ data: Data, for account: String) throws {
        try check()
        items.withLock { $0[account] = data }
    }

    func remove(_ account: String?) throws {
        try check()
        items.withLock { items in
            if let account { items[account] = nil } else { items = [:] }
        }
    }
}

/// An application with everything that a test looks at.
struct TestApp {
    let server = ScriptedServer()
    let clock = TestClock()
    let storage: MemoryStorage
    let nativeAuth: MSALNativeAuthPublicClientApplication

    init(
        storage: MemoryStorage = MemoryStorage(), url: String = "http://127.0.0.1:8080/contoso",
        transport: (any HTTPTransport)? = nil,
        _ configure: (MSALNativeAuthPublicClientApplicationConfig) -> Void = { _ in }
    ) throws {
        self.storage = storage
        let config = MSALNativeAuthPublicClientApplicationConfig(
            clientId: "app", authority: try MSALCIAMAuthority(url: try #require(URL(string: url))),
            challengeTypes: [.OOB, .password])
        config.redirectUri = "msauth.app://auth"
        configure(config)
        let clock = clock
        nativeAuth = try MSALNativeAuthPublicClientApplication(
            nativeAuthConfiguration: config,
            environment: ClientEnvironment(
                transport: transport ?? server, storage: storage, now: { clock.now },
                pause: {
                    try Task.checkCancellation()
                    clock.pause($0)
                }))
    }

    /// Signs a user in and returns the result.
    func signedIn(
        scope: String = "openid profile offline_access", expiresIn: Int = 3600, more: String = ""
    ) async throws -> MSALNativeAuthUserAccountResult {
        server.on(.initiate, .token("t1"))
        server.on(.challenge, .password("t2"))
        server.on(.token, .tokens("first", scope: scope, expiresIn: expiresIn, more: more))
        let parameters = MSALNativeAuthSignInParameters(username: "ada@example.com")
        parameters.password = "password"
        guard case .completed(let result) = await nativeAuth.signIn(parameters: parameters) else {
            throw MemoryStorage.Broken()
        }
        return result
    }
}

extension ScriptedServer.Answer {
    /// Tokens called so.
    static func tokens(
        _ name: String, scope: String = "openid profile offline_access", expiresIn: Int = 3600,
        claims: String = #""preferred_username":" Ada@Example.com ""#, uid: String = "oid", more: String = ""
    ) -> Self {
        Self(
            #"{"token_type":"Bearer","scope":"\#(scope)","expires_in":\#(expiresIn),"access_token":"at-\#(name)","#
                + #""refresh_token":"rt-\#(name)","id_token":"\#(jwt(#"{"sub":"s","name":"\#(name)",\#(claims)}"#))","#
                + #""client_info":"\#(ClientInfo(uid: uid, utid: "tid").text)"\#(more)}"#)
    }
}

/// A token with these claims and no signature.
func jwt(_ claims: String) -> String {
    #"{"alg":"none","typ":"JWT","kid":"K"}"#.utf8.base64URL + "." + claims.utf8.base64URL + "."
}
