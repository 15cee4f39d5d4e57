import Foundation

/// The memory in which one hashing thread computes: kept from hash to hash while others wait, given back when none does.
///
/// Every hash overwrites all of it in its first pass. Given back, the system clears it before anything else sees it; it
/// is left out of core dumps. Only the thread that it belongs to uses it.
final class HashingMemory {
    private var held: UnsafeMutableRawBufferPointer?
    private var mapped: UnsafeMutableRawBufferPointer?

    /// Pages of this size, where the system has them, cost 10 faults a hash of 19 MiB in place of 4,864.
    private static let hugePage = 2 << 20

    deinit { giveBack() }

    /// So many bytes at a multiple of 64 at least; nil where the system has none.
    func bytes(_ count: Int) -> UnsafeMutableRawPointer? {
        if let held, held.count == count { return held.baseAddress }
        giveBack()
        // Room to begin at a multiple of a huge page.
        let length = count + (count >= Self.hugePage ? Self.hugePage : 0)
        guard let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | Self.anonymous, -1, 0),
            start != MAP_FAILED
        else { return nil }
        mapped = UnsafeMutableRawBufferPointer(start: start, count: length)
        let aligned = count >= Self.hugePage ? start.alignedUp(toMultipleOf: Self.hugePage) : start
        #if os(Linux)
            // Both are wishes.
            _ = madvise(aligned, count, Self.useHugePages)
            _ = madvise(aligned, count, Self.leaveOutOfDumps)
        #endif
        held = UnsafeMutableRawBufferPointer(start: aligned, count: count)
        return aligned
    }

    func giveBack() {
        if let mapped { munmap(mapped.baseAddress, mapped.count) }
        (held, mapped) = (nil, nil)
    }

    #if os(Linux)
        private static let anonymous = Int32(MAP_ANONYMOUS)
        private static let useHugePages = Int32(MADV_HUGEPAGE)
        private static let leaveOutOfDumps = Int32(MADV_DONTDUMP)
    #else
        private static let anonymous = MAP_ANON
    #endif
}
