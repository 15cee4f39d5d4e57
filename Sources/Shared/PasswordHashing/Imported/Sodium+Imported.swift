import CSodium

/// What imported hashes need of libsodium.
extension Sodium {
    /// scrypt after RFC 7914.
    /// - Returns: nil where there is no memory, or the parameters are not scrypt's.
    static func scrypt(
        _ password: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, parallelization: Int, byteCount: Int
    ) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: byteCount)
        let code = crypto_pwhash_scryptsalsa208sha256_ll(
            password, password.count, salt, salt.count, UInt64(cost), UInt32(blockSize), UInt32(parallelization),
            &output, output.count)
        return code == 0 ? output : nil
    }

    /// Whether both are equal, looking at every byte whatever it finds. Lengths are no secret.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && sodium_memcmp(a, b, a.count) == 0
    }
}
