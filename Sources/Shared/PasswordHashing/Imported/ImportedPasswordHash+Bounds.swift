extension ImportedPasswordHash {
    /// What one comparison may cost, so that an import cannot take the server's time or memory.
    ///
    /// Where Google documents a range it lies within these. The products come to a few seconds of one core of 2026.
    /// A comparison runs twice where the password is not in normal form C.
    enum Bounds {
        static let hashBytes = 1024
        static let saltBytes = 1024
        static let keyBytes = 1024
        static let separatorBytes = 64
        static let associatedDataBytes = 1024

        /// `MD5`; the `SHA*` begin at 1. Google's range: with 0 only MD5 ever verified
        /// (https://github.com/firebase/firebase-tools/pull/1701).
        static let digestRounds = 0...8192
        /// Rounds times blocks of output, because each block takes all the rounds.
        static let pbkdf2Rounds = 1...10_000_000
        /// Google's ranges for its own scrypt; 16 MiB at most.
        static let firebaseScryptRounds = 1...8
        static let firebaseScryptMemoryCost = 1...14
        /// Bytes that scrypt's mixing fills: 128·r·N, V of RFC 7914, section 5.
        static let scryptMemory = 256 * 1024 * 1024
        /// Bytes that it mixes one part after the other: 128·r·p, B of section 6. PBKDF2 makes them, which takes time too.
        static let scryptInput = 32 * 1024 * 1024
        /// N·r·p, which its time is proportional to.
        static let scryptWork = 1 << 23
        /// The binary logarithm; each step doubles the time.
        static let bcryptCost = 4...16
        static let argon2HashBytes = 4...1024
        static let argon2Lanes = 1...64
        static let argon2Iterations = 1...64
        static let argon2MemoryKiB = 1_048_576
        /// KiB times passes, which its time is proportional to.
        static let argon2Work = 4 * 1_048_576

        /// A shorter hash would match passwords by chance; MD5, the shortest digest, has 16 bytes. Argon2 has a
        /// minimum of its own.
        static let leastHashBytes = 8

        static func check(
            _ value: Int, in range: ClosedRange<Int>, _ parameter: String, unit: String = ""
        ) throws(ImportedPasswordHashError) {
            if range.contains(value) { return }
            let most = unit.isEmpty ? "\(range.upperBound)" : "\(range.upperBound) \(unit)"
            throw ImportedPasswordHashError(
                .outOfRange, parameter,
                "\(parameter) must be between \(range.lowerBound) and \(most), not \(value)")
        }
    }
}
