import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// What the system need not keep in memory for the process. On Linux; elsewhere nothing is done.
public enum ResidentMemory {
    /// Bounds the areas of `malloc` by the processors, before there are threads. By default there may be eight for each
    /// processor, and each keeps what its busiest moment took.
    public static func boundArenas() {
        #if canImport(Glibc)
            // mallopt(3); M_ARENA_MAX is -8.
            typealias Option = @convention(c) (CInt, CInt) -> CInt
            guard let mallopt = function("mallopt", as: Option.self) else { return }
            _ = mallopt(-8, CInt(max(2, ProcessInfo.processInfo.activeProcessorCount)))
        #endif
    }

    /// Gives back what only the start needed: free memory, and the code and the constants of the program and its libraries, of which
    /// the system maps sixteen pages around every fault. What is used comes again from the page cache, without a read of the disk.
    public static func giveBackStart() {
        #if canImport(Glibc)
            typealias Trim = @convention(c) (Int) -> CInt
            if let trim = function("malloc_trim", as: Trim.self) { _ = trim(0) }
            guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
            for line in maps.split(separator: "\n") {
                // from-to, rights, offset, device, inode, path (proc_pid_maps(5))
                let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
                let range = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
                // Code, and what stands before it at a file's beginning: constants, names, tables. What can only be read and stands behind
                // the code may have been written when the program was linked to its libraries, and would be lost.
                // Before the path is more than one space, and the last field keeps what is left of them.
                guard fields.count == 6,
                    fields[1] == "r-xp" || fields[1] == "r--p" && UInt(fields[2], radix: 16) == 0,
                    fields[5].drop(while: { $0 == " " }).hasPrefix("/"),
                    range.count == 2,
                    range[0] < range[1],
                    let start = UnsafeMutableRawPointer(bitPattern: range[0])
                else { continue }
                _ = madvise(start, Int(range[1] - range[0]), MADV_DONTNEED)
            }
        #endif
    }

    #if canImport(Glibc)
        /// A function of the C library that Swift's module of it leaves out (`malloc.h`).
        private static func function<F>(_ name: String, as type: F.Type) -> F? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }
    #endif
}
