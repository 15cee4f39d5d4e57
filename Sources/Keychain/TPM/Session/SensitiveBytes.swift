import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Secret bytes in a buffer of their own that is overwritten before it is freed.
final class SensitiveBytes: ContiguousBytes {
    private let buffer: UnsafeMutableRawBufferPointer

    /// A buffer of `count` bytes that `fill` writes.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        fill(buffer)
    }

    /// The parts, one after the other.
    convenience init(joining parts: [any ContiguousBytes]) {
        let count = parts.reduce(0) { sum, part in sum + part.withUnsafeBytes(\.count) }
        self.init(count: count) { target in
            var offset = 0
            for part in parts {
                part.withUnsafeBytes { source in
                    UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + source.count])
                        .copyMemory(from: source)
                    offset += source.count
                }
            }
        }
    }

    deinit {
        Self.wipe(buffer)
        buffer.deallocate()
    }

    var count: Int { buffer.count }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(buffer))
    }

    /// The bytes to read; only while this object lives.
    var pointer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer) }

    /// Overwrites memory in a way that the compiler may not leave out.
    static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return }
        #if canImport(Darwin)
            memset_s(base, buffer.count, 0, buffer.count)
        #else
            explicit_bzero(base, buffer.count)
        #endif
    }
}
