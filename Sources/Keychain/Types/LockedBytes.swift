#if canImport(CSodium)
    import CSodium
#else
    import Darwin
#endif

/// Bytes that must not outlive their use: they lie in memory that is never swapped, is left out of core dumps, and is
/// overwritten when the last reference goes.
///
/// On Linux the memory is libsodium's (`sodium_malloc`: guard pages, `mlock`, `MADV_DONTDUMP`). What a closure copies
/// out of ``withBytes(_:)`` is the copier's to wipe. Printing an instance gives `<secret>`.
public final class LockedBytes: @unchecked Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    // Safe to share: the memory is written in the initialiser alone and freed in deinit, which has the last reference.
    private let memory: UnsafeMutableRawBufferPointer

    public var count: Int { memory.count }

    /// Makes `count` bytes and lets `initialize` write them. They start as zero.
    public init<E: Error>(
        count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        memory = LockedMemory.allocate(count)
        // An error ends in `deinit` as well, since everything is initialised: it frees the memory.
        try initialize(memory)
    }

    /// Copies `bytes`; wiping the original is the caller's duty.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// `count` bytes from the system's source of randomness, made where they stay.
    package static func random(_ count: Int) -> LockedBytes {
        LockedBytes(count: count) { LockedMemory.fillRandomly($0) }
    }

    /// Copies `bytes` and then overwrites them. A second reference to the array keeps its own copy: make sure that there
    /// is none.
    public convenience init(wiping bytes: inout [UInt8]) {
        self.init(count: bytes.count) { memory in
            bytes.withUnsafeMutableBytes {
                memory.copyMemory(from: UnsafeRawBufferPointer($0))
                LockedMemory.wipe($0)
            }
        }
    }

    deinit {
        LockedMemory.free(memory)
    }

    public func withBytes<Result, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> Result
    ) throws(E) -> Result {
        try body(UnsafeRawBufferPointer(memory))
    }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where ``LockedBytes`` come from and go.
enum LockedMemory {
    #if canImport(CSodium)
        private static let isReady: Bool = sodium_init() >= 0

        static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
            precondition(isReady, "libsodium could not be initialised")
            guard let start = sodium_malloc(max(count, 1)) else {
                fatalError("no locked memory left: raise `ulimit -l` or hold fewer secrets at once")
            }
            let memory = UnsafeMutableRawBufferPointer(start: start, count: count)
            sodium_memzero(start, count)
            return memory
        }

        static func free(_ memory: UnsafeMutableRawBufferPointer) {
            sodium_free(memory.baseAddress)
        }

        static func fillRandomly(_ memory: UnsafeMutableRawBufferPointer) {
            if let start = memory.baseAddress { randombytes_buf(start, memory.count) }
        }

        static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
            if let start = memory.baseAddress { sodium_memzero(start, memory.count) }
        }
    #else
        static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            mlock(memory.start, memory.count)
            return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
        }

        static func free(_ memory: UnsafeMutableRawBufferPointer) {
            wipe(memory)
            munlock(memory.start, max(memory.count, 1))
            memory.start.deallocate()
        }

        static func fillRandomly(_ memory: UnsafeMutableRawBufferPointer) {
            if let start = memory.baseAddress { arc4random_buf(start, memory.count) }
        }

        static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
            if let start = memory.baseAddress { memset_s(start, memory.count, 0, memory.count) }
        }
    #endif
}
