#if !canImport(Security)
    import Foundation

    /// What a key is asked whether it can do it.
    public enum SecKeyOperationType: Int, Sendable {
        /// Making a signature, with a private key.
        case sign = 0
        /// Verifying a signature, with a public or a private key.
        case verify = 1
        /// Encryption; no key here does it.
        case encrypt = 2
        /// Decryption; no key here does it.
        case decrypt = 3
        /// Agreeing on a key; no key here does it.
        case keyExchange = 4
    }

    /// How a signature is made, named as on Apple's systems.
    ///
    /// `Digest` forms take a digest of exactly the hash's length, `Message` forms hash for you. `X962` signatures are DER,
    /// `RFC4754` ones are `r‖s`. SHA-1 and MD5 forms, encryption and key exchange are not offered.
    public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
        let name: String

        public var rawValue: CFString { name as CFString }
        public init(rawValue: CFString) { name = String(rawValue) }
        private init(_ name: String) { self.name = name }

        /// RSASSA-PKCS1-v1_5 over a SHA-256 digest of 32 bytes (RFC 8017, section 8.2).
        public static let rsaSignatureDigestPKCS1v15SHA256 = Self("algid:sign:RSA:digest-PKCS1v15:SHA256")
        /// RSASSA-PKCS1-v1_5 over a SHA-384 digest of 48 bytes (RFC 8017, section 8.2).
        public static let rsaSignatureDigestPKCS1v15SHA384 = Self("algid:sign:RSA:digest-PKCS1v15:SHA384")
        /// RSASSA-PKCS1-v1_5 over a SHA-512 digest of 64 bytes (RFC 8017, section 8.2).
        public static let rsaSignatureDigestPKCS1v15SHA512 = Self("algid:sign:RSA:digest-PKCS1v15:SHA512")
        /// RSASSA-PKCS1-v1_5 over a message, which is hashed with SHA-256 (RFC 8017, section 8.2).
        public static let rsaSignatureMessagePKCS1v15SHA256 = Self("algid:sign:RSA:message-PKCS1v15:SHA256")
        /// RSASSA-PKCS1-v1_5 over a message, which is hashed with SHA-384 (RFC 8017, section 8.2).
        public static let rsaSignatureMessagePKCS1v15SHA384 = Self("algid:sign:RSA:message-PKCS1v15:SHA384")
        /// RSASSA-PKCS1-v1_5 over a message, which is hashed with SHA-512 (RFC 8017, section 8.2).
        public static let rsaSignatureMessagePKCS1v15SHA512 = Self("algid:sign:RSA:message-PKCS1v15:SHA512")
        /// RSASSA-PSS over a SHA-256 digest, with MGF1 over SHA-256 and a salt of 32 bytes (RFC 8017, section 8.1).
        public static let rsaSignatureDigestPSSSHA256 = Self("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
        /// RSASSA-PSS over a SHA-384 digest, with MGF1 over SHA-384 and a salt of 48 bytes (RFC 8017, section 8.1).
        public static let rsaSignatureDigestPSSSHA384 = Self("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
        /// RSASSA-PSS over a SHA-512 digest, with MGF1 over SHA-512 and a salt of 64 bytes (RFC 8017, section 8.1).
        public static let rsaSignatureDigestPSSSHA512 = Self("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
        /// RSASSA-PSS over a message, which is hashed with SHA-256, with MGF1 over SHA-256 and a salt of 32 bytes (RFC
        /// 8017, section 8.1).
        public static let rsaSignatureMessagePSSSHA256 = Self("algid:sign:RSA:message-PSS:SHA256:SHA256:32")
        /// RSASSA-PSS over a message, which is hashed with SHA-384, with MGF1 over SHA-384 and a salt of 48 bytes (RFC
        /// 8017, section 8.1).
        public static let rsaSignatureMessagePSSSHA384 = Self("algid:sign:RSA:message-PSS:SHA384:SHA384:48")
        /// RSASSA-PSS over a message, which is hashed with SHA-512, with MGF1 over SHA-512 and a salt of 64 bytes (RFC
        /// 8017, section 8.1).
        public static let rsaSignatureMessagePSSSHA512 = Self("algid:sign:RSA:message-PSS:SHA512:SHA512:64")
        /// ECDSA over a SHA-256 digest of 32 bytes; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureDigestX962SHA256 = Self("algid:sign:ECDSA:digest-X962:SHA256")
        /// ECDSA over a SHA-384 digest of 48 bytes; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureDigestX962SHA384 = Self("algid:sign:ECDSA:digest-X962:SHA384")
        /// ECDSA over a SHA-512 digest of 64 bytes; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureDigestX962SHA512 = Self("algid:sign:ECDSA:digest-X962:SHA512")
        /// ECDSA over a message, which is hashed with SHA-256; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureMessageX962SHA256 = Self("algid:sign:ECDSA:message-X962:SHA256")
        /// ECDSA over a message, which is hashed with SHA-384; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureMessageX962SHA384 = Self("algid:sign:ECDSA:message-X962:SHA384")
        /// ECDSA over a message, which is hashed with SHA-512; the signature is DER (ANSI X9.62).
        public static let ecdsaSignatureMessageX962SHA512 = Self("algid:sign:ECDSA:message-X962:SHA512")
        /// ECDSA over a SHA-256 digest of 32 bytes; the signature is `r‖s`, each as long as a coordinate (RFC 4754,
        /// section 7).
        public static let ecdsaSignatureDigestRFC4754SHA256 = Self("algid:sign:ECDSA:digest-RFC4754:SHA256")
        /// ECDSA over a SHA-384 digest of 48 bytes; the signature is `r‖s`, each as long as a coordinate (RFC 4754,
        /// section 7).
        public static let ecdsaSignatureDigestRFC4754SHA384 = Self("algid:sign:ECDSA:digest-RFC4754:SHA384")
        /// ECDSA over a SHA-512 digest of 64 bytes; the signature is `r‖s`, each as long as a coordinate (RFC 4754,
        /// section 7).
        public static let ecdsaSignatureDigestRFC4754SHA512 = Self("algid:sign:ECDSA:digest-RFC4754:SHA512")
        /// ECDSA over a message, which is hashed with SHA-256; the signature is `r‖s`, each as long as a coordinate
        /// (RFC 4754, section 7).
        public static let ecdsaSignatureMessageRFC4754SHA256 = Self("algid:sign:ECDSA:message-RFC4754:SHA256")
        /// ECDSA over a message, which is hashed with SHA-384; the signature is `r‖s`, each as long as a coordinate
        /// (RFC 4754, section 7).
        public static let ecdsaSignatureMessageRFC4754SHA384 = Self("algid:sign:ECDSA:message-RFC4754:SHA384")
        /// ECDSA over a message, which is hashed with SHA-512; the signature is `r‖s`, each as long as a coordinate
        /// (RFC 4754, section 7).
        public static let ecdsaSignatureMessageRFC4754SHA512 = Self("algid:sign:ECDSA:message-RFC4754:SHA512")
    }
#endif
