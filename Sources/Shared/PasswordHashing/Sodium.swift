import CSodium

/// libsodium's password functions, with Swift's types.
///
/// They block for as long as a hash takes, so they are called on ``HashingThreads`` only.
enum Sodium {
    /// Prepares libsodium, once a process; at that moment it also chooses the vector code that this processor runs.
    static let isReady: Bool = sodium_init() >= 0

    /// A new PHC string with a random salt, or nil where there is no memory for it.
    static func hash(_ password: [UInt8], operations: Int, memoryKiB: Int) -> String? {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
        let code = withCharacters(of: password) { characters, count in
            crypto_pwhash_str_alg(
                &text, characters, count, UInt64(operations), memoryKiB * 1024, crypto_pwhash_alg_argon2id13())
        }
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether the password is the one of the hash. The comparison takes the same time whatever differs.
    static func verify(_ password: [UInt8], against hash: String) -> Bool {
        let code = withCharacters(of: password) { characters, count in
            crypto_pwhash_str_verify(padded(hash), characters, count)
        }
        return code == 0
    }

    /// Whether the hash was made with exactly these costs; nil where libsodium cannot read it.
    static func matchesCosts(_ hash: String, operations: Int, memoryKiB: Int) -> Bool? {
        switch crypto_pwhash_str_needs_rehash(padded(hash), UInt64(operations), memoryKiB * 1024) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// Overwrites the bytes in a way that the compiler does not leave out.
    static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { wipe($0) }
    }

    static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        sodium_memzero(bytes.baseAddress, bytes.count)
    }

    /// The text as a C string of at least the size that libsodium's declarations promise.
    private static func padded(_ text: String) -> [CChar] {
        var result = text.utf8.map { CChar(bitPattern: $0) }
        result.append(contentsOf: repeatElement(0, count: max(1, Int(crypto_pwhash_strbytes()) - result.count)))
        return result
    }

    /// Pointer and length, because a zero byte does not end a password. libsodium insists on a pointer even where the
    /// password is empty, and an empty array may not have one.
    private static func withCharacters(
        of password: [UInt8], _ body: (UnsafePointer<CChar>, UInt64) -> Int32
    ) -> Int32 {
        password.withUnsafeBytes { bytes in
            guard let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress else {
                return body([0], 0)
            }
            return body(characters, UInt64(bytes.count))
        }
    }
}
