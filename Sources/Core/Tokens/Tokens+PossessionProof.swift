import Crypto
import Foundation
import JSON
import SignedTokens
import Synchronization

extension Tokens {
    /// What came of a proof.
    public enum ProofJudgement: Sendable {
        /// The request's sender has the key of this thumbprint (RFC 7638).
        case proven(keyThumbprint: String)
        /// The proof is not right, or was used before.
        case refused(PossessionProof.Fault)
    }

    /// Judges a proof that a request brings. A right one counts once.
    /// - Parameter demand: whether it has to have a nonce, by the settings of the transaction that remembers the proof.
    public func judge(
        _ text: String, _ expectation: PossessionProof.Expectation,
        nonces demand: @escaping @Sendable (RealmSettings) -> Bool
    ) async throws -> ProofJudgement {
        switch open(text, expectation) {
        case .failure(let fault): return .refused(fault)
        case .success(let proof): return try await remember(proof, nonces: demand)
        }
    }

    /// The same of a proof that is judged as far as that needs no transaction.
    public func remember(
        _ proof: OpenProof, nonces demand: @escaping @Sendable (RealmSettings) -> Bool
    ) async throws -> ProofJudgement {
        // One row by its key; of the settings it counts what they say as the transaction begins.
        try await realm.store.write(.rows) { try proof.judge(in: $0, nonces: demand) }
    }

    /// A proof that is right but for what a transaction knows: whether it was used before, and whether it needs a nonce that it has not.
    public struct OpenProof: Sendable {
        fileprivate let used: UsedToken
        fileprivate let keyThumbprint: String
        fileprivate let hasNonce: Bool

        /// Remembers the proof.
        func judge(
            in transaction: any StoreTransaction, nonces demand: (RealmSettings) -> Bool
        ) throws -> ProofJudgement {
            guard try hasNonce || !demand(transaction.settings()) else { return .refused(.nonce) }
            return try transaction.insert(used) ? .proven(keyThumbprint: keyThumbprint) : .refused(.used)
        }
    }

    /// Judges a proof as far as that needs no transaction.
    public func open(
        _ text: String, _ expectation: PossessionProof.Expectation
    ) -> Result<OpenProof, PossessionProof.Fault> {
        let now = realm.clock.now
        let judged: (proof: PossessionProof, nonce: String?)
        do { judged = try PossessionProof.judge(text, expectation, at: now) } catch { return .failure(error) }
        if let nonce = judged.nonce, !isNonce(nonce, at: now) { return .failure(.nonce) }
        let used = UsedToken(
            .possessionProof, judged.proof.id, of: judged.proof.keyThumbprint,
            expiresAt: now + PossessionProof.oldest + PossessionProof.newest)
        return .success(
            OpenProof(used: used, keyThumbprint: judged.proof.keyThumbprint, hasNonce: judged.nonce != nil))
    }

    // MARK: Proofs of requests without credentials

    /// Whether a source has as many proofs remembered as it may, of applications that show no credentials
    /// (``RateLimit/possessionProofsPerSource``). Who makes keys makes as many right proofs as they like, and each is a row for some minutes.
    ///
    /// Counted in this process: a proof is to cost one write (`docs/decisions/0541`).
    public func hasMostProofs(from source: String) -> Bool {
        realm.proofPace.isUsedUp(source, .possessionProofsPerSource, at: realm.clock.now)
    }

    /// Counts a proof of such a request that was remembered.
    public func countProof(from source: String) {
        _ = realm.proofPace.admits(source, .possessionProofsPerSource, at: realm.clock.now)
    }

    // MARK: Nonces

    private static let nonceContext = "dpop-nonce"

    /// A nonce that counts for this minute and the next one (RFC 9449, section 8). Every server of the realm knows it by the master
    /// key; the store keeps nothing. It is made once a minute: where the master key is replaced meanwhile, the client is told the next.
    public func nonce() async throws -> String {
        let minute = ProofNonces.minute(realm.clock.now)
        if let known = realm.proofNonce.text(of: minute) { return known }
        let realm = realm
        let digest = try await realm.store.read { transaction in
            try realm.sealer.digest(String(minute), for: Self.nonceContext, in: transaction)
        }
        let text = ProofNonces.text(minute, digest)
        realm.proofNonce.keep(text, of: minute)
        return text
    }

    private func isNonce(_ text: String, at now: Date) -> Bool {
        guard let (minute, digest) = ProofNonces.parts(of: text, at: now) else { return false }
        return (try? realm.sealer.matches(String(minute), digest, for: Self.nonceContext)) ?? false
    }

    /// The key of a row that remembers something used. It starts with a byte that no text has, so that it is no handle's digest.
    static func usedDigest(_ parts: String...) -> Data {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(0xFF)) { hash.update(bufferPointer: $0) }
        for part in parts {
            hash.update(String(part.utf8.count))
            hash.update(":")
            hash.update(part)
        }
        return hash.finalize().data
    }
}

/// The nonce of the present minute.
final class PresentNonce: Sendable {
    private let known = Mutex<(minute: Int64, text: String)?>(nil)

    func text(of minute: Int64) -> String? {
        known.withLock { known in known.flatMap { $0.minute == minute ? $0.text : nil } }
    }

    func keep(_ text: String, of minute: Int64) { known.withLock { $0 = (minute, text) } }
}
