import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A small file that only its owner may read: the master key, the admin token.
enum PrivateFile {
    /// Reads the file; nil where there is none.
    static func read(_ path: String) throws -> Data? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            // A directory on the way that may not be looked into does not say that there is none.
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw DataDirectoryError.cannotRead(path, errno)
        }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw DataDirectoryError.cannotRead(path, access(path, R_OK) == 0 ? EIO : errno)
        }
    }

    /// The same of a file that a server made for its owner alone.
    /// - Throws: ``DataDirectoryError/tooOpen(_:)`` where others may read or change it by now.
    static func readGuarded(_ path: String) throws -> Data? {
        let data = try read(path)
        if data != nil, let exposure = FileExposure(of: path) { throw DataDirectoryError.tooOpen(exposure) }
        return data
    }

    /// Writes the file, whether it is there or not; for its owner alone where it is not.
    static func put(_ path: String, random: any RandomSource, _ content: Data) throws {
        if FileManager.default.fileExists(atPath: path) {
            return try replace(path, random: random, with: content)
        }
        try PrivateDraft(of: path, random: random, content).take(placeOf: path)
        try flushDirectory(of: path)
    }

    /// Makes the file with what `content` gives, unless it is there; answers what it holds then.
    ///
    /// It appears whole or not at all, and of two processes that start at once both see the same one: written under
    /// another name, flushed, and linked into place.
    static func readOrCreate(_ path: String, random: any RandomSource, content: () -> Data) throws -> Data {
        if let present = try read(path) { return present }
        try PrivateDraft(of: path, random: random, content()).makeUnlessPresent(path)
        try flushDirectory(of: path)
        guard let present = try read(path) else { throw DataDirectoryError.cannotWrite(path, ENOENT) }
        return present
    }

    /// Replaces what a file holds that is there. Owner and mode stay; a symbolic link is followed.
    ///
    /// A reader sees the old or the new content, also after a power failure: written under another name, flushed, and
    /// renamed.
    static func replace(_ path: String, random: any RandomSource, with content: Data) throws {
        guard let resolved = realpath(path, nil) else { throw DataDirectoryError.cannotRead(path, errno) }
        let target = String(cString: resolved)
        free(resolved)
        var status = stat()
        guard stat(target, &status) == 0 else { throw DataDirectoryError.cannotRead(path, errno) }
        try PrivateDraft(of: target, random: random, content, like: status).take(placeOf: target)
        try flushDirectory(of: target)
    }

    /// Without this the name may be lost in a power failure, though what it names is kept.
    private static func flushDirectory(of path: String) throws {
        let descriptor = open(path.parentDirectory, O_RDONLY)
        guard descriptor >= 0 else { throw DataDirectoryError.cannotWrite(path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DataDirectoryError.cannotWrite(path, errno) }
    }
}
