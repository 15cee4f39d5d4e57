import CountersignCore
import Crypto
import Delivery
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import JWTKit
import Logging
import NIOCore
import ServerHTTP
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// Apple's push service, as its documentation says that it behaves: it looks at everything that a provider sends before
/// it takes a push. It speaks HTTP/2 over TLS and nothing else.
final class PushService: Sendable {
    struct Push: Sendable {
        let token: String
        let headers: [String: String]
        let body: [UInt8]
        let status: Int

        var payload: JSON { (try? JSON(parsing: body)) ?? .null }
        var providerToken: String { String(headers["authorization"]?.dropFirst("bearer ".count) ?? "") }
    }

    /// What it answers instead of taking a push that is right.
    struct Answer: Sendable {
        var status: Int
        var reason: String?
        var timestamp: Int64?
        var retryAfter: String?
        /// Says nothing until ``PushService/speak()``.
        var isSilent = false
    }

    private struct State {
        var pushes: [Push] = []
        var answers: [Answer] = []
        /// When provider tokens were made, by themselves.
        var tokens: [String: Int64] = [:]
    }

    static let key = P256.Signing.PrivateKey()
    static let (keyID, teamID, topic) = ("ABC123DEFG", "DEF123GHIJ", "com.example.app")

    let authority: TestAuthority
    private let clock: any WallClock
    private let state = Mutex(State())
    private let speech = AsyncStream<Never>.makeStream()

    init(clock: any WallClock) throws {
        self.clock = clock
        authority = try TestAuthority()
    }

    var pushes: [Push] { state.withLock { $0.pushes } }
    /// Those that it took.
    var taken: [Push] { pushes.filter { $0.status == 200 } }

    /// Ends the silence of an answer.
    func speak() { speech.continuation.finish() }

    func answers(_ answers: Answer...) { state.withLock { $0.answers += answers } }

    // MARK: Serving

    /// Serves for as long as the body runs, which is given the port.
    ///
    /// A program that another test starts has a copy of the listening socket of before until it becomes that program, so that a given
    /// port may be taken for a moment.
    func serving<T: Sendable>(port: Int = 0, _ body: @escaping @Sendable (Int) async throws -> T) async throws -> T {
        for _ in 0..<1200 where port != 0 {
            do {
                return try await servingOnce(port: port, body)
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return try await servingOnce(port: port, body)
    }

    private struct DoesNotServe: Error {}

    private func servingOnce<T: Sendable>(
        port: Int, _ body: @escaping @Sendable (Int) async throws -> T
    ) async throws -> T {
        let router = Router()
        router.on("/**", method: .post) { request, _ in try await self.answer(request) }
        router.on("/**", method: .get) { request, _ in try await self.answer(request) }
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router, server: try .tls(.plaintextHTTP2(), tlsConfiguration: authority.tls()),
            configuration: .init(address: .hostname("localhost", port: port)),
            onServerRunning: {
                announce.yield($0.localAddress?.port ?? 0)
                announce.finish()
            }, logger: Logger(label: "apns") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: application)], logger: Logger(label: "apns") { _ in SwiftLogNoOpLogHandler() }
            ))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await group.run()
            }
            var port: Int?
            for await announced in ports { port = announced }
            let result: Result<T, any Error>
            if let port {
                do { result = .success(try await body(port)) } catch { result = .failure(error) }
            } else {
                // Why is the error of the group.
                result = .failure(DoesNotServe())
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    func endpoint(_ port: Int, timeout: Duration = .seconds(300)) throws -> APNsEndpoint {
        try APNsEndpoint(
            production: "https://localhost:\(port)", sandbox: "https://localhost:\(port)/sandbox",
            trustRoots: .certificates([authority.trustRoot()]), timeout: timeout)
    }

    private func answer(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 100_000)
        let bytes = Array(body.readableBytesView)
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        let known = headers
        let now = clock.now.seconds
        let path = request.uri.path
        let answer = await judge(request.method, path, headers, bytes, at: now)
        if answer.isSilent { for await _ in speech.stream {} }
        state.withLock {
            $0.pushes.append(
                Push(
                    token: path.split(separator: "/").last.map(String.init) ?? "", headers: known, body: bytes,
                    status: answer.status))
        }
        var response = Response(status: .init(code: answer.status))
        response.headers[.known("apns-id")] = headers["apns-id"]
        response.headers[.retryAfter] = answer.retryAfter
        if let reason = answer.reason {
            let timestamp = answer.timestamp.map { ",\"timestamp\":\($0)" } ?? ""
            response.body = ResponseBody(byteBuffer: ByteBuffer(string: "{\"reason\":\"\(reason)\"\(timestamp)}"))
        }
        return response
    }

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// The checks that are in "Handling notification responses from APNs", before what the test wants.
    private func judge(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [String: String], _ body: [UInt8], at now: Int64
    ) async -> Answer {
        let parts = path.split(separator: "/").filter { $0 != "sandbox" }
        guard parts.count == 3, parts[0] == "3", parts[1] == "device" else {
            return Answer(status: 404, reason: "BadPath")
        }
        guard method == .post else { return Answer(status: 405, reason: "MethodNotAllowed") }
        guard parts[2].allSatisfy(\.isHexDigit) else { return Answer(status: 400, reason: "BadDeviceToken") }
        guard let authorization = headers["authorization"], authorization.hasPrefix("bearer ") else {
            return Answer(status: 403, reason: "MissingProviderToken")
        }
        let token = String(authorization.dropFirst("bearer ".count))
        let keys = JWTKeyCollection()
        await keys.add(
            ecdsa: try! ES256PublicKey(pem: Self.key.publicKey.pemRepresentation),
            kid: JWKIdentifier(string: Self.keyID))
        guard let claims = try? await keys.verify(token, as: Claims.self), claims.iss == Self.teamID,
            let header = token.split(separator: ".").first.flatMap({ [UInt8](base64URL: $0) }),
            let kid = try? JSON(parsing: header)["kid"].text, kid == Self.keyID, claims.iat <= now + 60
        else { return Answer(status: 403, reason: "InvalidProviderToken") }
        if now - claims.iat > 3600 { return Answer(status: 403, reason: "ExpiredProviderToken") }
        let isTooSoon = state.withLock { state in
            if state.tokens[token] != nil { return false }
            let last = state.tokens.values.max()
            state.tokens[token] = claims.iat
            return last.map { claims.iat - $0 < 1200 } ?? false
        }
        if isTooSoon { return Answer(status: 429, reason: "TooManyProviderTokenUpdates") }
        guard let topic = headers["apns-topic"] else { return Answer(status: 400, reason: "MissingTopic") }
        guard topic == Self.topic else { return Answer(status: 400, reason: "DeviceTokenNotForTopic") }
        guard headers["apns-id"].map({ UUID(uuidString: $0) != nil && $0 == $0.lowercased() }) ?? true else {
            return Answer(status: 400, reason: "BadMessageId")
        }
        guard let expiration = headers["apns-expiration"].flatMap(Int64.init), expiration > now else {
            return Answer(status: 400, reason: "BadExpirationDate")
        }
        guard ["5", "10"].contains(headers["apns-priority"]) else { return Answer(status: 400, reason: "BadPriority") }
        guard headers["apns-push-type"] == "alert" else { return Answer(status: 400, reason: "InvalidPushType") }
        guard (headers["apns-collapse-id"] ?? "").utf8.count <= 64 else {
            return Answer(status: 400, reason: "BadCollapseId")
        }
        if body.isEmpty { return Answer(status: 400, reason: "PayloadEmpty") }
        if body.count > 4096 { return Answer(status: 413, reason: "PayloadTooLarge") }
        return state.withLock { $0.answers.isEmpty ? Answer(status: 200) : $0.answers.removeFirst() }
    }
}
