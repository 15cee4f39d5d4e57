import CountersignCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What keeps a data directory from being used.
public enum DataDirectoryError: Error, Sendable, CustomStringConvertible {
    /// The directory of that path cannot be made; with the system's error number.
    case cannotCreate(String, Int32)
    /// The file or directory of that path cannot be read; with the system's error number.
    case cannotRead(String, Int32)
    /// The file of that path cannot be written; with the system's error number.
    case cannotWrite(String, Int32)
    /// The file or directory of that path is there, and nothing is overwritten.
    case alreadyThere(String)
    /// A command that makes nothing has found nothing.
    case notThere(String)
    /// The same of a database elsewhere.
    case unusedDatabase
    /// Everything but the key that opens it.
    case noMasterKey(String)
    /// What is read from there is no list of keys, each 32 bytes in Base64.
    case badMasterKey(String)
    /// The file of that path has nothing of Countersign in it.
    case noBackup(String)
    /// The file of that path is the database of a server, which has written beside it what is not in it yet.
    case inUse(String)
    /// A secret that the server made for its owner alone, which others may read by now.
    case tooOpen(FileExposure)

    public var description: String {
        switch self {
        case .cannotCreate(let path, let code):
            "The data directory \(path) cannot be made: \(Self.words(code)). "
                + (code == ENOSPC || code == EDQUOT ? Self.freeSpace : "Name another with --data.")
        case .cannotRead(let path, let code): "\(path) cannot be read: \(Self.words(code)).\(Self.advice(path, code))"
        case .cannotWrite(let path, let code):
            "\(path) cannot be written: \(Self.words(code)).\(Self.advice(path, code))"
        case .alreadyThere(let path):
            "\(path) exists already, and nothing is overwritten. Name another, or move it away."
        case .notThere(let path):
            "There is no Countersign data in \(path). Name the directory with --data, or make it with "
                + "`countersign serve --data \(ShellWord.quoted(path))`."
        case .unusedDatabase:
            "There is no Countersign data in the PostgreSQL database. Name another with --database, or start a server on it."
        case .noMasterKey(let path):
            "There is no master key in \(path). Name its file with --master-key-file, or restore it from a backup."
        case .badMasterKey(let path):
            "\(path) holds no master key: it should be 32 bytes in Base64, or several such lines. Restore it from a "
                + "backup; without it nothing that is sealed in the database can be opened."
        case .noBackup(let path):
            "\(path) is no backup of Countersign. Name the file that `countersign db backup` wrote."
        case .inUse(let path):
            "\(path) is the database of a server, and not all of it: \(path)-wal has what was written last. Copy it with "
                + "`countersign db backup`, or move the whole directory."
        case .tooOpen(let exposure):
            "\(exposure). Make it private with `\(exposure.remedy)`. If another user may have read it, replace it after "
                + "that: `countersign key rotate-master` for the master key, `countersign key rotate-admin-token` for the "
                + "administrator's token."
        }
    }

    /// What to do, where an operator can correct the reason; with a space in front.
    private static func advice(_ path: String, _ code: Int32) -> String {
        switch code {
        case EACCES, EPERM: " \(owner(of: path))"
        case ENOSPC, EDQUOT, EFBIG: " \(freeSpace)"
        case EROFS: " Its disk is mounted read-only: mount it for writing, or name another directory with --data."
        default: ""
        }
    }

    private static let freeSpace = "Free some space on its disk, and try again; what was written before is intact."

    /// Which users may use it, as far as this user can see that.
    private static func owner(of path: String) -> String {
        var (status, place) = (stat(), path)
        // What a directory hides is the directory's owner's.
        while stat(place, &status) != 0 {
            guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else {
                return "Run this as the user who runs the server."
            }
            place = String(place[..<slash])
        }
        if status.st_uid == geteuid() {
            return "Its permissions forbid it: look at them with `ls -ld \(ShellWord.quoted(place))`."
        }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        return "It belongs to the user \(name): run this as that user, for instance with `sudo -u \(name)`."
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
