import CountersignCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file with a secret in it that every user of the machine may read, or change.
public struct FileExposure: Sendable, Equatable, CustomStringConvertible {
    /// The file's path.
    public let path: String
    /// The permission bits, of which one at least is for others than owner and group.
    let mode: UInt32

    /// Nil where others than owner and group may do nothing with it, or it is not there.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        mode = UInt32(status.st_mode & 0o777)
        guard mode & 0o006 != 0 else { return nil }
        self.path = path
    }

    public var description: String {
        let verb = mode & 0o004 != 0 ? "read" : "changed"
        return "\(path) can be \(verb) by every user of this machine (mode \(String(mode, radix: 8)))"
    }

    /// The shell command that corrects it.
    public var remedy: String { "chmod o-rwx \(ShellWord.quoted(path))" }
}
