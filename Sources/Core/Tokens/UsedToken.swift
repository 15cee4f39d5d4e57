import Crypto
import Foundation

/// A token that is good once and was used: the assertion by which an application shows who it is (RFC 7523, section 3), a proof of
/// possession (RFC 9449, section 11.1), a form of a page.
///
/// A store inserts it once, however many requests bring the same token, and keeps it until the token has expired. The token's id
/// (`jti`) is the client's choice, so it is remembered under a digest together with its owner. Only a token that is right in
/// everything else becomes a row, after a limit of its owner was asked.
public struct UsedToken: Sendable, Equatable {
    /// What the token is for. The names are stored.
    public enum Kind: String, Sendable, CaseIterable {
        /// Its owner is the id of the application that made the assertion.
        case clientAssertion = "client-assertion"
        /// Its owner is the thumbprint of the key (RFC 7638) that made the proof.
        case possessionProof = "dpop-proof"
        /// A form of a page, which acts once (``SentForms``). Its owner is the user of the page's session.
        case pageForm = "page-form"
    }

    /// What the token is for.
    public let kind: Kind
    /// SHA-256 over a byte that no text has, kind, owner and `jti`. Assertions of before schema 13 have the same.
    public let digest: Data
    /// From when on the token is refused for its age.
    public let expiresAt: Date

    /// Seconds after its end that a used token is kept, for servers whose clocks are behind.
    static let kept: TimeInterval = 2 * TokenTimes.leeway

    /// - Parameters:
    ///   - id: the token's `jti`, of a length that the caller has bounded.
    ///   - owner: the application's id or the key's thumbprint: two owners may use the same `jti`.
    public init(_ kind: Kind, _ id: String, of owner: String, expiresAt: Date) {
        var hash = SHA256()
        withUnsafeBytes(of: UInt8(0xFF)) { hash.update(bufferPointer: $0) }
        hash.update("\(kind.rawValue)\u{0}\(owner)\u{0}\(id)")
        self.init(kind: kind, digest: hash.finalize().data, expiresAt: expiresAt)
    }

    /// As a store reads it.
    public init(kind: Kind, digest: Data, expiresAt: Date) {
        self.kind = kind
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
