#if !canImport(Security)
    import KeychainTypes

    /// What a key is, with the numbers that `kSecAttrKeyType` and `kSecAttrKeySizeInBits` have.
    enum KeyType: Hashable, Sendable {
        case rsa(bits: Int)
        case p256, p384, p521

        /// - Throws: `parameter` for a size that is not offered: RSA has 2048 to 4096 bits in whole bytes (1024 is too
        ///   weak, OWASP MASTG-TEST-0209), elliptic curves 256, 384 or 521.
        init(typeNumber: Int64, bits: Int64) throws(KeychainError) {
            switch (typeNumber, bits) {
            case (42, 2048...4096) where bits % 8 == 0: self = .rsa(bits: Int(bits))
            case (42, _): throw .parameter("RSA keys have 2048 to 4096 bits")
            case (73, 256): self = .p256
            case (73, 384): self = .p384
            case (73, 521): self = .p521
            case (73, _): throw .parameter("elliptic curve keys have 256, 384 or 521 bits")
            default: throw .unsupported("keys are kSecAttrKeyTypeRSA or kSecAttrKeyTypeECSECPrimeRandom")
            }
        }

        var typeNumber: Int64 {
            switch self {
            case .rsa: 42
            case .p256, .p384, .p521: 73
            }
        }

        var bits: Int {
            switch self {
            case .rsa(let bits): bits
            case .p256: 256
            case .p384: 384
            case .p521: 521
            }
        }

        /// The bytes of a coordinate, or of an RSA signature.
        var blockSize: Int { (bits + 7) / 8 }

        var isRSA: Bool { typeNumber == 42 }
    }
#endif
