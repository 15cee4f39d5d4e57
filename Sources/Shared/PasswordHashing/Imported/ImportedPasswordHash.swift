/// A password hash that another system made: verified once, then replaced.
///
/// `accounts:batchCreate` of Identity Toolkit brings such hashes, with their algorithm and its parameters beside them.
/// ``text`` is what a password factor keeps in place of a PHC string. ``Argon2idHasher`` compares it like one, on the
/// same threads, and says that it needs a rehash, so that the first right password replaces it.
///
/// What one comparison may cost is bounded (``Bounds``): a hash that asks for more is refused here, at import, because
/// later it could only refuse its user. A hash that is merely of no use – a SHA-1 of 13 bytes – is accepted, as Google
/// accepts it; ``flaw`` says why no password matches.
///
/// How the algorithms are meant, and where the public documentation leaves it open, is
/// `docs/decisions/0030-imported-hashes.md`.
public struct ImportedPasswordHash: Sendable, Equatable {
    let scheme: ImportedScheme
    /// The user's own. Treat both like the password.
    public let salt: [UInt8]
    public let hash: [UInt8]

    /// - Parameters:
    ///   - parameters: those that the algorithm does not use are ignored.
    ///   - salt: the user's own; empty where there is none. `BCRYPT` has its salt in the hash and ignores this one.
    ///   - hash: the bytes of `passwordHash`. For `BCRYPT` they are the characters of the whole `$2b$…` string; for
    ///     `MD5` the 16 bytes, or the 32 characters of their hexadecimal form.
    public init(
        _ algorithm: Algorithm, _ parameters: Parameters = Parameters(), salt: [UInt8] = [], hash: [UInt8]
    ) throws(ImportedPasswordHashError) {
        guard !hash.isEmpty else { throw .missing("passwordHash", of: algorithm) }
        try Bounds.check(hash.count, in: 1...Bounds.hashBytes, "passwordHash", unit: "bytes")
        try Bounds.check(salt.count, in: 0...Bounds.saltBytes, "salt", unit: "bytes")
        scheme = try ImportedScheme(algorithm, parameters, hash: hash)
        self.salt = algorithm == .bcrypt ? [] : salt
        self.hash = hash
    }

    /// The algorithm's name in the protocol.
    public var algorithm: Algorithm { scheme.algorithm }

    /// What the algorithm uses of the parameters, with the defaults filled in.
    public var parameters: Parameters { scheme.parameters }

    /// Why no password ever matches, for the operator's log; nil where one may. It names lengths, never bytes.
    public var flaw: String? { scheme.flaw(salt: salt, hash: hash) }
}

/// Hashes and signer keys stay out of logs.
extension ImportedPasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<imported \(algorithm.rawValue) hash>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
