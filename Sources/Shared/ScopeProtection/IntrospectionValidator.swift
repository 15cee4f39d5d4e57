import ClientHTTP
import Foundation

/// Asks the issuer about each token (RFC 7662), and so learns at once of logouts and of devices that were put away.
///
/// The issuer is asked with a token of this server's own (client credentials), which is renewed once where it is refused.
public actor IntrospectionValidator: TokenValidator {
    public struct Options: Sendable {
        /// Where a token of our own comes from.
        public var tokenURL: URL
        public var introspectionURL: URL
        public var clientID: String
        public var clientSecret: String
        public var scope: String
        /// Seconds that a good answer is used again; a logout is seen that much later. 0 asks each time.
        public var reuse: TimeInterval
        /// Answers that are kept at most.
        public var cacheLimit = 10_000

        public init(
            tokenURL: URL, introspectionURL: URL, clientID: String, clientSecret: String,
            scope: String = "authorization.introspect", reuse: TimeInterval = 0
        ) {
            self.tokenURL = tokenURL
            self.introspectionURL = introspectionURL
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.scope = scope
            self.reuse = reuse
        }

        /// For Countersign's own security checks.
        /// - Parameter server: such as `https://auth.example.org`.
        public static func securityChecks(
            server: URL, clientID: String, clientSecret: String, reuse: TimeInterval = 0
        ) -> Options {
            let base = server.appendingPathComponent("mfp/api/az/v1")
            return Options(
                tokenURL: base.appendingPathComponent("token"),
                introspectionURL: base.appendingPathComponent("introspection"), clientID: clientID,
                clientSecret: clientSecret, reuse: reuse)
        }
    }

    /// What the issuer said instead of an answer.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    private let options: Options
    private let http: HTTPClient
    private let now: Now
    private var own: (token: String, until: Date)?
    private var underWay: Task<String, any Error>?
    private var kept: [String: (token: ValidToken, until: Date)] = [:]

    public init(
        _ options: Options, http: HTTPClient = HTTPClient(timeout: 10, maximumResponseBytes: 1 << 18),
        now: @escaping Now = systemNow
    ) {
        self.options = options
        self.http = http
        self.now = now
    }

    public func validate(_ token: String) async throws -> TokenVerdict {
        if let known = kept[token], known.until > now() { return .valid(known.token) }
        for attempt in 0..<2 {
            let own = try await ownToken()
            let response = try await http.post(
                form: [("token", token), ("token_type_hint", "access_token")], to: options.introspectionURL,
                headers: ["Authorization": "Bearer \(own)"])
            switch response.status {
            case 200: return try keep(token, response.body)
            case 409: return .conflict
            case 401 where attempt == 0, 403 where attempt == 0: forget(own)
            default: throw Failure(description: "Introspection answered \(response.status).")
            }
        }
        throw Failure(description: "Introspection does not take this server's token.")
    }

    private struct Answer: Decodable {
        struct User: Decodable {
            let id: String?
            let displayName: String?
            let authenticatedAt: Double?
        }

        let active: Bool
        let scope: String?
        let sub: String?
        let username: String?
        let client_id: String?
        let exp: Double?
        let acr: String?
        let auth_time: Double?
        let user: User?

        enum CodingKeys: String, CodingKey {
            case active, scope, sub, username, client_id, exp, acr, auth_time
            case user = "mfp-user"
        }
    }

    private func keep(_ token: String, _ body: Data) throws -> TokenVerdict {
        let answer = try JSONDecoder().decode(Answer.self, from: body)
        guard answer.active else {
            kept[token] = nil
            return .invalid
        }
        let (now, clientID) = (now(), answer.client_id ?? "")
        let known = answer.username.flatMap { $0 == "anonymous" ? nil : $0 } ?? answer.user?.id
        let valid = ValidToken(
            subject: answer.sub ?? known ?? clientID, clientID: clientID,
            scope: Set((answer.scope ?? "").split(separator: " ").map(String.init)),
            expiresAt: answer.exp.map(Self.instant) ?? now + 60,
            authenticatedAt: (answer.auth_time ?? answer.user?.authenticatedAt).map(Self.instant),
            authenticationContext: answer.acr, displayName: answer.user?.displayName, userID: known,
            isUser: known != nil)
        guard valid.expiresAt > now else { return .invalid }
        if options.reuse > 0 {
            if kept.count >= options.cacheLimit {
                kept = kept.filter { $0.value.until > now }
                if kept.count >= options.cacheLimit { kept = [:] }
            }
            kept[token] = (valid, min(now + options.reuse, valid.expiresAt))
        }
        return .valid(valid)
    }

    /// Security checks have milliseconds here, RFC 7662 has seconds. No token of this century is from before 1973.
    private static func instant(_ number: Double) -> Date {
        Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number)
    }

    private struct OwnToken: Decodable {
        let access_token: String
        let expires_in: Double?
    }

    /// Another request may have fetched a fresh one by now.
    private func forget(_ token: String) {
        if own?.token == token { own = nil }
    }

    /// A request that comes while one is being fetched waits for it too.
    private func ownToken() async throws -> String {
        if let own, own.until > now() { return own.token }
        if let underWay { return try await underWay.value }
        let task = Task { try await fetchOwnToken() }
        underWay = task
        defer { underWay = nil }
        return try await task.value
    }

    private func fetchOwnToken() async throws -> String {
        let basic = Data("\(options.clientID):\(options.clientSecret)".utf8).base64EncodedString()
        let response = try await http.post(
            form: [("grant_type", "client_credentials"), ("scope", options.scope)], to: options.tokenURL,
            headers: ["Authorization": "Basic \(basic)"])
        guard response.status == 200 else {
            throw Failure(description: "No token for introspection: \(response.status).")
        }
        let answer = try JSONDecoder().decode(OwnToken.self, from: response.body)
        own = (answer.access_token, now() + max(1, (answer.expires_in ?? 60) - 10))
        return answer.access_token
    }
}
