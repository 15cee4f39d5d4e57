import Foundation
import Synchronization

/// Where the core and the server get unpredictable bytes.
public protocol RandomSource: Sendable {
    /// `count` unpredictable bytes.
    func bytes(_ count: Int) -> [UInt8]
}

/// The operating system's generator.
///
/// A request draws a dozen values, a push a hundred and more: they are taken from a block that was drawn before, so that not each
/// of them is a system call (docs/decisions/0162). All instances of a process share the block.
public struct SystemRandom: RandomSource {
    /// The operating system's generator; all instances are one.
    public init() {}

    /// What the kernel gives in one piece.
    private static let mostAtOnce = 256
    private static let reserve = Mutex(RandomReserve(capacity: 1024, fill: Self.fill))

    public func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            if count <= Self.mostAtOnce {
                Self.reserve.withLock { $0.take(into: buffer, count) }
            } else {
                Self.fill(buffer)
            }
            filled = count
        }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < buffer.count {
            let part = min(mostAtOnce, buffer.count - filled)
            let isFilled = buffer.baseAddress.map { getentropy($0 + filled, part) == 0 } ?? false
            // A kernel without randomness leaves nothing that could be kept secret.
            precondition(isFilled, "the system gives no random bytes")
            filled += part
        }
    }
}

/// Random bytes that were drawn together and are given out once each, one after another.
///
/// What was given out is overwritten at once, so that a later look into the memory does not tell it. A process that forks without
/// `exec` would have two copies of what is left: this server never does.
struct RandomReserve: Sendable {
    private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void
    private var block: [UInt8]
    private var used: Int

    init(capacity: Int, fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
        self.fill = fill
        block = [UInt8](repeating: 0, count: capacity)
        used = capacity
    }

    /// - Parameter count: not more than the capacity.
    mutating func take(into buffer: UnsafeMutableRawBufferPointer, _ count: Int) {
        precondition(count <= block.count)
        guard count > 0 else { return }
        if count > block.count - used {
            // What is left of the former block is not used: a value comes from one block.
            block.withUnsafeMutableBytes { fill($0) }
            used = 0
        }
        block.withUnsafeMutableBytes { block in
            let given = UnsafeMutableRawBufferPointer(rebasing: block[used..<(used + count)])
            buffer.copyMemory(from: UnsafeRawBufferPointer(given))
            given.initializeMemory(as: UInt8.self, repeating: 0)
        }
        used += count
    }

    /// The bytes that wait in memory.
    var unused: ArraySlice<UInt8> { block[used...] }
    /// The places of those that were given out.
    var given: ArraySlice<UInt8> { block[..<used] }
}

extension RandomSource {
    /// A string of `length` characters of `alphabet`, each equally likely.
    ///
    /// Bytes that would favour the first characters are thrown away.
    /// - Parameter alphabet: between 1 and 256 ASCII characters.
    public func string(_ length: Int, of alphabet: StaticAlphabet) -> String {
        let symbols = alphabet.symbols
        let limit = 256 - 256 % symbols.count
        var result: [UInt8] = []
        result.reserveCapacity(length)
        while result.count < length {
            for byte in bytes(length) where Int(byte) < limit && result.count < length {
                result.append(symbols[Int(byte) % symbols.count])
            }
        }
        return String(decoding: result, as: UTF8.self)
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
        let digits = bytes.hexDigits
        let groups = [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
        return String(decoding: Array(groups.joined(separator: [UInt8(ascii: "-")])), as: UTF8.self)
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
    /// Capital letters that make no words and are not taken for each other (RFC 8628, section 6.1).
    static let userCode = StaticAlphabet(symbols: Array("BCDFGHJKLMNPQRSTVWXZ".utf8))
    /// Decimal digits, as mailed codes have them.
    public static let digits = StaticAlphabet(symbols: Array("0123456789".utf8))
}
