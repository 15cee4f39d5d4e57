import ClientHTTP
import Foundation
import JSON

@testable import Guardian

/// A server in memory, which says what a test wants and remembers what it was asked.
final class StandIn: HTTPTransport {
    typealias Answer = @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

    private let answer: Answer
    private let asked = Locked<[HTTPClientRequest]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    convenience init(_ status: Int = 204, _ body: String = "", type: String? = nil) {
        self.init { _ in
            HTTPClientResponse(
                status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
        }
    }

    /// Answers in turn; the last one for ever.
    convenience init(_ answers: [@Sendable () throws -> HTTPClientResponse]) {
        let left = Locked(answers)
        self.init { _ in try left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }() }
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        asked.withLock { $0.append(request) }
        return try await answer(request)
    }

    var requests: [HTTPClientRequest] { asked.current }

    /// The JSON of the last request's body.
    var body: Json { requests.last?.body.flatMap { try? JSONDecoder().decode(Json.self, from: $0) } ?? .null }

    func api(_ domain: String = "tenant.eu.auth0.com") -> APIClient {
        APIClient(ServerAddress(domain: domain, environment: [:]), transport: self, now: { Samples.now })
    }

    func authentication(_ device: any AuthenticationDevice) -> AuthenticationClient {
        AuthenticationClient(api(), device)
    }
}

/// A device of the app's own, as on the page.
struct TestDevice: AuthenticationDevice {
    let signingKey: any SigningKey
    var localIdentifier = "8E2D0F6C-0B8E-4F7B-9B5E-0D4B1F1C7B11"
}

struct TestNotification: Guardian.Notification {
    var domain = "tenant.eu.auth0.com"
    var enrollmentId = "dev_1"
    var transactionToken = "transaction"
    var transactionLinkingId: String?
    var challenge = "challenge"
    var source: (any Source)?
    var location: (any Location)?
    var startedAt = Samples.now
    var numberLength: Int?
}

enum Samples {
    /// With a fraction, as clocks have them.
    static let now = Date(timeIntervalSince1970: 1_795_215_220.861443)
    /// One RSA key for all tests: making one takes a while.
    static let rsa: Result<DataRSAPrivateKey, any Error> = Result { try DataRSAPrivateKey.new() }

    /// The example of Guardian.swift's own tests (`NotificationSpec`).
    static var userInfo: [String: Any] {
        [
            "aps": [
                "alert": ["title": "login0:authentication", "body": "Login with p@p.xom in login0"],
                "category": "com.auth0.notification.authentication",
            ] as [String: Any],
            "mfa": [
                "dai": "dev_VJGBI87d093cnl03", "txtkn": "random_tx_token", "txlnkid": "cns_1234",
                "c": "random_challenge", "d": "2015-12-17T19:53:31.000Z", "sh": "samples.auth0.com",
                "s": ["b": ["n": "Safari", "v": "9.0.3"], "os": ["n": "Mac OS", "v": "10.11.3"]],
                "l": ["n": "Palermo, BA, Argentina", "lat": "-34.57115", "long": "-58.423297"],
            ] as [String: Any],
        ]
    }
}

/// The parts of a compact JWS.
struct Token {
    let header: Json
    let claims: Json
    /// What is signed.
    let input: Data
    let signature: Data

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3, let header = Self.data(parts[0]), let claims = Self.data(parts[1]),
            let signature = Self.data(parts[2]), let head = try? JSONDecoder().decode(Json.self, from: header),
            let body = try? JSONDecoder().decode(Json.self, from: claims)
        else { return nil }
        self.header = head
        self.claims = body
        self.signature = signature
        input = Data("\(parts[0]).\(parts[1])".utf8)
    }

    static func data(_ text: String) -> Data? { Base64URL.decode(text).map { Data($0) } }
}

/// The error that `body` throws.
func failure<Value>(_ body: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
