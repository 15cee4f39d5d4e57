import Crypto
import Foundation
import JSON
import SignedTokens
import Synchronization

/// A token's text as it is read without a key.
struct ReadToken: Sendable {
    fileprivate enum Content: Sendable {
        /// A key of this server signed it, by the name of its header: that was verified before.
        case verified(TokenClaims)
        case received(ReceivedToken)
    }

    let header: JWSHeader
    fileprivate let digest: SHA256.Digest
    fileprivate let content: Content

    /// Whether its signature was found good before. Whether that key still counts is not said.
    var isVerified: Bool { if case .verified = content { true } else { false } }

    /// What the token says, whether or not it is genuine; nil where that is no JSON object of bounded depth.
    var claims: TokenClaims? {
        switch content {
        case .verified(let claims): claims
        case .received(let token): token.claims
        }
    }

    /// Its parts; nil where they need not be looked at any more.
    var received: ReceivedToken? { if case .received(let token) = content { token } else { nil } }
}

/// Tokens whose signature was found good, by the digest of their text. A token that comes with every request is taken apart and
/// verified once.
///
/// It says only that the key of its header made this signature over these bytes, which stays so. Whether the key still counts, and whether
/// the token does, is asked each time by those who ask here.
final class VerifiedSignatures: Sendable {
    /// Tokens that are remembered at most, some two KiB each with their claims: those that came lately.
    static let capacity = 4096

    private struct Known {
        let header: JWSHeader
        let claims: TokenClaims
    }

    private let tokens = Mutex(RecentEntries<SHA256.Digest, Known>(bound: VerifiedSignatures.capacity))

    /// Reads a token; nil for what ``ReceivedToken`` does not take.
    func read(_ text: String) -> ReadToken? {
        // What is longer was never verified.
        guard text.utf8.count <= CompactJWS.longestUntrusted else { return nil }
        var hash = SHA256()
        hash.update(text)
        let digest = hash.finalize()
        if let known = tokens.withLock({ $0.value(of: digest) }) {
            return ReadToken(header: known.header, digest: digest, content: .verified(known.claims))
        }
        return ReceivedToken(text).map { ReadToken(header: $0.header, digest: digest, content: .received($0)) }
    }

    /// The claims of the token, where the body finds its signature good; nil where it does not, or they are none.
    /// - Parameter verify: asked where the token is not remembered. What is not good is not remembered.
    func claims(of token: ReadToken, _ verify: (ReceivedToken) throws -> Bool) rethrows -> TokenClaims? {
        guard let received = token.received else { return token.claims }
        guard try verify(received), let claims = received.claims else { return nil }
        tokens.withLock { $0.put(Known(header: token.header, claims: claims), for: token.digest) }
        return claims
    }

    /// Tokens that are remembered.
    var count: Int { tokens.withLock(\.count) }
}
