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
        let isFirst = try await realm.store.write { try $0.insert(used) }
        return isFirst ? .proven(keyThumbprint: judged.proof.keyThumbprint) : .refused(.used)
    }

    // MARK: Nonces

    private static let nonceContext = "dpop-nonce"

    /// A nonce that counts for this minute and the next one (RFC 9449, section 8). Every server of the realm knows it by the master
    /// key; nothing is kept.
    public func nonce() async throws -> String {
        let minute = Self.minute(realm.clock.now)
        let realm = realm
        let digest = try await realm.store.read { transaction in
            try realm.sealer.digest(String(minute), for: Self.nonceContext, in: transaction)
        }
        return Array(withUnsafeBytes(of: minute.bigEndian) { Data($0) } + digest).base64URL
    }

    private func isNonce(_ text: String, at now: Date) -> Bool {
        guard text.utf8.count <= 256, let bytes = [UInt8](base64URL: text), bytes.count > 8 else { return false }
        let minute = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let present = Self.minute(now)
        guard minute == present || minute == present - 1 else { return false }
        return (try? realm.sealer.matches(String(minute), Data(bytes.dropFirst(8)), for: Self.nonceContext)) ?? false
    }

    private static func minute(_ now: Date) -> Int64 { now.seconds / 60 }

    /// The key of a row that remembers something used. It starts with a byte that no text has, so that it is no handle's digest.
    static func usedDigest(_ parts: String...) -> Data {
        var hash = SHA256()
        hash.update(data: Data([0xFF]))
        for part in parts { hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        return Data(hash.finalize())
    }
}
