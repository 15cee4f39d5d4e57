import Crypto
import Foundation
import JSON

/// Nonces for proofs of possession that nothing is kept of (RFC 9449, sections 8 and 9): a minute, and a code that only the servers
/// with the key can make. One counts for its minute and the next.
public struct ProofNonces: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: 32 bytes, the same in all servers of one API; a fresh one for a server that is alone.
    public init(key: SymmetricKey = SymmetricKey(size: .bits256)) {
        self.key = key
    }

    /// The nonce of this minute.
    public func nonce(at now: Date) -> String {
        let minute = Self.minute(now)
        return Self.text(minute, code(minute))
    }

    /// Whether a nonce counts now.
    public func admits(_ nonce: String, at now: Date) -> Bool {
        guard let (minute, given) = Self.parts(of: nonce, at: now) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(given, authenticating: Self.message(minute), using: key)
    }

    private func code(_ minute: Int64) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Self.message(minute), using: key))
    }

    private static func message(_ minute: Int64) -> Data { Data("dpop-nonce/\(minute)".utf8) }

    // MARK: The form of a nonce

    package static func minute(_ now: Date) -> Int64 { Int64((now.timeIntervalSince1970 / 60).rounded(.down)) }

    package static func text(_ minute: Int64, _ code: Data) -> String {
        Array(withUnsafeBytes(of: minute.bigEndian) { Data($0) } + code).base64URL
    }

    /// The minute and the code of a nonce that is of this minute or the one before.
    package static func parts(of nonce: String, at now: Date) -> (minute: Int64, code: Data)? {
        guard nonce.utf8.count <= 256, let bytes = [UInt8](base64URL: nonce), bytes.count > 8 else { return nil }
        let minute = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let present = Self.minute(now)
        guard minute == present || minute == present - 1 else { return nil }
        return (minute, Data(bytes.dropFirst(8)))
    }
}
