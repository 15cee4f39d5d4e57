import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that holds secrets: for its owner alone, and under its name only when it is complete.
///
/// It is written as `FILE.partial`, flushed, and renamed. What an interrupted run leaves is written over by the next.
struct PrivateOutput {
    let path: String
    /// What it is called until it is complete.
    let draft: String
    private let handle: FileHandle

    /// - Parameters:
    ///   - replaces: whether a file of that name may be there.
    ///   - option: the option that allows it.
    init(_ path: String, replaces: Bool, option: String = "--replace") throws {
        guard replaces || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(.refused, "\(path) exists already. Name another file, or add \(option).")
        }
        self.path = path
        draft = path + ".partial"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(.refused, "Another export writes \(path). Wait for it, or name another file.")
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else { throw Self.failure(path) }
    }

    func write(_ text: String) throws {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw Self.failure(path)
        }
    }

    /// Gives it its name. Where that cannot be, nothing stays of it.
    func complete() throws {
        guard fsync(handle.fileDescriptor) == 0, rename(draft, path) == 0 else {
            let failure = Self.failure(path)
            discard()
            throw failure
        }
    }

    /// Takes away what was written so far.
    func discard() {
        unlink(draft)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.unreachable, "\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
