import Foundation
import IdentityToolkitWire

/// The two tokens of a signed-in user, and until when the ID token may be sent.
struct SessionTokens: Codable, Sendable, Equatable {
    var idToken: String
    var refreshToken: String
    /// By this device's clock: counted from when the token came, not from when the server says that it made it.
    var expiration: Date

    init(idToken: String, refreshToken: String, expiration: Date) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiration = expiration
    }

    /// The tokens of an answer. Throws `malformedResponse` where it has none.
    ///
    /// Where the answer does not say how long the ID token lives, the token does; where neither does, it is taken for
    /// expired, and the next use fetches another.
    init(idToken: String?, refreshToken: String?, expiresIn: Int64String? = nil, now: Date) throws {
        guard let idToken, !idToken.isEmpty, let refreshToken, !refreshToken.isEmpty else {
            throw AuthErrorCode.malformed("The answer lacks the tokens.")
        }
        let lifetime = expiresIn.map { TimeInterval($0.value) } ?? (try? IDToken(idToken))?.lifetime ?? 0
        self.init(idToken: idToken, refreshToken: refreshToken, expiration: now.addingTimeInterval(lifetime))
    }
}

/// Decides whether a token can be used, must be fetched, or is being fetched already.
///
/// The server takes a refresh token once, so only one refresh may be under way, and all callers wait for it. Tokens
/// that come another way meanwhile (with an enrolment, say) win over the refresh that began before them.
struct SessionState: Sendable {
    private(set) var tokens: SessionTokens
    /// Grows with each change of the tokens.
    private(set) var generation = 0
    private var refresh: Task<String, any Error>?

    /// An ID token that ends sooner than this, in seconds, is not used any more. Source: Firebase API reference for
    /// Swift, `User`.
    static let leeway: TimeInterval = 5 * 60

    enum Answer: Sendable {
        case token(String)
        case refresh(Task<String, any Error>)
    }

    init(_ tokens: SessionTokens) { self.tokens = tokens }

    /// `start` begins a refresh with the given refresh token; it is called at most once per generation.
    mutating func token(
        forcingRefresh: Bool, now: Date, start: (_ refreshToken: String, _ generation: Int) -> Task<String, any Error>
    ) -> Answer {
        if !forcingRefresh, tokens.expiration.timeIntervalSince(now) > Self.leeway { return .token(tokens.idToken) }
        if let refresh { return .refresh(refresh) }
        let started = start(tokens.refreshToken, generation)
        refresh = started
        return .refresh(started)
    }

    mutating func adopt(_ newer: SessionTokens) {
        tokens = newer
        generation += 1
        refresh = nil
    }

    /// The refresh that began in this generation has ended, with tokens or without. False where it came too late to
    /// count.
    mutating func endRefresh(of generation: Int, with newer: SessionTokens?) -> Bool {
        guard generation == self.generation else { return false }
        refresh = nil
        if let newer { adopt(newer) }
        return true
    }
}
