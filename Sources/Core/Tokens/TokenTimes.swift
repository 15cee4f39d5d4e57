import Foundation

/// When a token counts (RFC 7519, sections 4.1.4 to 4.1.6). One rule for every token that this server judges by itself:
///
/// - from the second of `exp` on it has expired. There is no leeway: the issuer could have set a later second.
/// - `iat` and `nbf` may be ``leeway`` seconds ahead of this server's clock, because the token may have been made on a
///   machine whose clock is.
struct TokenTimes: Sendable, Equatable {
    let issuedAt: Date?
    let expiresAt: Date?

    /// Seconds that another machine's clock may be ahead.
    static let leeway: TimeInterval = 300

    /// - Parameter admitsExpired: for a token that only carries the name of something that has an end of its own.
    static func judge(
        _ claims: TokenClaims, at now: Date, admitsExpired: Bool = false
    ) -> Result<TokenTimes, TokenRefusal> {
        for name in ["iat", "exp", "nbf"] where claims[name] != nil && claims.integer(name) == nil {
            return .failure(.malformed)
        }
        guard let expiresAt = claims.integer("exp") else { return .failure(.incomplete) }
        if !admitsExpired, expiresAt <= now.seconds { return .failure(.expired) }
        let latest = now.seconds + Int64(leeway)
        for name in ["iat", "nbf"] {
            if let instant = claims.integer(name), instant > latest { return .failure(.fromTheFuture) }
        }
        return .success(TokenTimes(issuedAt: claims.date("iat"), expiresAt: claims.date("exp")))
    }
}
