import KeychainTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Takes the passcode from a credential that systemd passes to a service: `LoadCredential=` or `LoadCredentialEncrypted=`
/// in the unit (systemd.exec(5)).
///
/// systemd lays it into a folder that only the service reads, and names the folder in `CREDENTIALS_DIRECTORY`. The file
/// is read at each request and not kept. It never prompts: items that need a present user stay closed.
public struct SystemdCredentialPresence: PresenceProvider {
    public var asksPerson: Bool { false }

    private let name: String
    /// `nil` for the one that systemd names.
    private let directory: String?

    /// - Parameter name: as in the unit: letters, digits and what else is printable ASCII, without `/` and `:`, and not
    ///   beginning with a dot.
    public init(_ name: String) { self.init(name, directory: nil) }

    init(_ name: String, directory: String?) { (self.name, self.directory) = (name, directory) }

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        guard Self.isName(name) else { throw .unavailable("this is not a name that a systemd credential can have") }
        try HeadlessRequests.check(request, source: "credential \(name)")
        guard let path = directory ?? getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else {
            throw .unavailable("systemd passed no credentials: add LoadCredential=\(name):PATH to the unit")
        }
        guard path.hasPrefix("/") else { throw .unavailable("CREDENTIALS_DIRECTORY is not an absolute path") }

        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("the credentials' folder cannot be opened") }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0, Self.isOurs(status), status.st_mode & 0o022 == 0 else {
            throw .unavailable("the credentials' folder can be written by others or belongs to another user")
        }

        // Not blocking, should a pipe lie there.
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Self.failure("credential \(name) cannot be opened") }
        defer { close(file) }
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unavailable("credential \(name) is not a file")
        }
        // systemd lets the service read root's file by an access list, whose mask shows as the group's read bit.
        guard Self.isOurs(status), status.st_mode & 0o027 == 0 else {
            throw .unavailable("credential \(name) can be read or written by other users")
        }
        return try HeadlessRequests.read(file, name: "credential \(name)", until: Deadline(after: .seconds(10)))
    }

    static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
    }

    private static func isOurs(_ status: stat) -> Bool { status.st_uid == 0 || status.st_uid == geteuid() }

    private static func failure(_ what: String) -> PresenceError {
        .unavailable("\(what): \(String(cString: strerror(errno)))")
    }
}

extension PresenceProvider where Self == SystemdCredentialPresence {
    /// Takes the passcode from `$CREDENTIALS_DIRECTORY/name`. See ``SystemdCredentialPresence``.
    public static func systemdCredential(_ name: String) -> Self { SystemdCredentialPresence(name) }
}
