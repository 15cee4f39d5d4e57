import CountersignCore
import Crypto
import Foundation
import Synchronization

/// Salted SHA-256: a hasher that costs nothing, counts, and lets a test do something while a password is looked at.
package final class FastHasher: PasswordHasher {
    private struct State {
        var verified: [String] = []
        var hashed = 0
        var generation = 1
        var meanwhile: (@Sendable (Int) async throws -> Void)?
        var hashingFailure: (any Error)?
    }

    private let state = Mutex(State())

    /// The hashes that answers were compared with, in order.
    package var verified: [String] { state.withLock { $0.verified } }
    package var hashed: Int { state.withLock { $0.hashed } }

    /// Hashes of earlier generations need a rehash.
    package func raiseGeneration() { state.withLock { $0.generation += 1 } }

    /// Runs while an answer is being looked at; it is told how manieth look it is, from 1.
    package func meanwhile(_ body: (@Sendable (Int) async throws -> Void)?) { state.withLock { $0.meanwhile = body } }

    /// What hashing a new password throws.
    package func refuseToHash(_ error: (any Error)?) { state.withLock { $0.hashingFailure = error } }

    package func hash(_ password: Secret<String>) async throws -> String {
        if let error = state.withLock({ $0.hashingFailure }) { throw error }
        let (count, generation) = state.withLock { state in
            state.hashed += 1
            return (state.hashed, state.generation)
        }
        return Self.hash(password, salt: String(count), generation: generation)
    }

    package func verify(_ password: Secret<String>, against hash: String) async throws -> Bool {
        let (count, meanwhile) = state.withLock { state in
            state.verified.append(hash)
            return (state.verified.count, state.meanwhile)
        }
        try await meanwhile?(count)
        let parts = hash.split(separator: "$")
        guard parts.count == 4, let generation = Int(parts[1]) else { return false }
        return Self.hash(password, salt: String(parts[2]), generation: generation) == hash
    }

    package func needsRehash(_ hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        return parts.count == 4 && Int(parts[1]) != state.withLock { $0.generation }
    }

    package let decoy = "$fast$1$decoy$"

    private static func hash(_ password: Secret<String>, salt: String, generation: Int) -> String {
        let digest = Array(SHA256.hash(data: Data("\(salt)/\(password.reveal())".utf8))).hex
        return "$fast$\(generation)$\(salt)$\(digest)"
    }
}
