import Foundation

/// Where the core and the server get unpredictable bytes.
public protocol RandomSource: Sendable {
    /// `count` unpredictable bytes.
    func bytes(_ count: Int) -> [UInt8]
}

/// The operating system's generator.
public struct SystemRandom: RandomSource {
    public init() {}

    /// What the kernel gives in one piece.
    private static let mostAtOnce = 256

    public func bytes(_ count: Int) -> [UInt8] {
        // Swift's own generator asks the kernel for eight bytes at a time; this asks once for what most calls want.
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let part = min(Self.mostAtOnce, count - filled)
                let isFilled = buffer.baseAddress.map { getentropy($0 + filled, part) == 0 } ?? false
                // A kernel without randomness leaves nothing that could be kept secret.
                precondition(isFilled, "the system gives no random bytes")
                filled += part
            }
        }
    }
}

extension RandomSource {
    /// A string of `length` characters of `alphabet`, each equally likely.
    ///
    /// Bytes that would favour the first characters are thrown away.
    /// - Parameter alphabet: between 1 and 256 ASCII characters.
    public func string(_ length: Int, of alphabet: StaticAlphabet) -> String {
        let symbols = alphabet.symbols
        let limit = 256 - 256 % symbols.count
        var result = ""
        while result.utf8.count < length {
            for byte in bytes(length) where Int(byte) < limit && result.utf8.count < length {
                result.unicodeScalars.append(Unicode.Scalar(symbols[Int(byte) % symbols.count]))
            }
        }
        return result
    }

    /// A random (version 4) UUID, lower case (RFC 9562, section 5.4).
    public func uuid() -> String {
        bytes(16).uuidText(version: 4)
    }
}

extension [UInt8] {
    /// The first 16 bytes as a UUID of that version, lower case (RFC 9562, section 4).
    /// - Precondition: there are 16 bytes at least.
    func uuidText(version: UInt8) -> String {
        var bytes = Array(prefix(16))
        bytes[6] = bytes[6] & 0x0f | version << 4
        bytes[8] = bytes[8] & 0x3f | 0x80
        var result = ""
        for (index, character) in bytes.hex.enumerated() {
            if [8, 12, 16, 20].contains(index) { result.append("-") }
            result.append(character)
        }
        return result
    }
}

/// The characters that a generated string may consist of.
public struct StaticAlphabet: Sendable {
    let symbols: [UInt8]

    /// Digits and both cases of Latin letters.
    public static let alphanumeric = StaticAlphabet(
        symbols: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8))
    /// Digits and capital letters, without those that are taken for each other (`0O`, `1I`).
    public static let capitals = StaticAlphabet(symbols: Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8))
    /// Decimal digits, as mailed codes have them.
    public static let digits = StaticAlphabet(symbols: Array("0123456789".utf8))
}
