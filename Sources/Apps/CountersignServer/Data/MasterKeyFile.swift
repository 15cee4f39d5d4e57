import CountersignCore
import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of master keys: one a line, 32 bytes in Base64, the newest first. Usually there is one; while a key is being
/// replaced there are two.
public struct MasterKeyFile: Sendable, Equatable {
    /// The file's path.
    public let path: String

    /// A line and the key in it.
    struct Entry: Sendable {
        let text: Secret<String>
        let key: Sealer.MasterKey

        /// - Throws: ``DataDirectoryError`` where the line holds no key.
        init(_ line: String, from place: String) throws {
            guard let bytes = Data(base64Encoded: line), bytes.count == Sealer.MasterKey.byteCount else {
                throw DataDirectoryError.badMasterKey(place)
            }
            text = Secret(line)
            key = try Sealer.MasterKey(bytes: Secret(Array(bytes)))
        }

        static func fresh(random: any RandomSource) throws -> Entry {
            try Entry(Data(random.bytes(Sealer.MasterKey.byteCount)).base64EncodedString(), from: "the random source")
        }
    }

    /// Keys that one file may hold.
    static let limit = 16
    /// Bytes that are read at most; what is longer is no file of keys.
    private static let sizeLimit = 16 * 1024

    /// The keys in a text, the first of them first. White space around them does not count.
    /// - Throws: ``DataDirectoryError/badMasterKey(_:)`` where there is none, or something else.
    static func entries(in text: Data, from place: String) throws -> [Entry] {
        let lines = String(decoding: text.prefix(sizeLimit), as: UTF8.self).split(whereSeparator: \.isNewline)
            .map(trimmed).filter { !$0.isEmpty }
        guard (1...limit).contains(lines.count) else { throw DataDirectoryError.badMasterKey(place) }
        var seen: Set<String> = []
        return try lines.map { try Entry($0, from: place) }.filter { seen.insert($0.key.id).inserted }
    }

    /// Without Foundation's `trimmingCharacters`, for which a start searches the program's conformances.
    static func trimmed(_ line: Substring) -> String {
        var line = line.drop(while: \.isWhitespace)
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }

    func entries() throws -> [Entry] {
        guard let text = try PrivateFile.read(path) else { throw DataDirectoryError.cannotRead(path, ENOENT) }
        return try Self.entries(in: text, from: path)
    }

    /// The same on a thread of its own: the file may lie on a slow or absent disk.
    func readEntries() async throws -> [Entry] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try entries() }) }
        }
    }

    /// Replaces what the file holds, at once and for good: a reader sees the keys before or those after, also after a
    /// power failure. Owner and mode stay.
    func write(_ entries: [Entry], random: any RandomSource) throws {
        try PrivateFile.replace(path, random: random, with: Self.text(of: entries))
    }

    static func text(of entries: [Entry]) -> Data {
        Data(entries.map { $0.text.reveal() + "\n" }.joined().utf8)
    }

    /// Where a key is put that nothing needs any more but backups from before.
    public func retiredPath(_ id: String) -> String { "\(path).retired-\(id)" }

    /// Changes when the file may hold something else; nil where it is not there.
    var stamp: FileStamp? { FileStamp(path) }
}

/// What tells that a file was written or replaced, without reading it.
struct FileStamp: Sendable, Equatable {
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int64
    private let nanoseconds: Int64

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        seconds = Int64(time.tv_sec)
        nanoseconds = Int64(time.tv_nsec)
    }
}
