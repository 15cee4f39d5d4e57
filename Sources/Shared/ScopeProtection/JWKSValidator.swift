import ClientHTTP
import Foundation
import JSON
import SignedTokens
import Synchronization

/// Verifies tokens by the issuer's published keys, without asking about each (RFC 9068, section 4). A logout is not seen
/// before the token expires: for that, ask with ``IntrospectionValidator``.
public final class JWKSValidator: TokenValidator {
    /// Which issuers' tokens a validator takes, and for which API.
    public struct Options: Sendable {
        /// Where the issuer publishes its keys.
        public var keys: IssuerKeyPlace
        /// `iss` has to be one of these.
        public var issuers: Set<String>
        /// `aud` has to have one of these; empty for any.
        public var audiences: Set<String>
        /// What the header's `typ` may be, in lower case and without `application/`; nil for anything.
        public var types: Set<String>?
        /// Claims that have to be there, beside `iss`, `sub` and `exp`.
        public var requiredClaims: Set<String> = []
        /// What tokens may be signed with. The key decides; a header that says otherwise is none of the issuer's (RFC 8725,
        /// section 3.1).
        public var algorithms: Set<StatementAlgorithm> = [.es256, .rs256]
        /// Seconds that clocks may differ.
        public var leeway: TimeInterval = 30
        /// Seconds after which keys are fetched again.
        public var refresh: TimeInterval = 300
        /// Seconds between two fetches because of keys that are not known: strangers can make up as many as they like.
        public var patience: TimeInterval = 10

        /// Takes tokens of these issuers for these audiences, whatever their `typ` is, signed by ES256 or RS256. An
        /// empty `audiences` takes tokens for any.
        public init(keys: IssuerKeyPlace, issuers: Set<String>, audiences: Set<String>) {
            self.keys = keys
            self.issuers = issuers
            self.audiences = audiences
        }

        /// Takes the keys from a JSON Web Key Set (RFC 7517, section 5) at `jwksURL`; the rest is as with the other
        /// initializer.
        public init(jwksURL: URL, issuers: Set<String>, audiences: Set<String>) {
            self.init(keys: .jwks(jwksURL), issuers: issuers, audiences: audiences)
        }

        /// For Countersign's own security checks.
        public static func securityChecks(server: URL) -> Options {
            Options(
                jwksURL: server.appendingPathComponent(".well-known/jwks.json"), issuers: ["com.ibm.mfp"],
                audiences: ["com.ibm.mfp"])
        }

        /// For JWT access tokens (RFC 9068): `typ` is `at+jwt`, and all claims of section 2.2 are there.
        /// - Parameters:
        ///   - issuer: to the letter as tokens have it; its metadata says where the keys are.
        ///   - audiences: what the API is called in `aud`; a token for another API is none for this one.
        public static func accessTokens(issuer: String, audiences: Set<String>) -> Options {
            var options = Options(keys: .metadata(issuer: issuer), issuers: [issuer], audiences: audiences)
            options.types = ["at+jwt"]
            options.requiredClaims = ["aud", "iat", "jti", "client_id"]
            options.leeway = 60
            options.patience = 60
            return options
        }
    }

    private let options: Options
    private let keys: IssuerKeys
    private let now: Now
    /// Tokens whose signature was good, with the key: a client shows the same one again and again, and a signature costs more
    /// than all the rest. Their times are checked each time, and whether the issuer still has the key.
    private let verified = Mutex(RecentEntries<String, VerifiedToken>(bound: JWKSValidator.mostVerified))
    private static let mostVerified = 1000

    private struct VerifiedToken {
        let kid: String
        let key: SignatureKey
        let claims: AccessClaims
    }

    /// Makes a validator that fetches keys when the first token comes.
    /// - Parameters:
    ///   - http: fetches keys and metadata. The default waits 10 seconds at most, and reads documents of up to 256 KiB.
    ///   - now: the clock by which tokens expire and keys are fetched again.
    public init(
        _ options: Options, http: HTTPClient = HTTPClient(timeout: 10, maximumResponseBytes: 1 << 18),
        now: @escaping Now = systemNow
    ) {
        self.options = options
        self.now = now
        keys = IssuerKeys(options.keys, http: http, refresh: options.refresh, patience: options.patience, now: now)
    }

    public func validate(_ token: String) async throws -> TokenVerdict {
        guard token.utf8.count <= CompactJWS.longestUntrusted, let claims = try await claims(of: token) else {
            return .invalid
        }
        let now = now()
        let latest = now + options.leeway
        guard options.issuers.contains(claims.issuer), claims.expiry > now - options.leeway,
            claims.beginning.map({ $0 <= latest }) ?? true,
            // As `nbf`: the clock that made a token from the future is wrong.
            claims.issuedAt.map({ $0 <= latest }) ?? true,
            options.audiences.isEmpty || !options.audiences.isDisjoint(with: claims.audiences)
        else { return .invalid }
        // The leeway is for the issuer's clock; a request is admitted now for a moment.
        return .valid(claims.token(at: now))
    }

    /// What a published key signed.
    private func claims(of token: String) async throws -> AccessClaims? {
        if let seen = verified.withLock({ $0.value(of: token) }), try await keys.key(seen.kid) == seen.key {
            return seen.claims
        }
        guard let received = ReceivedToken(token), let kid = received.header.kid, isAdmitted(type: received.header.typ),
            let key = try await keys.key(kid), options.algorithms.contains(key.algorithm),
            StatementAlgorithm(name: received.header.alg) == key.algorithm,
            key.isSignature(received.signature, of: received.signedText), let members = received.claims,
            options.requiredClaims.allSatisfy({ members[$0] != nil }), let claims = AccessClaims(members)
        else { return nil }
        verified.withLock { $0.put(VerifiedToken(kid: kid, key: key, claims: claims), for: token) }
        return claims
    }

    private func isAdmitted(type: String?) -> Bool {
        guard let types = options.types else { return true }
        guard var type = type?.lowercased() else { return false }
        // RFC 7515, section 4.1.9: the prefix may be left out.
        if type.hasPrefix("application/") { type.removeFirst("application/".count) }
        return types.contains(type)
    }
}

/// The claims of an access token, as far as a resource needs them (RFC 9068, section 2.2).
private struct AccessClaims: Sendable {
    let issuer: String
    let subject: String
    let audiences: Set<String>
    let expiry: Date
    let beginning: Date?
    let issuedAt: Date?
    let scope: Set<String>
    let clientID: String?
    let authenticatedAt: Date?
    let context: String?
    let name: String?
    let keyThumbprint: String?

    /// Nil where one is missing, or of another type than its specification says.
    init?(_ claims: TokenClaims) {
        for name in ["iss", "sub", "jti", "client_id", "azp", "acr", "name"] {
            guard claims[name] == nil || claims.string(name) != nil else { return nil }
        }
        for name in ["exp", "nbf", "iat", "auth_time"] {
            guard claims[name] == nil || claims.date(name) != nil else { return nil }
        }
        guard let issuer = claims.string("iss"), let subject = claims.string("sub"), let expiry = claims.date("exp"),
            let audiences = Self.texts(claims["aud"]), let bound = Self.thumbprint(claims["cnf"])
        else { return nil }
        self.issuer = issuer
        self.subject = subject
        self.audiences = Set(audiences)
        self.expiry = expiry
        beginning = claims.date("nbf")
        issuedAt = claims.date("iat")
        // RFC 9068 has a text; others have `scp`, a text or a list.
        let words = claims.string("scope").map { [$0] } ?? Self.texts(claims["scp"]) ?? []
        scope = Set(words.flatMap(\.spaceSeparated))
        clientID = claims.string("client_id") ?? claims.string("azp")
        authenticatedAt = claims.date("auth_time")
        context = claims.string("acr")
        name = claims.string("name")
        keyThumbprint = bound.isEmpty ? nil : bound
    }

    /// One text or several; none where there is no value, nil where it is something else.
    private static func texts(_ value: JSONValue?) -> [String]? {
        switch value {
        case nil: return []
        case .string(let text)?: return [text]
        case .array(let values)?:
            let texts = values.compactMap(\.stringValue)
            return texts.count == values.count ? texts : nil
        default: return nil
        }
    }

    /// The key that a token is bound to; empty for none. A binding of another kind, such as a certificate's (RFC 8705), cannot be
    /// checked here, so that such a token counts for nothing: nil.
    private static func thumbprint(_ confirmation: JSONValue?) -> String? {
        guard let confirmation else { return "" }
        guard case .object(let members) = confirmation, members.count == 1, let text = members["jkt"]?.stringValue,
            !text.isEmpty
        else { return nil }
        return text
    }

    func token(at now: Date) -> ValidToken {
        let isOfClient = clientID == subject
        return ValidToken(
            subject: subject, clientID: clientID, scope: scope, expiresAt: max(expiry, now + 1),
            authenticatedAt: authenticatedAt, authenticationContext: context, displayName: name,
            userID: isOfClient ? nil : subject, isUser: !isOfClient, keyThumbprint: keyThumbprint)
    }
}
