#if canImport(CCrypt)
    import CCrypt
#endif

/// bcrypt by `crypt_rn` of libxcrypt: strings of `$2a$`, `$2b$` and `$2y$`, a cost, 22 characters of salt and 31 of
/// hash.
///
/// It uses the first 72 bytes of a password, as every bcrypt does. A zero byte would end the password for C, so that
/// what follows would not count: a password with one matches nothing.
enum Bcrypt {
    #if canImport(CCrypt)
        static let isAvailable = true
    #else
        /// macOS has no bcrypt of its own; Homebrew's libxcrypt is not in the compiler's paths and was not tried.
        static let isAvailable = false
    #endif

    /// The logarithm of the rounds; nil where the text is not bcrypt's.
    static func cost(of text: [UInt8]) -> Int? {
        guard text.count == 60, text.starts(with: "$2".utf8), "aby".utf8.contains(text[2]), text[3] == dollar,
            isDigit(text[4]), isDigit(text[5]), text[6] == dollar, text[7...].allSatisfy(isEncoded)
        else { return nil }
        return Int(text[4] - 48) * 10 + Int(text[5] - 48)
    }

    /// The 31 characters of the hash. The last character of the salt has bits that do not count and that libraries
    /// print differently, so only these are compared.
    static func hash(in text: [UInt8]) -> [UInt8] { Array(text.suffix(31)) }

    /// The 31 characters for a password, with the salt and cost of `text`.
    /// - Parameter text: one that ``cost(of:)`` can read.
    /// - Returns: nil where the password has a zero byte or the library refuses.
    static func hash(_ password: [UInt8], as text: [UInt8]) -> [UInt8]? {
        #if canImport(CCrypt)
            guard !password.contains(0) else { return nil }
            var phrase = password.prefix(72).map { CChar(bitPattern: $0) } + [0]
            defer { phrase.withUnsafeMutableBytes { Sodium.wipe($0) } }
            let setting = text.map { CChar(bitPattern: $0) } + [0]
            // It has to be zero at first, and holds the password afterwards.
            let size = MemoryLayout<crypt_data>.size
            let work = UnsafeMutableRawBufferPointer.allocate(
                byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
            work.initializeMemory(as: UInt8.self, repeating: 0)
            defer {
                Sodium.wipe(work)
                work.deallocate()
            }
            guard let output = crypt_rn(phrase, setting, work.baseAddress, Int32(size)) else { return nil }
            let characters = (0..<60).map { UInt8(bitPattern: output[$0]) }
            return cost(of: characters) == nil ? nil : hash(in: characters)
        #else
            return nil
        #endif
    }

    private static let dollar = UInt8(ascii: "$")

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// `./A-Za-z0-9`
    private static func isEncoded(_ byte: UInt8) -> Bool {
        (46...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
}
