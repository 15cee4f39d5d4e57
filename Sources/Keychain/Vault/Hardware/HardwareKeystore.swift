import KeychainTypes

/// A chip that keeps keys: a TPM 2.0. Sealed values and keys are opaque blobs that only the same chip understands, and
/// that lie in the vault's file.
///
/// `authorization` is derived key material, never a passcode as typed. A wrong one is
/// ``KeychainError/authenticationFailed(triesLeft:)``, a chip that refuses to look
/// ``KeychainError/lockedOut(seconds:)``.
public protocol HardwareKeystore: Sendable {
    /// Which keystore a blob belongs to, 1…32 bytes of ASCII: "tpm2".
    var name: String { get }

    func status() throws(KeychainError) -> HardwareKeystoreStatus

    /// - Parameter authorization: Up to 32 bytes.
    /// - Returns: At most 4096 bytes.
    func seal(_ secret: LockedBytes, authorization: LockedBytes) throws(KeychainError) -> [UInt8]
    func unseal(_ blob: [UInt8], authorization: LockedBytes) throws(KeychainError) -> LockedBytes

    /// Makes a key pair whose private half never leaves the chip.
    func makeKey(_ kind: HardwareKeyKind, authorization: LockedBytes) throws(KeychainError) -> HardwareKey
    /// - Parameter digest: SHA-256, 32 bytes.
    /// - Returns: For P-256 a DER signature (X9.62), for RSA PKCS#1 v1.5.
    func sign(digest: [UInt8], with key: HardwareKey, authorization: LockedBytes) throws(KeychainError) -> [UInt8]
}

public enum HardwareKeyKind: UInt8, Sendable, Hashable, CaseIterable {
    case p256 = 1
    case rsa2048 = 2
}

public struct HardwareKey: Sendable, Hashable {
    public let kind: HardwareKeyKind
    /// At most 4096 bytes.
    public let blob: [UInt8]
    /// P-256: X9.63 `04 ‖ X ‖ Y`. RSA: PKCS#1 DER.
    public let publicKey: [UInt8]

    public init(kind: HardwareKeyKind, blob: [UInt8], publicKey: [UInt8]) {
        self.kind = kind
        self.blob = blob
        self.publicKey = publicKey
    }
}

public struct HardwareKeystoreStatus: Sendable, Hashable {
    /// The chip answers nothing that needs an authorization for now.
    public let isLockedOut: Bool
    /// Wrong answers are limited by the chip in a way that a program on this machine cannot undo.
    public let limitsGuesses: Bool
    /// For people: maker, version, and what to change where guesses are not limited.
    public let details: String
    /// In a lockout, the longest wait in seconds until the chip accepts an answer again; nil where it does not tell.
    public let secondsUntilRetry: Int?

    public init(isLockedOut: Bool, limitsGuesses: Bool, details: String, secondsUntilRetry: Int? = nil) {
        self.isLockedOut = isLockedOut
        self.limitsGuesses = limitsGuesses
        self.details = details
        self.secondsUntilRetry = secondsUntilRetry
    }
}
