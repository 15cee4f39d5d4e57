import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Counts what a server under measure asks of the allocator: by a small library that is compiled when the bench begins, and put
/// before the C library's functions (`LD_PRELOAD`). Each thread counts in a line of memory of its own, in a file that
/// the bench reads, so that counting costs about a nanosecond.
///
/// On Linux with glibc and a C compiler; elsewhere the figures are missing, and so they are where a program brings its own
/// allocator.
final class AllocationCounter: Sendable {
    private let library: String
    private let folder: String

    /// Nil where it cannot be made.
    init?(in folder: String) {
        #if os(Linux)
            library = "\(folder)/allocations.so"
            self.folder = folder
            let source = "\(folder)/allocations.c"
            guard (try? Self.source.write(toFile: source, atomically: true, encoding: .utf8)) != nil,
                Self.compile(source, to: library)
            else { return nil }
        #else
            return nil
        #endif
    }

    /// What a process has to be started with to be counted.
    func environment(for name: String) -> (variables: [String: String], count: Count) {
        let file = "\(folder)/allocations-\(name)"
        _ = FileManager.default.createFile(
            atPath: file, contents: Data(count: Self.lines * Self.lineBytes), attributes: [.posixPermissions: 0o600])
        return (["LD_PRELOAD": library, "BENCH_ALLOCATIONS": file], Count(file: file))
    }

    /// Of one process.
    struct Count: Sendable {
        let file: String

        /// Calls since its start; nil where none was counted.
        var calls: Double? {
            guard let data = FileManager.default.contents(atPath: file) else { return nil }
            var total: UInt64 = 0
            data.withUnsafeBytes { bytes in
                for line in stride(from: 0, to: bytes.count - 7, by: AllocationCounter.lineBytes) {
                    total &+= bytes.loadUnaligned(fromByteOffset: line, as: UInt64.self)
                }
            }
            return total == 0 ? nil : Double(total)
        }
    }

    private static let lines = 1024
    private static let lineBytes = 64

    private static func compile(_ source: String, to library: String) -> Bool {
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["cc", "-O2", "-fPIC", "-shared", "-o", library, source]
        compiler.standardError = FileHandle.nullDevice
        guard (try? compiler.run()) != nil else { return false }
        compiler.waitUntilExit()
        return compiler.terminationStatus == 0
    }

    /// Threads beyond the last line share it, and lose some counts.
    private static let source = """
        #include <stddef.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <fcntl.h>
        #include <sys/mman.h>
        extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
        extern void *__libc_memalign(size_t, size_t);
        struct line { uint64_t calls; char rest[\(lineBytes - 8)]; };
        static struct line own[\(lines)], *lines = own;
        static unsigned threads;
        static __thread struct line *mine __attribute__((tls_model("initial-exec")));
        static inline void count(void) {
            if (!mine) {
                unsigned index = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
                mine = &lines[index < \(lines) ? index : \(lines) - 1];
            }
            mine->calls++;
        }
        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("BENCH_ALLOCATIONS");
            int file = path ? open(path, O_RDWR) : -1;
            if (file < 0) return;
            void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (shared == MAP_FAILED) return;
            lines = shared;
            mine = NULL;
            threads = 0;
            unsetenv("LD_PRELOAD");
        }
        void *malloc(size_t size) { count(); return __libc_malloc(size); }
        void *calloc(size_t number, size_t size) { count(); return __libc_calloc(number, size); }
        void *realloc(void *old, size_t size) { count(); return __libc_realloc(old, size); }
        void *memalign(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
        void *aligned_alloc(size_t alignment, size_t size) { count(); return __libc_memalign(alignment, size); }
        int posix_memalign(void **result, size_t alignment, size_t size) {
            count();
            void *memory = __libc_memalign(alignment, size);
            if (!memory) return 12;
            *result = memory;
            return 0;
        }
        """
}
