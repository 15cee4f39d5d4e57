import Foundation
import JSON

/// What a token is to say, before it is signed. What the standards name is composed here, once for all protocols; a protocol
/// adds what it spells by itself (``spelling``).
///
/// Of claims with the same name the registered ones count most, then the protocol's, then the account's.
public struct TokenDraft: Sendable {
    /// A registered claim beside `iss`, `aud`, `sub`, `iat` and `exp`, which every token has.
    public enum Part: Sendable, Hashable {
        /// `nbf`, the same instant as `iat` (RFC 7519, section 4.1.5).
        case notBefore
        /// 128 random bits, so that no two tokens are the same: `jti` (RFC 7519, section 4.1.7), or what a protocol calls it.
        case identifier(name: String)
        /// `sid` (OpenID Connect Front-Channel Logout 1.0, section 3).
        case session
        /// `auth_time` (OpenID Connect Core 1.0, section 2), where the session was proven with something.
        case authenticationTime
        /// `amr` (RFC 8176).
        case methods(AuthenticationMethods)
        /// `acr` (OpenID Connect Core 1.0, section 2), by the level of what the session was proven with.
        case contextClass(ContextClasses)
        /// The epoch that ends with a revocation, as ``CustomClaims/epochClaim``.
        case epoch
    }

    /// What `iat` and `auth_time` tell.
    public enum Stamp: Sendable {
        /// This server's clock.
        case clock
        /// The same, and never earlier than the user's last revocation (``User/issueTime(_:)``): for verifiers that compare
        /// the two and know no epoch.
        case afterRevocation
    }

    /// What kind of token it is.
    public var type: TokenType
    /// `iss`, as the protocol spells the issuer.
    public var issuer: String
    /// `aud`: the application or the API that it is for.
    public var audience: String
    /// Nil leaves what the account's claims say.
    public var subject: String?
    /// `iat`, and the instant that ``lifetime`` begins with. A protocol reads the clock once for all that one answer tells.
    public var issuedAt: Date
    /// Whole seconds after the second of ``issuedAt``: `exp`. Zero or less makes a token that has expired.
    public var lifetime: Int
    /// The registered claims that it has beside those of every token.
    public var parts: Set<Part>
    /// What `iat` and `auth_time` tell.
    public var stamp = Stamp.clock
    /// The session that the token is of; nil for a token of none.
    public var signedIn: SignedIn?
    /// Claims that the user's account, or a service of the developer's, brings.
    public var account: [String: JSONValue]
    /// What the protocol calls the rest. A nil takes the name from the account's claims.
    public var spelling: [String: JSONValue?]
    /// Whether the token is left unsigned where the realm's mode says so (`--dev`).
    public var mayBeUnsigned = false

    /// - Parameters:
    ///   - issuedAt: is cut to whole seconds.
    ///   - lifetime: seconds.
    public init(
        type: TokenType = .jwt, issuer: String, audience: String, subject: String?, issuedAt: Date, lifetime: Int,
        parts: Set<Part> = [], signedIn: SignedIn? = nil, account: [String: JSONValue] = [:],
        spelling: [String: JSONValue?] = [:]
    ) {
        self.type = type
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.parts = parts
        self.signedIn = signedIn
        self.account = account
        self.spelling = spelling
    }

    /// The claims that are signed.
    func claims(random: any RandomSource, proofs: ProofRegistry) -> TokenClaims {
        // The names below, and some of the spelling's: of its size at once, and not grown four times.
        var claims = [String: JSONValue](minimumCapacity: account.count + spelling.count + parts.count + 5)
        for (name, value) in account { claims[name] = value }
        for (name, value) in spelling { claims[name] = value }
        let user = signedIn?.user
        func told(_ instant: Date) -> JSONValue {
            switch stamp {
            case .clock: .integer(instant.seconds)
            case .afterRevocation: .integer((user?.issueTime(instant) ?? instant).seconds)
            }
        }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(audience)
        if let subject { claims["sub"] = .string(subject) }
        claims["iat"] = told(issuedAt)
        claims["exp"] = .integer(issuedAt.seconds + Int64(lifetime))
        for part in parts {
            switch part {
            case .notBefore: claims["nbf"] = .integer(issuedAt.seconds)
            case .identifier(let name): claims[name] = .string(Base64URL.encode(random.bytes(16)))
            case .session: if let signedIn { claims["sid"] = .string(signedIn.session.id.rawValue) }
            case .authenticationTime:
                if let instant = signedIn?.evidence.authenticatedAt { claims["auth_time"] = told(instant) }
            case .methods(let methods):
                if let signedIn {
                    claims["amr"] = .array(methods.names(of: signedIn.evidence, proofs).map { .string($0) })
                }
            case .contextClass(let classes):
                if let signedIn { claims["acr"] = .string(classes.name(of: signedIn.evidence, proofs)) }
            case .epoch: if let user { claims[CustomClaims.epochClaim] = .integer(Int64(user.tokenEpoch)) }
            }
        }
        return TokenClaims(claims)
    }
}

extension Tokens {
    /// Composes and signs a token.
    /// - Throws: `StoreError` where there is no key or none can be read.
    public func issue(_ draft: TokenDraft, with algorithm: SigningAlgorithm) async throws -> String {
        let claims = draft.claims(random: realm.random, proofs: realm.proofs)
        let type = draft.type == .untyped ? nil : draft.type.rawValue
        if draft.mayBeUnsigned, realm.mode.usesUnsignedTokens {
            return try await realm.keyring.unsignedToken(claims, typ: type)
        }
        return try await realm.keyring.sign(claims, with: algorithm, typ: type)
    }
}
