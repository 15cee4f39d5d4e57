import Foundation
import SignedTokens

/// A token-signing key as stores keep it.
public struct SigningKeyRecord: Sendable, Equatable {
    /// The `kid` of tokens and of the JWKS.
    public let id: String
    /// The algorithm that it signs with.
    public let algorithm: SigningAlgorithm
    /// When it was made.
    public let createdAt: Date
    /// Set by a rotation: it signs nothing any more.
    public var retiredAt: Date?
    /// Set by a rotation: when the last token it signed has expired, and the key leaves the JWKS.
    public var removedAfter: Date?
    /// The private key's PEM, sealed for this key's id.
    public var sealedPrivateKey: Data

    /// The row as stores read and write it. ``Keyring`` makes keys.
    public init(
        id: String, algorithm: SigningAlgorithm, createdAt: Date, retiredAt: Date? = nil, removedAfter: Date? = nil,
        sealedPrivateKey: Data
    ) {
        self.id = id
        self.algorithm = algorithm
        self.createdAt = createdAt
        self.retiredAt = retiredAt
        self.removedAfter = removedAfter
        self.sealedPrivateKey = sealedPrivateKey
    }
}
