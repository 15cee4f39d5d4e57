import Foundation
import JSON

/// A JWT by which an application says who it is (RFC 7523, section 3), as its requests bring it.
struct ClientAssertion: Sendable {
    /// `client_assertion_type` (RFC 7523, section 2.2).
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// `typ` of the header: none, or what says no more than that it is a JWT, or that it is for this alone.
    static let types: Set<TokenType> = [.untyped, .jwt, .clientAssertion]
    /// Seconds that an assertion may have left: it is remembered until then.
    static let longest: TimeInterval = 300
    /// Seconds that the application's clock may be ahead, for `iat` and `nbf`.
    static let clockTolerance: TimeInterval = 60
    /// Seconds by which `exp` may be further ahead than ``longest``: a clock that is a little ahead, and rounding.
    static let expiryTolerance: TimeInterval = 5
    /// Bytes that a `jti` may have.
    static let longestID = 255

    let text: String
    private let header: JWSHeader
    /// Whose it says to be; nothing is proven by that.
    let claimed: ClientID

    init?(_ text: String) {
        // Strictly: a claim that is there twice could be read as two values.
        guard let parts = CompactJWS(untrusted: text), let header = JWSHeader(of: parts),
            let bytes = parts.payloadBytes, let claims = try? JSONParser.parse(bytes),
            let subject = claims["sub"]?.stringValue, claims["iss"] == .string(subject)
        else { return nil }
        self.text = text
        self.header = header
        claimed = ClientID(rawValue: subject)
    }

    /// The `kid` that it names.
    var keyID: String? { header.kid }

    /// An assertion that is right and may have been used before.
    struct Good: Sendable {
        let key: AssertionKey
        let id: String
        let expiresAt: Date
    }

    /// Why an assertion is not taken, for the log.
    enum Fault: String, Error {
        /// Of an algorithm or a type that is not taken here.
        case algorithm
        /// No key of the application made the signature.
        case signature
        case audience
        case expired
        /// It says that it was made later than now.
        case future
        /// It is good for longer than it may be, or does not say how long.
        case lifetime
        /// Its `jti` is missing.
        case identifier
        /// Its `jti` was there before.
        case used
    }

    /// Judges everything but whether it is used for the first time. Without keys a decoy is verified, which no signature fits.
    func judge(
        by keys: [AssertionKey], expecting expectation: ClientExpectation, at now: Date
    ) -> Result<Good, Fault> {
        guard let algorithm = StatementAlgorithm(name: header.alg), expectation.algorithms.contains(algorithm),
            Self.types.contains(TokenType(header: header.typ))
        else { return .failure(.algorithm) }
        let named = AssertionKey.candidates(among: keys, for: header, in: algorithm)
        if named.isEmpty, let decoy = AssertionKey.decoy(algorithm) { _ = try? decoy.claims(of: text, in: algorithm) }
        for key in named {
            guard let claims = try? key.key.claims(of: text, in: algorithm) else { continue }
            return judge(claims, by: key, expecting: expectation, at: now)
        }
        return .failure(.signature)
    }

    private func judge(
        _ claims: TokenClaims, by key: AssertionKey, expecting expectation: ClientExpectation, at now: Date
    ) -> Result<Good, Fault> {
        // The issuer alone: an assertion for several servers could be shown by one of them to another.
        guard let audience = Self.audience(of: claims), expectation.issuers.contains(audience) else {
            return .failure(.audience)
        }
        let times: TokenTimes
        switch TokenTimes.judge(claims, at: now) {
        case .success(let good): times = good
        case .failure(.expired): return .failure(.expired)
        case .failure(.fromTheFuture): return .failure(.future)
        case .failure: return .failure(.lifetime)
        }
        if Self.isFromTheFuture(claims, at: now) { return .failure(.future) }
        guard var expiresAt = times.expiresAt else { return .failure(.lifetime) }
        if expectation.cutsLifetime, let issuedAt = times.issuedAt {
            expiresAt = min(expiresAt, issuedAt + Self.longest)
        }
        guard expiresAt <= now + Self.longest + Self.clockTolerance else { return .failure(.lifetime) }
        if !expectation.cutsLifetime, expiresAt > now + Self.longest + Self.expiryTolerance {
            return .failure(.lifetime)
        }
        // Its whole life counts, and not what is left of it.
        if !expectation.cutsLifetime, let issuedAt = times.issuedAt,
            issuedAt < now - Self.longest - Self.clockTolerance
        {
            return .failure(.lifetime)
        }
        if expiresAt <= now { return .failure(.expired) }
        guard let id = claims.string("jti"), (1...Self.longestID).contains(id.utf8.count) else {
            return .failure(.identifier)
        }
        return .success(Good(key: key, id: id, expiresAt: expiresAt))
    }
}

extension ClientAssertion {
    /// Whether it says that it was made, or begins, later than an application's clock may be ahead.
    static func isFromTheFuture(_ claims: TokenClaims, at now: Date) -> Bool {
        let latest = now.seconds + Int64(clockTolerance)
        return ["iat", "nbf"].contains { name in claims.integer(name).map { $0 > latest } ?? false }
    }

    /// `aud`, as one text or as a list of one.
    fileprivate static func audience(of claims: TokenClaims) -> String? {
        if case .array(let list)? = claims["aud"] { return list.count == 1 ? list[0].stringValue : nil }
        return claims.string("aud")
    }
}

extension UsedToken {
    /// What is remembered of an assertion.
    init(_ assertion: ClientAssertion.Good, of application: ClientID) {
        self.init(.clientAssertion, assertion.id, of: application.rawValue, expiresAt: assertion.expiresAt)
    }
}
