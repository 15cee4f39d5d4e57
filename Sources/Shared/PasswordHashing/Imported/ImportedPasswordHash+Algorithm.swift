extension ImportedPasswordHash {
    /// The algorithms that `hashAlgorithm` of Identity Toolkit's `accounts:batchCreate` may name.
    /// The raw value is the protocol's word; `Algorithm(rawValue:)` reads it and is nil for any other.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// Firebase's own: scrypt makes a key that encrypts the project's signer key.
        case scrypt = "SCRYPT"
        /// scrypt after RFC 7914.
        case standardScrypt = "STANDARD_SCRYPT"
        case bcrypt = "BCRYPT"
        case pbkdf2SHA256 = "PBKDF2_SHA256"
        /// PBKDF2 with HMAC-SHA-1, in spite of its name.
        case pbkdfSHA1 = "PBKDF_SHA1"
        case hmacSHA512 = "HMAC_SHA512"
        case hmacSHA256 = "HMAC_SHA256"
        case hmacSHA1 = "HMAC_SHA1"
        case hmacMD5 = "HMAC_MD5"
        case sha512 = "SHA512"
        case sha256 = "SHA256"
        case sha1 = "SHA1"
        case md5 = "MD5"
        /// Argon2d, Argon2i and Argon2id.
        case argon2 = "ARGON2"

        /// Whether this build can verify it. `BCRYPT` needs libxcrypt, which is linked on Linux only.
        public var isSupported: Bool { self != .bcrypt || Bcrypt.isAvailable }
    }
}
