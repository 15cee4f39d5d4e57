import KeychainTypes

/// What a security key stands for in an access control.
public enum SecurityKeyRole: UInt8, Sendable, Hashable {
    case biometry = 2
    case companion = 3
}

/// A thing that yields key material only when a person acts on it: a FIDO2 key with `hmac-secret` and user
/// verification, a fingerprint reader that releases a key.
///
/// Like a ``PresenceProvider`` it gives **key material, never a verdict**.
public protocol SecurityKeyFactor: Sendable {
    var role: SecurityKeyRole { get }

    /// Names what is enrolled now: other bytes after a finger was added or the key was set up again, the same as long
    /// as nothing changed. Nil when nothing is enrolled. Must not prompt, and is called often: answer from memory.
    ///
    /// - Throws: ``PresenceError/unavailable(_:)`` when that is unknown now (the key is not plugged in); items are then
    ///   unavailable, and not invalid.
    func enrolment() throws(PresenceError) -> [UInt8]?

    /// At least 32 bytes that depend on `salt` (32 bytes) and on the enrolment, and that cannot be computed without the
    /// factor. The same input gives the same bytes. May block while the user acts.
    ///
    /// - Parameter reason: What the caller says this is for, to be shown where the factor has a screen.
    func keyMaterial(salt: [UInt8], reason: String?) throws(PresenceError) -> LockedBytes
}

extension SecurityKeyFactor {
    public var role: SecurityKeyRole { .biometry }
}
