import ClientHTTP
import FirebaseAuth
import Foundation
import JSON

/// A server in memory: answers by the last part of a path, and remembers what it was asked.
final class ScriptedServer: HTTPTransport {
    typealias Answer = @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        var requests: [HTTPClientRequest] = []
    }

    private let state = Locked(State())

    /// From now on, requests to a path that ends so are answered so.
    func on(_ suffix: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[suffix] = answer }
    }

    func on(_ suffix: String, _ json: String, status: Int = 200, headers: [String: String] = [:]) {
        on(suffix) { _ in HTTPClientResponse(status: status, headers: headers, body: Data(json.utf8)) }
    }

    /// A refusal in the form of version 2.
    func refuse(_ suffix: String, _ message: String, status: Int = 400) {
        on(
            suffix, #"{"error":{"code":\#(status),"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#,
            status: status)
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.first { request.url.path.hasSuffix($0.key) }?.value
        }
        guard let answer else { return HTTPClientResponse(status: 404, body: Data("no script".utf8)) }
        return try await answer(request)
    }

    var requests: [HTTPClientRequest] { state.withLock { $0.requests } }

    func requests(to suffix: String) -> [HTTPClientRequest] {
        requests.filter { $0.url.path.hasSuffix(suffix) }
    }

    /// The paths asked for, after the host that stands in them.
    var paths: [String] {
        requests.map { $0.url.path.split(separator: "/").dropFirst().joined(separator: "/") }
    }

    /// The bodies of the requests to a path, their keys in order.
    func bodies(to suffix: String) -> [String] {
        requests(to: suffix).map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    }

    /// The body of the last request to a path.
    func body(to suffix: String) -> String { bodies(to: suffix).last ?? "" }
}

extension ScriptedServer {
    /// Signs in any user, without a second factor.
    func acceptSignIn(uid: String = "u1", mfaInfo: String = "") {
        let tokens = Self.tokens("first")
        on(
            "accounts:signInWithPassword",
            #"{"kind":"k","localId":"\#(uid)","email":"a@b.c","registered":true,\#(tokens),"expiresIn":"3600"}"#)
        on("accounts:signUp", #"{"localId":"\#(uid)","email":"a@b.c",\#(tokens),"expiresIn":"3600"}"#)
        acceptLookup(uid: uid, mfaInfo: mfaInfo)
        acceptRefresh()
    }

    /// The next sign-in asks for a second factor.
    func askForSecondFactor(hints: String = ScriptedServer.totpFactor) {
        on(
            "accounts:signInWithPassword",
            #"{"localId":"u1","email":"a@b.c","mfaPendingCredential":"PENDING","mfaInfo":[\#(hints)]}"#)
    }

    func acceptLookup(uid: String = "u1", mfaInfo: String = "", extra: String = "") {
        let factors = mfaInfo.isEmpty ? "" : #","mfaInfo":[\#(mfaInfo)]"#
        on(
            "accounts:lookup",
            #"{"kind":"k","users":[{"localId":"\#(uid)","email":"a@b.c","emailVerified":true,"#
                + #""providerUserInfo":[{"providerId":"password","federatedId":"a@b.c","email":"a@b.c"}],"#
                + #""passwordUpdatedAt":1790000000000,"validSince":"1790000000","lastLoginAt":"1790000001000","#
                + #""createdAt":"1790000000000"\#(factors)\#(extra)}]}"#)
    }

    /// Each refresh gives other tokens.
    func acceptRefresh() {
        let count = Locked(0)
        on("v1/token") { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return HTTPClientResponse(
                status: 200,
                body: Data(
                    (#"{"access_token":"id-fresh\#(number)","expires_in":"3600","token_type":"Bearer","#
                        + #""refresh_token":"rt-fresh\#(number)","id_token":"id-fresh\#(number)","user_id":"u1"}"#).utf8
                ))
        }
    }

    static func tokens(_ name: String) -> String { #""idToken":"id-\#(name)","refreshToken":"rt-\#(name)""# }

    static let totpFactor =
        #"{"mfaEnrollmentId":"factor-1","displayName":"TOTP","enrolledAt":"2026-09-24T10:11:12.123456Z","totpInfo":{}}"#
}

/// A clock that tests move.
final class TestClock: Sendable {
    private let time = Locked(Date(timeIntervalSince1970: 1_790_000_000))
    var now: Date { time.current }
    func advance(_ seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }
}

/// An ``Auth`` of its own for one test.
func makeAuth(
    _ server: ScriptedServer, storage: any UserStorage = InMemoryUserStorage(), clock: TestClock = TestClock()
) -> Auth {
    let options = FirebaseOptions()
    options.apiKey = "K"
    let auth = Auth(
        app: FirebaseApp(name: "test", options: options), transport: server, storage: storage, now: { clock.now })
    auth.useEmulator(withHost: "127.0.0.1", port: 9099)
    return auth
}

/// Runs something that must throw an ``AuthErrorCode``, and returns its code.
func code(_ body: () async throws -> Void) async -> AuthErrorCode.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? AuthErrorCode)?.code
    }
}

/// A token with these claims and no signature.
func token(_ claims: String) -> String {
    #"{"alg":"none","typ":"JWT"}"#.utf8.base64URL + "." + claims.utf8.base64URL + "."
}
