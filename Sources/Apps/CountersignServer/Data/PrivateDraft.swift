import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The whole content of a ``PrivateFile``, flushed under another name beside it, before it takes the file's own.
///
/// Its writer holds a lock on it for as long as it has that name. A draft without a lock was left by a process that was
/// ended amid, and the next start removes it; what another process is writing at this moment stays.
struct PrivateDraft: Sendable {
    let path: String
    private let descriptor: Int32

    /// Writes the content; what earlier processes left beside `target` is removed.
    /// - Parameter status: of the file whose owner and mode it gets; the owner's alone where there is none.
    init(of target: String, random: any RandomSource, _ content: Data, like status: stat? = nil) throws {
        Self.removeLeftovers(in: target.parentDirectory, of: [Self.name(of: target)])
        (path, descriptor) = try Self.create(for: target, random: random)
        let bytes = Array(content)
        var isWritten = write(descriptor, bytes, bytes.count) == bytes.count
        if let status {
            // The server and a command may run as different system users.
            if status.st_uid != getuid() || status.st_gid != getgid() {
                isWritten = isWritten && fchown(descriptor, status.st_uid, status.st_gid) == 0
            }
            // What others than owner and group could do, they no longer can.
            isWritten = isWritten && fchmod(descriptor, status.st_mode & 0o660) == 0
        }
        guard isWritten, fsync(descriptor) == 0 else {
            let code = errno
            remove()
            throw DataDirectoryError.cannotWrite(path, code)
        }
    }

    /// Puts it in the place of `target`, whether that is there or not.
    func take(placeOf target: String) throws {
        guard rename(path, target) == 0 else {
            let code = errno
            remove()
            throw DataDirectoryError.cannotWrite(target, code)
        }
        close(descriptor)
    }

    /// Makes `target` of it, unless another process has made that meanwhile. The draft is gone in any case.
    func makeUnlessPresent(_ target: String) throws {
        let code = link(path, target) == 0 ? 0 : errno
        remove()
        guard code == 0 || code == EEXIST else { throw DataDirectoryError.cannotWrite(target, code) }
    }

    /// Removes it while the lock is held.
    func remove() {
        unlink(path)
        close(descriptor)
    }

    /// Removes the drafts that no process holds any more of the files of these names. What cannot be removed stays.
    static func removeLeftovers(in directory: String, of names: Set<String>) {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return }
        for entry in entries {
            guard let file = file(ofDraft: entry), names.contains(file) else { continue }
            let path = "\(directory)/\(entry)"
            // Without blocking, for what may be no file at all.
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(path)
        }
    }

    /// An empty file with the lock on it.
    private static func create(for target: String, random: any RandomSource) throws -> (String, Int32) {
        for _ in 0..<attempts {
            let path = "\(target).\(random.bytes(nameByteCount).hex)\(suffix)"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw DataDirectoryError.cannotWrite(path, errno) }
            // Between these two lines another process may take it for a leftover: it has the lock then, or has removed
            // the file. A file system without locks refuses both, and nothing is taken for a leftover there.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            var status = stat()
            if !isTaken, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (path, descriptor) }
            close(descriptor)
        }
        throw DataDirectoryError.cannotWrite(target, EBUSY)
    }

    /// The name of the file that a draft of that name is for; nil where the name is none of a draft.
    private static func file(ofDraft name: String) -> String? {
        guard name.hasSuffix(suffix) else { return nil }
        let stem = name.dropLast(suffix.count)
        guard let dot = stem.lastIndex(of: ".") else { return nil }
        let digits = stem[stem.index(after: dot)...]
        guard digits.utf8.count == nameByteCount * 2, digits.allSatisfy(\.isHexDigit) else { return nil }
        return String(stem[..<dot])
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }

    private static let suffix = ".tmp"
    private static let nameByteCount = 8
    private static let attempts = 10
}
