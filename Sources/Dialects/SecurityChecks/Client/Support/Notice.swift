import ClientHTTP
import Foundation

/// What an app's developer should know, but no caller gets: a line in the system's log.
func notice(_ text: String) {
    NSLog("%@", "[MobileFirst] " + text)
}

/// Says once in a process that what should outlive it is kept in memory alone.
enum MemoryNotice {
    private static let hasSaidSo = Locked(false)

    static func say() {
        let isFirst = hasSaidSo.withLock { hasSaidSo in
            defer { hasSaidSo = true }
            return !hasSaidSo
        }
        if isFirst {
            notice(
                "The client's registration and key are kept in memory alone. "
                    + "Call KeychainVault.configure before the first request to keep them.")
        }
    }
}
