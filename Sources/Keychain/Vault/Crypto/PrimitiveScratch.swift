import CSodium
import Synchronization

/// Working memory for primitives: key schedules, pads and intermediate keys lie here, in locked pages, and not on the
/// heap or in Swift values that may be copied. Blocks are reused, because making one costs several system calls.
enum PrimitiveScratch {
    static let blockSize = 2048
    private static let spareLimit = 16
    private static let spare = Mutex<[Block]>([])

    /// Safe to hand from thread to thread: the holder of a block is its only user.
    private struct Block: @unchecked Sendable { let start: UnsafeMutableRawPointer }

    /// Lends one block, aligned to 16 bytes and zero; it is wiped when `body` is done.
    static func withBlock<Result, E: Error>(
        _ body: (UnsafeMutableRawPointer) throws(E) -> Result
    ) throws(E) -> Result {
        let block = spare.withLock { $0.popLast() } ?? make()
        defer {
            sodium_memzero(block.start, blockSize)
            let isKept = spare.withLock { spare in
                guard spare.count < spareLimit else { return false }
                spare.append(block)
                return true
            }
            if !isKept { sodium_free(block.start) }
        }
        return try body(block.start)
    }

    private static func make() -> Block {
        guard Sodium.isReady, let start = sodium_malloc(blockSize) else {
            fatalError("no locked memory left: raise `ulimit -l` or hold fewer secrets at once")
        }
        sodium_memzero(start, blockSize)
        return Block(start: start)
    }
}

enum Sodium {
    static let isReady = sodium_init() >= 0

    /// Overwrites what a primitive may have left below the caller's frame: round keys and intermediate values that the
    /// compiler spilled.
    static func wipeStack(_ count: Int = 16 << 10) { sodium_stackzero(count) }

    static func randomBytes(_ count: Int) -> [UInt8] {
        precondition(isReady, "libsodium could not be initialised")
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            initialized = count
        }
    }

    /// Equal, compared in a time that depends on the lengths only.
    static func areEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        let (a, b) = (Array(a), Array(b))
        guard a.count == b.count else { return false }
        return a.isEmpty || sodium_memcmp(a, b, a.count) == 0
    }
}
