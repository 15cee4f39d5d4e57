import Crypto
import Foundation
import Synchronization

/// Tokens whose signature was found good, by the digest of the whole token with its key's id. A token that comes with every request is
/// verified once.
///
/// It says only that this key made this signature over these bytes, which stays so. Whether the key still counts, and whether
/// the token does, is asked each time by those who ask here.
final class VerifiedSignatures: Sendable {
    /// Tokens that are remembered, a few hundred bytes each. Where there are more, all are forgotten.
    static let capacity = 4096

    private let claims = Mutex<[SHA256.Digest: TokenClaims]>([:])

    /// The claims of the token, where the body finds its signature good; nil where it does not, or they are none.
    /// - Parameter verify: asked where the token is not remembered. What is not good is not remembered.
    func claims(of token: ReceivedToken, by keyID: String, _ verify: () throws -> Bool) rethrows -> TokenClaims? {
        let digest = Self.digest(token, keyID)
        if let known = claims.withLock({ $0[digest] }) { return known }
        guard try verify(), let fresh = token.claims else { return nil }
        claims.withLock { claims in
            if claims.count >= Self.capacity { claims = [:] }
            claims[digest] = fresh
        }
        return fresh
    }

    /// The claims of a token that was verified before; nil of any other.
    func known(_ token: ReceivedToken, by keyID: String) -> TokenClaims? {
        let digest = Self.digest(token, keyID)
        return claims.withLock { $0[digest] }
    }

    /// The signature is told from the text by its length.
    private static func digest(_ token: ReceivedToken, _ keyID: String) -> SHA256.Digest {
        var hash = SHA256()
        hash.update(keyID)
        hash.update("\u{0}\(token.signature.count)\u{0}")
        hash.update(data: token.signature)
        hash.update(data: token.signedText)
        return hash.finalize()
    }

    /// Tokens that are remembered.
    var count: Int { claims.withLock(\.count) }
}
