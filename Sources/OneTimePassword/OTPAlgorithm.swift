/// The hash under the HMAC of a one-time password (RFC 6238 section 1.2).
///
/// The raw value is the spelling of `otpauth` URIs, and what `Codable` writes. SHA-1 is not weak *here*: HMAC does
/// not rest on collision resistance (RFC 4226 appendix B.2), and it is the only one that every authenticator has.
public enum OTPAlgorithm: String, Codable, Sendable, CaseIterable {
    /// HMAC-SHA-1, the hash of RFC 4226 and the default of RFC 6238; a digest of 20 bytes.
    case sha1 = "SHA1"
    /// HMAC-SHA-256 (RFC 6238, section 1.2), a digest of 32 bytes. Some authenticators ignore it and make codes with
    /// SHA-1.
    case sha256 = "SHA256"
    /// HMAC-SHA-512 (RFC 6238, section 1.2), a digest of 64 bytes. Some authenticators ignore it and make codes with
    /// SHA-1.
    case sha512 = "SHA512"

    /// The algorithm under any of the names in use: `SHA1`, `sha-1`, `HmacSHA1`, `HMAC-SHA-256`, `hmac_sha512`, …
    ///
    /// Case, dashes, underscores and a leading `HMAC` do not matter; anything else gives `nil`.
    public init?(name: some StringProtocol) {
        var letters = name.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
            default: byte
            }
        }
        if letters.starts(with: "HMAC".utf8) { letters.removeFirst(4) }
        self.init(rawValue: String(decoding: letters, as: UTF8.self))
    }
}
