import Foundation

/// Each connection is an open file, and shells let a program have few: often 1,024.
public enum OpenFiles {
    /// Raises what this process may have open to what the system allows it to raise it to.
    public static func allowAll() {
        guard var limit = current else { return }
        #if canImport(Darwin)
            // The system names no limit, and refuses more than this.
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = limit.rlim_max
        #endif
        // Where it does not work, the server serves fewer.
        _ = setrlimit(resource, &limit)
    }

    /// How many files this process may have open.
    static var limit: Int {
        current.map { Int(clamping: $0.rlim_cur) } ?? 1024
    }

    /// How many it may have once ``allowAll()`` has raised that.
    static var hardLimit: Int {
        current.map { Int(clamping: $0.rlim_max) } ?? 1024
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
