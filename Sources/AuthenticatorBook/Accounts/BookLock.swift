import Foundation
import KeychainServices
import KeychainTypes

/// Lets one process at a time change what it has read: a keychain has no "replace if unchanged".
struct BookLock: Sendable {
    /// The file that is locked; nil locks nothing.
    let path: String?

    /// - Throws: ``AccountBookError/busy`` after five seconds.
    func whileLocked<T: Sendable>(
        _ body: () async throws(AccountBookError) -> T
    ) async throws(AccountBookError) -> T {
        guard let path else { return try await body() }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .keychain(.io(operation: "open \(path)", errno: errno)) }
        defer { close(descriptor) }
        let end = ContinuousClock.now + .seconds(5)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else { throw .busy }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return try await body()
    }
}
