import Foundation

/// Each connection is an open file, and shells let a program have few: often 1,024.
enum OpenFiles {
    /// Raises what this process may have open to what the system allows it to raise it to.
    static func allowAll() {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        #if canImport(Darwin)
            // The system names no limit, and refuses more than this.
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = limit.rlim_max
        #endif
        // Where it does not work, the server serves fewer.
        _ = setrlimit(resource, &limit)
    }
}
