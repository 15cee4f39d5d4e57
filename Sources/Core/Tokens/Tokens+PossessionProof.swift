import Crypto
import Foundation
import JSON
import SignedTokens

extension Tokens {
    /// What came of a proof.
    public enum ProofJudgement: Sendable {
        case proven(keyThumbprint: String)
        case refused(PossessionProof.Fault)
    }

    /// Judges a proof that a request brings. A right one counts once.
    public func judge(
        _ text: String, _ expectation: PossessionProof.Expectation
    ) async throws -> ProofJudgement {
        let realm = realm
        let now = realm.clock.now
        let judged: (proof: PossessionProof, nonce: String?)
        do { judged = try PossessionProof.judge(text, expectation, at: now) } catch { return .refused(error) }
        if let nonce = judged.nonce {
            guard isNonce(nonce, at: now) else { return .refused(.nonce) }
        } else if expectation.requiresNonce {
            return .refused(.nonce)
        }
        let used = UsedToken(
            .possessionProof, judged.proof.id, of: judged.proof.keyThumbprint,
            expiresAt: now + PossessionProof.oldest + PossessionProof.newest)
        // One row by its key, and nothing is decided by another.
        let isFirst = try await realm.store.write(.rows) { try $0.insert(used) }
        return isFirst ? .proven(keyThumbprint: judged.proof.keyThumbprint) : .refused(.used)
    }

    // MARK: Nonces

    private static let nonceContext = "dpop-nonce"

    /// A nonce that counts for this minute and the next one (RFC 9449, section 8). Every server of the realm knows it by the master
    /// key; nothing is kept.
    public func nonce() async throws -> String {
        let minute = ProofNonces.minute(realm.clock.now)
        let realm = realm
        let digest = try await realm.store.read { transaction in
            try realm.sealer.digest(String(minute), for: Self.nonceContext, in: transaction)
        }
        return ProofNonces.text(minute, digest)
    }

    private func isNonce(_ text: String, at now: Date) -> Bool {
        guard let (minute, digest) = ProofNonces.parts(of: text, at: now) else { return false }
        return (try? realm.sealer.matches(String(minute), digest, for: Self.nonceContext)) ?? false
    }

    /// The key of a row that remembers something used. It starts with a byte that no text has, so that it is no handle's digest.
    static func usedDigest(_ parts: String...) -> Data {
        var hash = SHA256()
        hash.update(data: Data([0xFF]))
        for part in parts { hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        return Data(hash.finalize())
    }
}
