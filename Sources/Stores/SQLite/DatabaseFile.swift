import CountersignCore
import Foundation
import Synchronization

/// The files of a database, readable by their owner alone: they hold password hashes.
enum DatabaseFile {
    /// Guards `createIfMissing` against itself. Closing a file gives up every lock that the process holds on it, by
    /// whatever descriptor (POSIX, `fcntl`), so that no process may open the new database before its creator has closed
    /// it.
    private static let creation = Mutex(())

    /// Makes an empty file of mode 0600 where there is none; SQLite gives the files beside it the same mode.
    /// - Returns: whether there was none.
    @discardableResult
    static func createIfMissing(_ path: String) throws -> Bool {
        try creation.withLock { _ in
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 {
                close(file)
                return true
            }
            guard errno == EEXIST else { throw failure("create", path) }
            return false
        }
    }

    /// Whether the file is there and not to be written: its mode forbids writing for this user or all users, or its
    /// file system is read-only. The administrator of the machine can write everything, and is kept from it here.
    static func isReadOnly(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & 0o222 == 0 || access(path, W_OK) != 0
    }

    /// Takes away what rights others have on a database that was made, or copied here, by something else.
    static func restrict(_ path: String) throws {
        for file in [path, path + "-wal", path + "-shm"] where chmod(file, 0o600) != 0 && errno != ENOENT {
            throw failure("restrict", file)
        }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        StoreError(cannot: verb, path, errno)
    }
}
