import ClientHTTP
import Foundation
import JSON
import SignedTokens

/// Asks the issuer about each token (RFC 7662), and so learns at once of logouts and of devices that were put away.
///
/// The issuer is asked with this server's own credentials, or with a token that it has for them (client credentials), which is
/// renewed once where it is refused.
public actor IntrospectionValidator: TokenValidator {
    /// Where the issuer answers about tokens, and what this server shows it.
    public struct Options: Sendable {
        /// Where a token of our own comes from; nil where the issuer is shown the credentials themselves.
        public var tokenURL: URL?
        /// The issuer's introspection endpoint, to which each token is posted (RFC 7662, section 2).
        public var introspectionURL: URL
        /// The `client_id` that this server is registered with at the issuer.
        public var clientID: String
        /// The secret of that client. It is sent by HTTP Basic, to ``tokenURL`` where there is one, else to
        /// ``introspectionURL``.
        public var clientSecret: String
        /// The scope of the token that this server requests for itself at ``tokenURL``. Without a ``tokenURL`` it is
        /// not used.
        public var scope: String
        /// `aud` has to have one of these; empty for any.
        public var audiences: Set<String> = []
        /// Seconds that a good answer is used again; a logout is seen that much later. 0 asks each time.
        public var reuse: TimeInterval
        /// Answers that are kept at most: those that were asked for lately.
        public var cacheLimit = 10_000

        /// Describes an issuer whose introspection endpoint takes a token of this server's own. With a `tokenURL` of
        /// nil, the endpoint takes the credentials themselves.
        /// - Parameter reuse: seconds that a good answer is used again; see ``reuse``.
        public init(
            tokenURL: URL?, introspectionURL: URL, clientID: String, clientSecret: String,
            scope: String = "authorization.introspect", reuse: TimeInterval = 0
        ) {
            self.tokenURL = tokenURL
            self.introspectionURL = introspectionURL
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.scope = scope
            self.reuse = reuse
        }

        /// For access tokens of any form, also those that say nothing by themselves. The API asks as the application that owns it
        /// (`resource add --owner`), by HTTP Basic.
        /// - Parameters:
        ///   - audiences: what the API is called in `aud`.
        public static func accessTokens(
            introspectionURL: URL, audiences: Set<String>, clientID: String, clientSecret: String,
            reuse: TimeInterval = 0
        ) -> Options {
            var options = Options(
                tokenURL: nil, introspectionURL: introspectionURL, clientID: clientID, clientSecret: clientSecret,
                reuse: reuse)
            options.audiences = audiences
            return options
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
    /// What shows who asks, where there is no token for it (RFC 6749, section 2.3.1: both halves are written as in a form).
    private let credentials: String
    private var own: (token: String, until: Date)?
    private var underWay: Task<String, any Error>?
    private var kept: RecentEntries<String, KeptAnswer>

    private struct KeptAnswer {
        let token: ValidToken
        let until: Date
    }

    /// Makes a validator that asks when the first token comes, and nothing before.
    /// - Parameters:
    ///   - http: carries the requests to the issuer. With nil, they wait 10 seconds at most, answers have up to 256 KiB, and on Linux
    ///     connections are kept for those that follow, but where the environment names a proxy: URLSession knows those.
    ///   - now: the clock by which tokens and kept answers expire.
    public init(_ options: Options, http: HTTPClient? = nil, now: @escaping Now = systemNow) {
        self.options = options
        self.http =
            http
            ?? HTTPClient(
                transport: KeptConnections.standard(environment: ProcessInfo.processInfo.environment), timeout: 10,
                maximumResponseBytes: 1 << 18)
        self.now = now
        credentials = Self.basic(options.clientID.percentEncoded, options.clientSecret.percentEncoded)
        kept = RecentEntries(bound: options.cacheLimit)
    }

    public func validate(_ token: String) async throws -> TokenVerdict {
        if options.reuse > 0, let known = kept.value(of: token), known.until > now() { return .valid(known.token) }
        for attempt in 0..<2 {
            let own = options.tokenURL == nil ? nil : try await ownToken()
            let response = try await http.post(
                form: [("token", token), ("token_type_hint", "access_token")], to: options.introspectionURL,
                headers: ["Authorization": own.map { "Bearer \($0)" } ?? credentials, "Accept": "application/json"])
            switch response.status {
            case 200: return try keep(token, response.body)
            case 409: return .conflict
            case 401 where attempt == 0 && own != nil, 403 where attempt == 0 && own != nil: forget(own)
            default: throw Failure(description: "Introspection answered \(response.status).")
            }
        }
        throw Failure(description: "Introspection does not take this server's token.")
    }

    private func keep(_ token: String, _ body: Data) throws -> TokenVerdict {
        let answer = try IntrospectionAnswer(body)
        guard answer.isActive else {
            kept.remove(token)
            return .invalid
        }
        guard options.audiences.isEmpty || !options.audiences.isDisjoint(with: answer.audiences) else {
            return .invalid
        }
        let (now, clientID) = (now(), answer.clientID ?? "")
        // An issuer that is asked with a token is one of security checks, where `username` is a user's id.
        let isStandard = options.tokenURL == nil
        let named = answer.username.flatMap { $0 == "anonymous" ? nil : $0 } ?? answer.user.id
        let known = isStandard ? answer.subject.flatMap { $0 == clientID ? nil : $0 } : named
        let valid = ValidToken(
            subject: answer.subject ?? known ?? clientID, clientID: clientID,
            scope: Set(answer.scope?.spaceSeparated ?? []),
            expiresAt: answer.expiresAt.map(Self.instant) ?? now + 60,
            authenticatedAt: (answer.authenticatedAt ?? answer.user.authenticatedAt).map(Self.instant),
            authenticationContext: answer.authenticationContext,
            displayName: answer.user.displayName ?? (isStandard ? answer.username : nil), userID: known,
            isUser: known != nil, keyThumbprint: answer.keyThumbprint)
        guard valid.expiresAt > now else { return .invalid }
        if options.reuse > 0 {
            kept.put(KeptAnswer(token: valid, until: min(now + options.reuse, valid.expiresAt)), for: token)
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
    private func forget(_ token: String?) {
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
        guard let tokenURL = options.tokenURL else { throw Failure(description: "There is no endpoint for tokens.") }
        let response = try await http.post(
            form: [("grant_type", "client_credentials"), ("scope", options.scope)], to: tokenURL,
            headers: ["Authorization": Self.basic(options.clientID, options.clientSecret)])
        guard response.status == 200 else {
            throw Failure(description: "No token for introspection: \(response.status).")
        }
        let answer = try JSONDecoder().decode(OwnToken.self, from: response.body)
        own = (answer.access_token, now() + max(1, (answer.expires_in ?? 60) - 10))
        return answer.access_token
    }

    private static func basic(_ name: String, _ secret: String) -> String {
        "Basic \(Data("\(name):\(secret)".utf8).base64EncodedString())"
    }
}
