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
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw DataDirectoryError.cannotRead(path, access(path, R_OK) == 0 ? EIO : errno)
        }
    }

    /// Makes the file with what `content` gives, unless it is there; answers what it holds then.
    ///
    /// It appears whole or not at all, and of two processes that start at once both see the same one: written under
    /// another name, flushed, and linked into place.
    static func readOrCreate(_ path: String, random: any RandomSource, content: () -> Data) throws -> Data {
        if let present = try read(path) { return present }
        let draft = "\(path).\(random.bytes(8).hex).tmp"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw DataDirectoryError.cannotWrite(draft, errno) }
        defer { unlink(draft) }
        let bytes = Array(content())
        let written = write(descriptor, bytes, bytes.count)
        let flushed = fsync(descriptor)
        close(descriptor)
        guard written == bytes.count, flushed == 0 else { throw DataDirectoryError.cannotWrite(draft, errno) }
        if link(draft, path) != 0 && errno != EEXIST { throw DataDirectoryError.cannotWrite(path, errno) }
        guard let present = try read(path) else { throw DataDirectoryError.cannotWrite(path, ENOENT) }
        return present
    }
}

/// What keeps a data directory from being used.
public enum DataDirectoryError: Error, CustomStringConvertible {
    case cannotCreate(String, Int32)
    case cannotRead(String, Int32)
    case cannotWrite(String, Int32)
    /// A command that makes nothing has found nothing.
    case notThere(String)
    /// Everything but the key that opens it.
    case noMasterKey(String)
    case badMasterKey(String)

    public var description: String {
        switch self {
        case .cannotCreate(let path, let code):
            "The data directory \(path) cannot be made: \(Self.words(code)). Name another with --data."
        case .cannotRead(let path, let code):
            "\(path) cannot be read: \(Self.words(code))."
        case .notThere(let path):
            "There is no Countersign data in \(path). Name the directory with --data, or make it with "
                + "`countersign serve --data \(path)`."
        case .noMasterKey(let path):
            "There is no master key in \(path). Name its file with --master-key-file, or restore it from a backup."
        case .cannotWrite(let path, let code):
            "\(path) cannot be written: \(Self.words(code))."
        case .badMasterKey(let path):
            "\(path) holds no master key: it should be 32 bytes in Base64. Restore it from a backup; without it nothing "
                + "that is sealed in the database can be opened."
        }
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
