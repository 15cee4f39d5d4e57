import ClientHTTP
import Foundation
import JSON
import JWTKit

/// Verifies tokens by the issuer's published keys, without asking about each (RFC 9068, section 4). A logout is not seen
/// before the token expires: for that, ask with ``IntrospectionValidator``.
public actor JWKSValidator: TokenValidator {
    public struct Options: Sendable {
        public var jwksURL: URL
        /// `iss` has to be one of these.
        public var issuers: Set<String>
        /// `aud` has to have one of these; empty for any.
        public var audiences: Set<String>
        /// Seconds that clocks may differ.
        public var leeway: TimeInterval = 30
        /// Seconds after which keys are fetched again.
        public var refresh: TimeInterval = 300
        /// Seconds between two fetches because of keys that are not known: strangers can make up as many as they like.
        public var patience: TimeInterval = 10

        public init(jwksURL: URL, issuers: Set<String>, audiences: Set<String>) {
            self.jwksURL = jwksURL
            self.issuers = issuers
            self.audiences = audiences
        }

        /// For Countersign's own security checks.
        public static func securityChecks(server: URL) -> Options {
            Options(
                jwksURL: server.appendingPathComponent(".well-known/jwks.json"), issuers: ["com.ibm.mfp"],
                audiences: ["com.ibm.mfp"])
        }
    }

    private let options: Options
    private let http: HTTPClient
    private let now: Now
    private var keys: JWTKeyCollection?
    /// The algorithm of each key, by its `kid`: a header that names another is none of the issuer's (RFC 8725, section 3.1).
    private var known: [String: String] = [:]
    /// When the keys came, and when they were asked for last.
    private var fetchedAt: Date?
    private var triedAt: Date?
    private var underWay: Task<Void, any Error>?
    /// Tokens whose signature was good, by the keys that are here now: a client shows the same one again and again, and
    /// a signature costs more than all the rest. Their times are checked each time.
    private var verified: [String: (kid: String, claims: AccessClaims)] = [:]
    private static let mostVerified = 1000

    public init(
        _ options: Options, http: HTTPClient = HTTPClient(timeout: 10, maximumResponseBytes: 1 << 18),
        now: @escaping Now = systemNow
    ) {
        self.options = options
        self.http = http
        self.now = now
    }

    public func validate(_ token: String) async throws -> TokenVerdict {
        guard token.utf8.count <= 16_384, let claims = try await claims(of: token) else { return .invalid }
        let now = now()
        guard options.issuers.contains(claims.iss), claims.expiry > now - options.leeway,
            claims.beginning.map({ $0 <= now + options.leeway }) ?? true,
            options.audiences.isEmpty || !options.audiences.isDisjoint(with: claims.audiences)
        else { return .invalid }
        // The leeway is for the issuer's clock; a request is admitted now for a moment.
        return .valid(claims.token(at: now))
    }

    /// What a published key signed.
    private func claims(of token: String) async throws -> AccessClaims? {
        // The keys are tried first: when they come again, no token is known any more.
        if let seen = verified[token], try await keys(for: seen.kid) != nil, let still = verified[token] {
            return still.claims
        }
        guard let header = CompactJWS(token).flatMap(JWSHeader.init(of:)), let kid = header.kid,
            ["RS256", "ES256"].contains(header.alg),
            let keys = try await keys(for: kid), known[kid] == header.alg,
            let claims = try? await keys.verify(token, as: AccessClaims.self)
        else { return nil }
        // Others ran meanwhile: what keys of before signed is not remembered.
        if keys === self.keys {
            if verified.count >= Self.mostVerified { verified.removeAll(keepingCapacity: true) }
            verified[token] = (kid, claims)
        }
        return claims
    }

    private func keys(for kid: String) async throws -> JWTKeyCollection? {
        let isJoining = known[kid] == nil && underWay != nil
        if isJoining || isDue(for: kid) {
            do {
                try await fetchOnce()
            } catch {
                // Keys that were good a while ago still are, where the issuer is away.
                guard known[kid] != nil else { throw error }
            }
        }
        if known[kid] != nil { return keys }
        // The last try failed: perhaps the key is a new one.
        if fetchedAt != triedAt { throw Unreachable() }
        return nil
    }

    /// Whether the keys are to be fetched before this one is judged.
    private func isDue(for kid: String) -> Bool {
        let now = now()
        func isOlder(_ time: Date?, than seconds: TimeInterval) -> Bool {
            guard let time else { return true }
            // A clock that was set back makes everything old.
            return !(0..<seconds).contains(now.timeIntervalSince(time))
        }
        guard fetchedAt != nil else { return true }
        return isOlder(fetchedAt, than: known[kid] != nil ? options.refresh : options.patience)
            && isOlder(triedAt, than: options.patience)
    }

    /// A request that comes while the keys are being fetched waits for them too: a key is unknown only when they are
    /// there.
    private func fetchOnce() async throws {
        if let underWay { return try await underWay.value }
        let task = Task { try await fetch() }
        underWay = task
        defer { underWay = nil }
        try await task.value
    }

    private func fetch() async throws {
        triedAt = now()
        let response = try await http.get(options.jwksURL)
        guard response.status == 200 else { throw Unreachable() }
        let set = try JSONDecoder().decode(KeySet.self, from: response.body)
        let fresh = JWTKeyCollection()
        var algorithms: [String: String] = [:]
        for key in set.keys.prefix(100) {
            // Keys of unknown kinds are ignored.
            guard let name = key.keyIdentifier?.string, let algorithm = Self.algorithm(of: key),
                (try? await fresh.add(jwk: key)) != nil
            else { continue }
            algorithms[name] = algorithm
        }
        (keys, known, fetchedAt) = (fresh, algorithms, triedAt)
        verified = [:]
    }

    private static func algorithm(of key: JWK) -> String? {
        if key.keyType == .rsa { return "RS256" }
        return key.keyType == .ecdsa && key.curve == .ecdsa(.p256) ? "ES256" : nil
    }

    private struct Unreachable: Error {}

    private struct KeySet: Decodable {
        let keys: [JWK]

        struct Lenient: Decodable {
            let key: JWK?
            init(from decoder: any Decoder) throws { key = try? JWK(from: decoder) }
        }

        enum CodingKeys: CodingKey { case keys }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            keys = try members.decode([Lenient].self, forKey: .keys).compactMap(\.key)
        }
    }
}

/// The claims of an access token, as far as a resource needs them (RFC 9068, section 2.2).
private struct AccessClaims: JWTKit.JWTPayload {
    let iss: String
    let sub: String
    let audiences: Set<String>
    let expiry: Date
    let beginning: Date?
    let scope: Set<String>
    let clientID: String?
    let authenticatedAt: Date?
    let context: String?
    let name: String?
    let subjectIsClient: Bool

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, nbf, scope, scp, azp, acr, name
        case clientID = "client_id"
        case authTime = "auth_time"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        iss = try members.decode(String.self, forKey: .iss)
        sub = try members.decode(String.self, forKey: .sub)
        let one = try? members.decode(String.self, forKey: .aud)
        audiences = try one.map { [$0] } ?? Set(members.decodeIfPresent([String].self, forKey: .aud) ?? [])
        func instant(_ key: CodingKeys) throws -> Date? {
            try members.decodeIfPresent(Double.self, forKey: key).map { Date(timeIntervalSince1970: $0) }
        }
        guard let expiry = try instant(.exp) else {
            throw DecodingError.keyNotFound(
                CodingKeys.exp, .init(codingPath: members.codingPath, debugDescription: "a token without end"))
        }
        self.expiry = expiry
        beginning = try instant(.nbf)
        // RFC 9068 has a text; others have `scp`, a text or a list.
        let text =
            (try? members.decode(String.self, forKey: .scope)) ?? (try? members.decode(String.self, forKey: .scp))
        let list = try? members.decode([String].self, forKey: .scp)
        scope = Set(text.map { $0.split(separator: " ").map(String.init) } ?? list ?? [])
        clientID =
            try members.decodeIfPresent(String.self, forKey: .clientID)
            ?? members.decodeIfPresent(String.self, forKey: .azp)
        authenticatedAt = try instant(.authTime)
        context = try members.decodeIfPresent(String.self, forKey: .acr)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        subjectIsClient = clientID == sub
    }

    func encode(to encoder: any Encoder) throws {}

    func verify(using algorithm: some JWTAlgorithm) async throws {}

    func token(at now: Date) -> ValidToken {
        ValidToken(
            subject: sub, clientID: clientID, scope: scope, expiresAt: max(expiry, now + 1),
            authenticatedAt: authenticatedAt, authenticationContext: context, displayName: name,
            userID: subjectIsClient ? nil : sub, isUser: !subjectIsClient)
    }
}
