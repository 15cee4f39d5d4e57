import ClientHTTP
import Foundation
import IBMMobileFirstPlatformFoundation
import JSON
import SecurityChecksWire

/// A server in memory. It registers, hands out codes and tokens, and guards a balance; what its checks say is scripted.
final class StandIn: HTTPTransport {
    typealias Answer = @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

    private struct State: Sendable {
        var requests: [HTTPClientRequest] = []
        var scripts: [String: [Answer]] = [:]
        var clients: [String] = []
        var scopes: [String: Scope] = [:]
    }

    private let state = Locked(State())

    /// The next answers for requests to paths that end so, in turn; the last one is for all later ones.
    func on(_ suffix: String, _ answers: Answer...) { state.withLock { $0.scripts[suffix] = answers } }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let script: Answer? = state.withLock { state in
            state.requests.append(request)
            guard let suffix = state.scripts.keys.first(where: { request.url.path.hasSuffix($0) }),
                var answers = state.scripts[suffix], let first = answers.first
            else { return nil }
            if answers.count > 1 { answers.removeFirst() }
            state.scripts[suffix] = answers
            return first
        }
        return try await script?(request) ?? usual(request)
    }

    /// What it does where nothing is scripted.
    func usual(_ request: HTTPClientRequest) -> HTTPClientResponse {
        let path = request.url.path.replacingOccurrences(of: "/mfp/api", with: "")
        switch (request.method, path) {
        case ("POST", Endpoint.registration):
            let id = state.withLock { state in
                state.clients.append("client-\(state.clients.count + 1)")
                return state.clients.last ?? ""
            }
            return Self.json(
                #"{"server_version":"8.0.2020032408"}"#, status: 201,
                headers: ["Location": Endpoint.registeredClient(id)])
        case ("POST", Endpoint.preauthorize): return Self.granted()
        case ("GET", Endpoint.authorization):
            let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let scope = query.first { $0.name == "scope" }?.value ?? ""
            let code = state.withLock { state in
                state.scopes["code-\(state.scopes.count)"] = Scope(scope)
                return "code-\(state.scopes.count - 1)"
            }
            return HTTPClientResponse(status: 302, headers: ["Location": "http://mfpredirecturi?code=\(code)"])
        case ("POST", Endpoint.token):
            let code = request.field("code") ?? ""
            guard let scope = state.withLock({ $0.scopes.removeValue(forKey: code) }) else {
                return Self.json(#"{"error":"invalid_grant"}"#, status: 400)
            }
            let token = "token-\(requests(to: Endpoint.token).count)"
            state.withLock { $0.scopes[token] = scope }
            return Self.json(
                #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":3600,"scope":"\#(scope.text)"}"#)
        case (_, Endpoint.logout), (_, Endpoint.heartbeat), ("PUT", _): return Self.json("{}")
        case (_, "/adapters/ResourceAdapter/balance"): return resource(request, needing: Scope("accessRestricted"))
        case (_, "/adapters/ResourceAdapter/transfer"): return resource(request, needing: Scope("transferPrivilege"))
        case (_, "/adapters/ResourceAdapter/publicData"):
            return HTTPClientResponse(status: 200, body: Data("Lorem".utf8))
        default: return HTTPClientResponse(status: 404, body: Data("no script for \(path)".utf8))
        }
    }

    private func resource(_ request: HTTPClientRequest, needing scope: Scope) -> HTTPClientResponse {
        let scope = scope.union(.registeredClient)
        guard let header = request.headers["Authorization"] else { return Self.needs(.bearer(), status: 401) }
        guard let granted = state.withLock({ $0.scopes[String(header.dropFirst("Bearer ".count))] }) else {
            return Self.needs(.invalidToken, status: 401)
        }
        guard scope.elements.isSubset(of: granted.elements) else {
            return Self.needs(.insufficientScope(scope), status: 403)
        }
        return HTTPClientResponse(status: 200, body: Data("19938.80".utf8))
    }

    /// Tokens that were given are good no more.
    func forgetTokens() { state.withLock { $0.scopes = [:] } }

    var requests: [HTTPClientRequest] { state.current.requests }
    func requests(to suffix: String) -> [HTTPClientRequest] { requests.filter { $0.url.path.hasSuffix(suffix) } }
    func count(_ suffix: String) -> Int { requests(to: suffix).count }

    /// What was asked, by methods and the last parts of paths.
    var trace: [String] { requests.map { "\($0.method) \($0.url.lastPathComponent)" } }

    /// The answers that requests to preauthorize had, as JSON with sorted keys.
    var challengeResponses: [String] {
        requests(to: Endpoint.preauthorize).map { request in
            let body = try? JSONDecoder().decode(PreauthorizeRequest<JSONValue>.self, from: request.body ?? Data())
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return (try? encoder.encode(body?.challengeResponse)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}

// Answers.
extension StandIn {
    static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPClientResponse {
        HTTPClientResponse(status: status, headers: headers, body: Data(text.utf8))
    }

    static func needs(_ header: AuthenticateHeader, status: Int) -> HTTPClientResponse {
        HTTPClientResponse(status: status, headers: ["WWW-Authenticate": header.text], body: Data("no".utf8))
    }

    /// - Parameter checks: the members of `challenges`, as JSON.
    static func challenge(_ checks: String, successes: String = "") -> HTTPClientResponse {
        json(
            #"{"challenges":{\#(checks)},"successes":{\#(successes)}}"#, status: 401,
            headers: ["WWW-Authenticate": "MFP-Challenge"])
    }

    static func granted(_ successes: String = "") -> HTTPClientResponse {
        json(#"{"successes":{\#(successes)}}"#)
    }

    static func failure(_ checks: String) -> HTTPClientResponse {
        json(#"{"failures":{\#(checks)}}"#, status: 403)
    }

    static let unknownClient = json(#"{"errorCode":"INVALID_CLIENT_ID"}"#, status: 400)
}

extension HTTPClientRequest {
    /// A field of the form in the body.
    func field(_ name: String) -> String? {
        URLComponents(string: "?" + String(decoding: body ?? Data(), as: UTF8.self))?.queryItems?
            .first { $0.name == name }?.value
    }
}

/// A key that signs nothing, made at once.
final class TestKeys: ClientKeys {
    let tags = Locked<[String]>([])

    func makeKey(tag: String) -> Data {
        tags.withLock { $0.append(tag) }
        // RSAPublicKey with the modulus 00 c5 and the exponent 3.
        return Data([0x30, 0x07, 0x02, 0x02, 0x00, 0xc5, 0x02, 0x01, 0x03])
    }

    func sign(_ message: Data, tag: String) -> Data? { tags.current.contains(tag) ? Data("signed".utf8) : nil }
    func removeKey(tag: String) { tags.withLock { $0.removeAll { $0 == tag } } }
}

final class TestStorage: RegistrationStorage {
    private let kept = Locked<[String: Data]>([:])
    func data(for account: String?) -> Data? { kept.current[account ?? ""] }
    func save(_ data: Data, for account: String) { kept.withLock { $0[account] = data } }
    func remove(_ account: String?) { kept.withLock { $0[account ?? ""] = nil } }
}

/// A clock that tests move.
final class TestClock: Sendable {
    private let time = Locked(Date(timeIntervalSince1970: 1_790_000_000))
    var now: Date { time.current }
    func advance(_ seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
}
