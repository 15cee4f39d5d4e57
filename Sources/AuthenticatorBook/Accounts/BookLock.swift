import Foundation
import KeychainServices
import KeychainTypes

/// What every book says of its lock and its keychain, in its own words.
protocol BookError: Error {
    static var busy: Self { get }
    static func keychain(_ error: KeychainError) -> Self
}

extension AccountBookError: BookError {}
extension PasskeyBookError: BookError {}

/// Lets one process at a time change what it has read: a keychain has no "replace if unchanged".
struct BookLock: Sendable {
    /// The file that is locked; nil locks nothing.
    let path: String?

    /// - Throws: what the body throws; ``BookError/busy`` after five seconds.
    func whileLocked<T: Sendable, Failure: BookError>(
        _ body: () async throws(Failure) -> T
    ) async throws(Failure) -> T {
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

extension Keychain {
    /// Removes what is kept of an entry of a book: its items and its key. Never prompts.
    /// - Returns: whether anything was there.
    func remove(
        account: String, services: [String], keyTag: String
    ) async throws(KeychainError) -> Bool {
        var isThere = false
        for service in services {
            do throws(KeychainError) {
                try await remove(account: account, service: service)
                isThere = true
            } catch .itemNotFound {
                continue
            } catch {
                throw error
            }
        }
        do throws(KeychainError) {
            try await removeKey(tag: keyTag)
            isThere = true
        } catch .itemNotFound {
        } catch {
            throw error
        }
        return isThere
    }
}
