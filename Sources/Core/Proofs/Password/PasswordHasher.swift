/// Turns passwords into what may be kept, and compares. The work is slow on purpose and happens on threads of its own.
public protocol PasswordHasher: Sendable {
    /// A PHC string (`$argon2id$v=19$…`) with a fresh salt.
    /// - Throws: ``PasswordHashingOverload`` when too many hashes wait already.
    func hash(_ password: Secret<String>) async throws -> String

    /// Whether the password is the one that was hashed. An unreadable hash matches nothing.
    /// - Throws: ``PasswordHashingOverload`` when too many hashes wait already.
    func verify(_ password: Secret<String>, against hash: String) async throws -> Bool

    /// Whether the hash was made with less, or with another algorithm, than ``hash(_:)`` uses now.
    func needsRehash(_ hash: String) -> Bool

    /// A hash that no password matches and that costs as much to compare as a real one, for addresses without account.
    var decoy: String { get }
}

/// So many passwords wait to be hashed that one more would wait longer than a client does. Answered as 503 with
/// `Retry-After`.
public struct PasswordHashingOverload: Error, Sendable {
    /// Seconds after which it is worth trying again; at least 1.
    public let retryAfter: Int

    /// An overload that is over in so many seconds.
    public init(retryAfter: Int) {
        self.retryAfter = retryAfter
    }
}
