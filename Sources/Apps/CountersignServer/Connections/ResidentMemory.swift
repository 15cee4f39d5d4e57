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
            giveBackFree()
            // Read by bytes: there are hundreds of lines, and the server answers nothing until it is done.
            for line in maps().split(separator: UInt8(ascii: "\n")) {
                // from-to, rights, offset, device, inode, path (proc_pid_maps(5))
                let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
                guard fields.count == 6 else { continue }
                let range = fields[0].split(separator: UInt8(ascii: "-")).compactMap { Self.number($0) }
                // Code, and what stands before it at a file's beginning: constants, names, tables. What can only be read and stands behind
                // the code may have been written when the program was linked to its libraries, and would be lost.
                // Before the path is more than one space, and the last field keeps what is left of them.
                guard
                    fields[1].elementsEqual("r-xp".utf8)
                        || fields[1].elementsEqual("r--p".utf8) && Self.number(fields[2]) == 0,
                    fields[5].first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "/"),
                    range.count == 2,
                    range[0] < range[1],
                    let start = UnsafeMutableRawPointer(bitPattern: range[0])
                else { continue }
                _ = madvise(start, Int(range[1] - range[0]), MADV_DONTNEED)
            }
        #endif
    }

    /// Gives it back once more when what begins behind the first answer has begun.
    /// - Parameter listening: what ends when the server listens.
    public static func giveBackBeginning(after listening: AsyncStream<Void>) async {
        for await _ in listening {}
        do {
            try await Task.sleep(for: .seconds(2))
        } catch {
            return
        }
        giveBackStart()
    }

    /// Gives free memory back whenever a load has ended, as long as its task runs: `malloc` keeps what the busiest moment took, and frees of
    /// its own accord only what lies at the end of an area (`docs/decisions/0594`).
    public static func giveBackAfterLoads() async {
        #if canImport(Glibc)
            var lull = Lull()
            while true {
                do {
                    try await Task.sleep(for: Lull.interval)
                } catch {
                    return
                }
                if lull.begins(processorTime: processorTime()) { giveBackFree() }
            }
        #endif
    }

    /// Tells when a load has ended, by the processor time that the process took from one look to the next.
    struct Lull {
        /// From one look to the next.
        static let interval = Duration.seconds(10)
        /// A process that takes less between two looks is idle: giving memory back holds up each thread that asks for some meanwhile.
        static let idle = Duration.milliseconds(100)
        /// What less than this has taken since memory was given back is not worth a walk through all of it.
        static let load = Duration.seconds(1)

        private var lastLook = Duration.zero
        private var lastGiven = Duration.zero

        /// Whether memory is to be given back now.
        /// - Parameter processorTime: what the process has taken since its start; it never falls.
        mutating func begins(processorTime: Duration) -> Bool {
            defer { lastLook = processorTime }
            guard processorTime - lastLook < Self.idle, processorTime - lastGiven >= Self.load else { return false }
            lastGiven = processorTime
            return true
        }
    }

    #if canImport(Glibc)
        private static func giveBackFree() {
            typealias Trim = @convention(c) (Int) -> CInt
            if let trim = function("malloc_trim", as: Trim.self) { _ = trim(0) }
        }

        /// Of all threads of the process, since its start.
        private static func processorTime() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }

        /// The list of the process's mappings. The system hands it out page by page: Foundation takes the end of the first for the end.
        static func maps() -> [UInt8] {
            let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return [] }
            defer { close(file) }
            var maps: [UInt8] = []
            var page = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(file, &page, page.count)
                guard count > 0 else { return maps }
                maps += page[..<count]
            }
        }

        private static func number(_ hexadecimal: ArraySlice<UInt8>) -> UInt? {
            UInt(String(decoding: hexadecimal, as: UTF8.self), radix: 16)
        }

        /// A function of the C library that Swift's module of it leaves out (`malloc.h`).
        private static func function<F>(_ name: String, as type: F.Type) -> F? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }
    #endif
}
