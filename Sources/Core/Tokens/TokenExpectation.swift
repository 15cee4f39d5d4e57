import Foundation
import JSON

/// What the receiver of a token believes it to be. A token of another kind is as wrong as an unsigned one.
///
/// Nothing is admitted by default: an expectation without types, issuers or audiences admits no token. What every token has
/// to be, no expectation can leave out: signed by a key of this server that is in use or was until lately, by the algorithm
/// of that key, without critical headers, in its time (`TokenTimes`).
public struct TokenExpectation: Sendable {
    /// A rule for `iss` or `aud`. The claim is one text; a list is never taken.
    public enum Names: Sendable, Equatable {
        /// One of these texts, to the letter.
        case oneOf(Set<String>)
        /// For development, where a token may be of any project.
        case anyBeginning(with: String)
        /// For development; and where the caller judges the claim by itself.
        case any

        func admits(_ name: String) -> Bool {
            switch self {
            case .oneOf(let names): names.contains(name)
            case .anyBeginning(let prefix): name.hasPrefix(prefix)
            case .any: true
            }
        }
    }

    /// The subject of a token.
    public enum Subject: Sendable {
        /// No user: an attempt, or an application. The dialect looks that up by itself.
        case other
        /// A user who exists and is not disabled, and whose tokens of this epoch and this instant count.
        /// - Parameter id: reads the user's id as the dialect spells it; nil where the token names no user.
        case user(id: @Sendable (TokenClaims) -> UserID?)
    }

    /// The kinds of tokens that are admitted.
    public var types: Set<TokenType>
    /// What `iss` may be.
    public var issuers: Names
    /// What `aud` may be.
    public var audiences: Names
    /// What the token may be signed with: every algorithm of this server unless the protocol fixes one.
    public var algorithms: Set<SigningAlgorithm>
    /// Whose token it has to be.
    public var subject: Subject
    /// Whose grant of the session that the token names has to go on, as the session of the same user has to; nil where
    /// tokens name no session, or outlive it.
    public var session: (@Sendable (TokenClaims) -> HandleOwner)?
    /// The claim that names the session. A protocol whose tokens may have a `sid` of the developer's has another.
    public var sessionClaim = "sid"
    /// Whether a token without that claim counts, whatever became of its session.
    public var admitsNoSession = false
    /// Claims that have to have these values.
    public var claims: [String: JSONValue]
    /// Whether a token counts after its `exp`, because it only names an attempt, which has an end of its own and words for
    /// it.
    public var admitsExpired: Bool
    /// Whether a token without signature counts where the realm's mode allows those (`--dev`).
    public var admitsUnsigned: Bool

    /// An expectation; without arguments, one that admits no token.
    public init(
        types: Set<TokenType> = [], issuers: Names = .oneOf([]), audiences: Names = .oneOf([]),
        algorithms: Set<SigningAlgorithm> = SigningAlgorithm.all, subject: Subject = .other,
        session: (@Sendable (TokenClaims) -> HandleOwner)? = nil, claims: [String: JSONValue] = [:],
        admitsExpired: Bool = false,
        admitsUnsigned: Bool = false
    ) {
        self.types = types
        self.issuers = issuers
        self.audiences = audiences
        self.algorithms = algorithms
        self.subject = subject
        self.session = session
        self.claims = claims
        self.admitsExpired = admitsExpired
        self.admitsUnsigned = admitsUnsigned
    }
}

/// A token that is what was expected, as of the instant of judging.
public struct VerifiedToken: Sendable {
    /// What the token says.
    public let claims: TokenClaims
    /// `iat`; nil where the token has none.
    public let issuedAt: Date?
    /// `exp`; nil where the token has none.
    public let expiresAt: Date?
    /// The user, where the token had to be a user's.
    public let user: User?
    /// The session and the grant, where the token had to be of ones that go on.
    public let session: GrantedSession?
}

/// What came of a token. Indirect, as user and session are large.
public indirect enum TokenJudgement: Sendable {
    /// The token is what was expected.
    case good(VerifiedToken)
    /// The token is not.
    case refused(TokenRefusal)

    /// The token, where it is good.
    public var token: VerifiedToken? { if case .good(let token) = self { token } else { nil } }
}

/// Why a token is refused. Where several reasons hold, the first in this order is given, so that answers are the same
/// whatever order a caller would have looked in.
public enum TokenRefusal: String, Error, Sendable, CaseIterable {
    /// Not a token, not signed by a key of this server, or with claims that are not what RFC 7519 says they are.
    case malformed
    /// The key signs in another algorithm, or in one that was not expected.
    case wrongAlgorithm
    /// It is a token of another kind.
    case wrongType
    /// It has another issuer.
    case wrongIssuer
    /// It is for another audience.
    case wrongAudience
    /// A claim that every token of this kind has is missing or has another value.
    case incomplete
    /// It names no user, or one who is not there.
    case userNotFound
    /// Issued before the user's tokens were revoked.
    case revoked
    /// Its time is over.
    case expired
    /// The user is disabled, or the account waits for its removal.
    case userDisabled
    /// Issued later than now, beyond what clocks may differ by.
    case fromTheFuture
    /// Its session was ended, is too old, or is another user's, application's or protocol's.
    case sessionEnded
}
