import CArgon2Fill
import CSodium

/// Argon2id (RFC 9106) of one lane, in memory that the caller keeps: the same hashes as libsodium's, without asking the
/// system for the memory each time (docs/decisions/0166-argon2id-in-memory-that-is-kept.md).
///
/// BLAKE2b is libsodium's; the blocks are filled by `CArgon2Fill` with the widest registers that this processor has.
enum Argon2id {
    /// The widest registers that the code has a form for.
    enum Width: Int32, CaseIterable {
        case portable = 0
        case avx2 = 1
        case avx512 = 2

        /// Whether this processor, and the system, know it.
        var isAvailable: Bool {
            switch self {
            case .portable: true
            case .avx2: sodium_runtime_has_avx2() == 1
            case .avx512: sodium_runtime_has_avx512f() == 1
            }
        }

        static let best = allCases.last { $0.isAvailable } ?? .portable
    }

    static let blockBytes = 1024

    /// How many blocks a hash takes that asks for so many KiB (RFC 9106, section 3.2, step 4).
    static func blocks(memoryKiB: Int) -> Int { memoryKiB / 4 * 4 }

    /// - Parameters:
    ///   - memory: at least as many blocks as ``blocks(memoryKiB:)`` says, at a multiple of 64. What it holds before does not
    ///     matter; afterwards it is for the caller to wipe.
    ///   - memoryKiB: at least 8.
    /// - Returns: the tag, of `count` bytes from 16 to 64.
    static func hash(
        _ password: [UInt8], salt: [UInt8], operations: Int, memoryKiB: Int, count: Int,
        in memory: UnsafeMutableRawPointer, _ width: Width = .best
    ) -> [UInt8] {
        var parts = littleEndian(1, count, memoryKiB, operations, 0x13, 2, password.count) + password
        parts += littleEndian(salt.count) + salt
        // Neither a secret nor associated data.
        parts += littleEndian(0, 0)
        defer { Sodium.wipe(&parts) }
        var seed = blake2b(parts, count: 64)
        defer { Sodium.wipe(&seed) }
        let blocks = blocks(memoryKiB: memoryKiB)
        for index in 0..<2 {
            var input = seed + littleEndian(index, 0)
            var bytes = expanded(input, to: blockBytes)
            Sodium.wipe(&input)
            memory.advanced(by: index * blockBytes).copyMemory(from: bytes, byteCount: blockBytes)
            Sodium.wipe(&bytes)
        }
        argon2_fill(memory, UInt32(blocks), UInt32(operations), width.rawValue)
        var last = Array(
            UnsafeRawBufferPointer(start: memory.advanced(by: (blocks - 1) * blockBytes), count: blockBytes))
        defer { Sodium.wipe(&last) }
        return expanded(last, to: count)
    }

    /// H′ of RFC 9106, section 3.3.
    private static func expanded(_ input: [UInt8], to count: Int) -> [UInt8] {
        var input = littleEndian(count) + input
        defer { Sodium.wipe(&input) }
        var part = blake2b(input, count: min(count, 64))
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while count - result.count > 64 {
            result += part.prefix(32)
            part = blake2b(part, count: min(count - result.count, 64))
        }
        return result + part
    }

    private static func littleEndian(_ numbers: Int...) -> [UInt8] {
        numbers.flatMap { withUnsafeBytes(of: UInt32($0).littleEndian, Array.init) }
    }

    /// BLAKE2b (RFC 7693) without a key.
    private static func blake2b(_ input: [UInt8], count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        crypto_generichash_blake2b(&result, count, input, UInt64(input.count), nil, 0)
        return result
    }
}
