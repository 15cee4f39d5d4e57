import JWTKit
import SignedTokens

extension TokenClaims: JWTPayload {
    /// Nothing: times are judged by the realm's clock, issuer and audience by the dialect.
    public func verify(using algorithm: some JWTAlgorithm) async throws {}
}
