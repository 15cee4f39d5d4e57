import Foundation
import JSON

/// A request object: the parameters of an authorization request as a JWT that the application signs (RFC 9101).
struct RequestObject: Sendable {
    /// Seconds that one may have left.
    static let longest: TimeInterval = 600
    /// Claims that are of the JWT, and no parameters.
    private static let envelope: Set<String> = ["iss", "aud", "exp", "iat", "nbf", "jti", "sub"]
    /// What a request may have several times (RFC 8707, section 2), and an object as a list. Other lists of texts are no parameters.
    private static let repeatable: Set<String> = ["resource"]

    let text: String
    let header: JWSHeader

    /// `typ` of the header: that of requests, or what says no more than that it is a JWT, as OpenID Connect Core 1.0 knows no other.
    private static let types: Set<TokenType> = [.requestObject, .untyped, .jwt]

    /// Nil where it is no signed JWT, or of the type of other tokens.
    init?(_ text: String) {
        guard let parts = CompactJWS(untrusted: text), let header = JWSHeader(of: parts),
            Self.types.contains(TokenType(header: header.typ))
        else { return nil }
        self.text = text
        self.header = header
    }

    /// Judges signature, issuer, audience and times, and reads the parameters.
    /// - Parameters:
    ///   - keys: the application's.
    ///   - issuer: this server, as its metadata says it.
    /// - Returns: nil where anything is wrong.
    func parameters(
        of client: ClientID, by keys: [AssertionKey], issuer: String, at now: Date
    ) -> [String: [String]]? {
        guard let algorithm = StatementAlgorithm(name: header.alg) else { return nil }
        let named = AssertionKey.candidates(among: keys, for: header, in: algorithm)
        for key in named {
            guard let claims = try? key.key.claims(of: text, in: algorithm) else { continue }
            guard claims.string("iss") == client.rawValue, claims.string("client_id") == client.rawValue,
                claims["aud"] == .string(issuer) || claims["aud"] == .array([.string(issuer)]),
                isTimely(claims, at: now), hasType || claims["sub"] == nil
            else { return nil }
            return Self.parameters(claims)
        }
        return nil
    }

    /// Whether it says that it is a request. What does not, and has a subject, is an assertion of the application or tells of a user
    /// (RFC 9101, section 10.8).
    private var hasType: Bool { TokenType(header: header.typ) == .requestObject }

    private func isTimely(_ claims: TokenClaims, at now: Date) -> Bool {
        guard case .success(let times) = TokenTimes.judge(claims, at: now), let expiresAt = times.expiresAt,
            expiresAt <= now + Self.longest + ClientAssertion.expiryTolerance
        else { return false }
        return !ClientAssertion.isFromTheFuture(claims, at: now)
    }

    /// Each claim as the parameter that it stands for: texts as they are, numbers and objects as JSON (RFC 9101, section 4). Nil where a
    /// claim can be none, or the object holds another one.
    private static func parameters(_ claims: TokenClaims) -> [String: [String]]? {
        guard claims["request"] == nil, claims["request_uri"] == nil else { return nil }
        var parameters: [String: [String]] = [:]
        for (name, value) in claims.members where !envelope.contains(name) {
            guard let texts = texts(value, areMany: repeatable.contains(name)) else { return nil }
            // One without a value counts as left out (RFC 6749, section 3.1).
            let given = texts.filter { !$0.isEmpty }
            if !given.isEmpty { parameters[name] = given }
        }
        return parameters
    }

    private static func texts(_ value: JSONValue, areMany: Bool) -> [String]? {
        switch value {
        case .string(let text): return PlainText(text, bytes: 0...).map { [$0.text] }
        case .array(let values):
            guard areMany else { return nil }
            let texts = values.compactMap { value in
                if case .string(let text) = value { PlainText(text, bytes: 0...)?.text } else { nil }
            }
            return texts.count == values.count ? texts : nil
        case .integer, .number, .bool, .object:
            return (try? value.jsonText()).map { [String(decoding: $0, as: UTF8.self)] }
        case .null: return nil
        }
    }
}

extension Applications {
    /// The parameters of a request object, where the application signed it for this server (RFC 9101, section 6).
    /// - Parameters:
    ///   - application: whose request it is said to be.
    ///   - issuer: what the object has to be for.
    /// - Returns: nil where it is none, or anything about it is wrong.
    public func parameters(
        ofRequestObject text: String, from application: Application, issuer: String
    ) async -> [String: [String]]? {
        guard let object = RequestObject(text) else { return nil }
        let now = realm.clock.now
        let keys = await keys(of: application.registration, naming: object.header.kid, at: now)
        return object.parameters(of: application.id, by: keys, issuer: issuer, at: now)
    }
}
