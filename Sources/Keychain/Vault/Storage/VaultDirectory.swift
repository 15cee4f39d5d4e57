import CKeychainShims
import Foundation
import KeychainTypes

/// The vault's folder and its files, by system calls: owner and mode are checked, symbolic links refused, every file
/// made with mode 0600, and a write is seen whole or not at all.
final class VaultDirectory: Sendable {
    let path: String
    private let descriptor: Int32
    private let faults: (@Sendable (WriteStep) throws -> Void)?

    enum File {
        static let vault = "vault.kc"
        static let backup = "vault.kc.bak"
        static let temporary = "vault.kc.new"
        static let temporaryBackup = "vault.kc.bak.new"
        static let damaged = "vault.kc.damaged"
        static let lock = "lock"
        static let attempts = "attempts"
        static let deviceKey = "device.key"
    }

    init(_ configuration: VaultConfiguration, creating: Bool) throws(KeychainError) {
        path = configuration.directory
        faults = configuration.faults
        if creating { try Self.makeFolders(path) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open \(configuration.directory)") }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("stat \(path)") }
        guard status.st_uid == geteuid() else {
            throw .notAvailable("\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .notAvailable("\(path) is open to other users: run `chmod 700 \(path)`")
        }
        if let kind = Self.networkFileSystem(descriptor) {
            configuration.log("\(path) is on \(kind): file locks may not hold between machines")
        }
    }

    deinit { close(descriptor) }

    // MARK: Reading

    /// An open file, whose inode number cannot be given to another file as long as this lives.
    final class Handle: Sendable {
        let descriptor: Int32
        let identity: Identity

        init(_ descriptor: Int32, _ identity: Identity) {
            self.descriptor = descriptor
            self.identity = identity
        }

        deinit { close(descriptor) }
    }

    /// What changes whenever a file does.
    struct Identity: Sendable, Equatable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int64
        private let modified: [Int]
        private let changed: [Int]

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
            changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    /// Nil when there is no such file.
    func identity(of name: String) throws(KeychainError) -> Identity? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("stat \(name)")
        }
        return Identity(status)
    }

    /// The whole of one of the vault's files; nil when there is none.
    func read(_ name: String, limit: Int) throws(KeychainError) -> (bytes: [UInt8], handle: Handle)? {
        guard let (handle, size) = try openFile(name, O_RDONLY) else { return nil }
        guard size <= limit else { throw .corrupted("\(name) is larger than can be") }
        return (try read(handle, name, 0..<size), handle)
    }

    /// The vault or its backup; nil when there is none. Its sizes are checked before it is read as a whole.
    func readVault(_ name: String) throws(KeychainError) -> (bytes: [UInt8], handle: Handle)? {
        guard let (handle, size) = try openFile(name, O_RDONLY) else { return nil }
        try VaultFormat.checkSize(size) { offset, count throws(KeychainError) in
            try read(handle, name, offset..<(offset + count))
        }
        return (try read(handle, name, 0..<size), handle)
    }

    private func read(
        _ handle: Handle, _ name: String, _ range: Range<Int>
    ) throws(KeychainError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < range.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(handle.descriptor, $0.start + done, $0.count - done, off_t(range.lowerBound + done))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read \(name)") }
            guard count > 0 else { throw .corrupted("\(name) became shorter while it was read") }
            done += count
        }
        return bytes
    }

    func openFile(_ name: String, _ flags: Int32) throws(KeychainError) -> (handle: Handle, size: Int)? {
        // Not blocking, in case another process has put a pipe there.
        let file = openat(descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw .notAvailable("\(path)/\(name) is a symbolic link, which is refused") }
            throw Self.failure("open \(name)")
        }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            close(file)
            throw Self.failure("stat \(name)")
        }
        let handle = Handle(file, Identity(status))
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAvailable("\(path)/\(name) is not a regular file") }
        guard status.st_uid == geteuid() else { throw .notAvailable("\(path)/\(name) belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw .notAvailable("\(path)/\(name) is open to other users: run `chmod 600` on it")
        }
        return (handle, Int(status.st_size))
    }

    // MARK: Writing

    /// Puts `bytes` in the vault's place; the generation before becomes the backup. Call with the lock held.
    ///
    /// - Returns: The new file.
    /// - Throws: ``KeychainError/io(operation:errno:)``. The old vault is in place, but after `syncDirectory` the new one:
    ///   whether it outlives a loss of power is not known then.
    func replaceVault(_ bytes: [UInt8]) throws(KeychainError) -> Handle {
        let file = try writeTemporary(bytes)
        var status = stat()
        do throws(KeychainError) {
            try step(.removeStaleBackup) { unlinkat(descriptor, File.temporaryBackup, 0) == 0 || errno == ENOENT }
            if try identity(of: File.vault) != nil {
                try makeBackup()
                try step(.renameBackup) { renameat(descriptor, File.temporaryBackup, descriptor, File.backup) == 0 }
            }
            try step(.rename) { renameat(descriptor, File.temporary, descriptor, File.vault) == 0 }
            guard fstat(file, &status) == 0 else { throw Self.failure("stat \(File.vault)") }
        } catch {
            close(file)
            throw error
        }
        let handle = Handle(file, Identity(status))
        try step(.syncDirectory) { fsync(descriptor) == 0 }
        return handle
    }

    /// Gives the vault's file a second name, or copies it where files have one name only (FAT, some of FUSE's).
    private func makeBackup() throws(KeychainError) {
        do throws(KeychainError) {
            try step(.linkBackup) { linkat(descriptor, File.vault, descriptor, File.temporaryBackup, 0) == 0 }
        } catch {
            guard case .io(_, let code) = error, [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else { throw error }
            try copyBackup()
        }
    }

    private func copyBackup() throws(KeychainError) {
        guard let (old, size) = try openFile(File.vault, O_RDONLY) else { throw Self.failure("open \(File.vault)") }
        var copy: Int32 = -1
        try step(.createBackupCopy) {
            copy = openat(
                descriptor, File.temporaryBackup, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return copy >= 0
        }
        defer { close(copy) }
        do throws(KeychainError) {
            for start in stride(from: 0, to: size, by: 1 << 20) {
                let part = try read(old, File.vault, start..<min(start + 1 << 20, size))
                try step(.writeBackupCopy) { Self.writeAll(copy, part, at: start) }
            }
            try step(.syncBackupCopy) { fsync(copy) == 0 }
        } catch {
            unlinkat(descriptor, File.temporaryBackup, 0)
            throw error
        }
    }

    private func writeTemporary(_ bytes: [UInt8]) throws(KeychainError) -> Int32 {
        // This process holds the lock: a temporary file was left by a process that was stopped.
        try step(.removeStaleTemporary) { unlinkat(descriptor, File.temporary, 0) == 0 || errno == ENOENT }
        var file: Int32 = -1
        try step(.createTemporary) {
            file = openat(
                descriptor, File.temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            return file >= 0
        }
        do {
            try step(.writeTemporary) { Self.writeAll(file, bytes) }
            try step(.syncTemporary) { fsync(file) == 0 }
        } catch {
            close(file)
            unlinkat(descriptor, File.temporary, 0)
            throw error
        }
        return file
    }

    /// Takes the backup away, which still opens with what was changed or destroyed.
    func removeBackup() throws(KeychainError) {
        // Where a write was stopped after its backup was made, the next one's is the same file: renaming one name of a
        // file to another of its names does nothing, and leaves both.
        for name in [File.temporaryBackup, File.backup] {
            try step(.removeBackup) { unlinkat(descriptor, name, 0) == 0 || errno == ENOENT }
        }
        try step(.syncRemoval) { fsync(descriptor) == 0 }
    }

    /// Makes a small file that must not be there yet, straight from locked memory.
    func create(_ name: String, _ secret: LockedBytes) throws(KeychainError) {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure("create \(name)") }
        defer { close(file) }
        let count = secret.withBytes { pwrite(file, $0.start, $0.count, 0) }
        guard count == secret.count, fsync(file) == 0, fsync(descriptor) == 0 else {
            throw Self.failure("write \(name)")
        }
    }

    /// Reads a secret of 32 bytes straight into locked memory; nil when there is no such file.
    func readSecret(_ name: String) throws(KeychainError) -> LockedBytes? {
        guard let (file, size) = try openFile(name, O_RDONLY) else { return nil }
        guard size == 32 else { throw .corrupted("\(path)/\(name) is not what the vault wrote") }
        var count = 0
        let secret = LockedBytes(count: size) { count = pread(file.descriptor, $0.start, size, 0) }
        guard count == size else { throw Self.failure("read \(name)") }
        return secret
    }

    func remove(_ name: String) throws(KeychainError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw Self.failure("remove \(name)") }
    }

    func rename(_ old: String, to new: String) throws(KeychainError) {
        guard renameat(descriptor, old, descriptor, new) == 0 else { throw Self.failure("rename \(old)") }
    }

    func sync() throws(KeychainError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("sync \(path)") }
    }

    static func writeAll(_ file: Int32, _ bytes: [UInt8], at start: Int = 0) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(file, bytes.start + done, bytes.count - done, off_t(start + done))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    // MARK: Locks

    /// Runs `body` with the writers' lock, which excludes other processes and threads.
    func whileLocked<R>(_ body: () throws(KeychainError) -> R) throws(KeychainError) -> R {
        try faultPoint(.lock)
        return try whileLocked(File.lock) { () throws(KeychainError) in
            let result = try body()
            try faultPoint(.unlock)
            return result
        }
    }

    /// Runs `body` with the lock of the file `name`. Waits for it at most half a minute.
    func whileLocked<R>(_ name: String, _ body: () throws(KeychainError) -> R) throws(KeychainError) -> R {
        var waited = 0
        var pause: UInt32 = 500
        while true {
            let file = openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
            guard file >= 0 else { throw Self.failure("open \(name)") }
            // The lock goes with its descriptor.
            defer { close(file) }
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw Self.failure("lock \(name)") }
                guard waited < Self.longestLockWait * 1_000_000 else {
                    throw .notAvailable("another process has held \(path)/\(name) for \(Self.longestLockWait) s")
                }
                usleep(pause)
                waited += Int(pause)
                pause = min(pause * 2, 8000)
            }
            try checkPlace()
            // A file that was removed meanwhile does not lock out later callers.
            if try isPresent(file, as: name) { return try body() }
        }
    }

    private func isPresent(_ file: Int32, as name: String) throws(KeychainError) -> Bool {
        var (held, present) = (stat(), stat())
        guard fstat(file, &held) == 0 else { throw Self.failure("stat \(name)") }
        guard fstatat(descriptor, name, &present, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw Self.failure("stat \(name)")
        }
        return held.st_dev == present.st_dev && held.st_ino == present.st_ino
    }

    /// - Throws: ``KeychainError/notAvailable(_:)`` when the folder was moved or replaced since it was opened: what is
    ///   written into it would be lost to other processes.
    func checkPlace() throws(KeychainError) {
        var (own, present) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, fstatat(AT_FDCWD, path, &present, AT_SYMLINK_NOFOLLOW) == 0,
            own.st_dev == present.st_dev, own.st_ino == present.st_ino
        else { throw .notAvailable("the folder \(path) was moved or replaced: open the vault anew") }
    }

    private static let longestLockWait = 30

    func faultPoint(_ step: WriteStep) throws(KeychainError) {
        do {
            try faults?(step)
        } catch {
            throw .io(operation: step.rawValue, errno: (error as? POSIXError)?.code.rawValue ?? EIO)
        }
    }

    private func step(_ step: WriteStep, _ call: () -> Bool) throws(KeychainError) {
        try faultPoint(step)
        guard call() else { throw Self.failure(step.rawValue) }
    }

    static func failure(_ operation: String) -> KeychainError { .io(operation: operation, errno: errno) }
}

extension VaultDirectory {
    /// Makes what is missing of the path, each folder with mode 0700.
    private static func makeFolders(_ path: String) throws(KeychainError) {
        var made = ""
        for part in path.split(separator: "/") {
            let parent = made.isEmpty ? "/" : made
            made += "/" + part
            if mkdir(made, 0o700) == 0 {
                let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                if folder >= 0 {
                    fsync(folder)
                    close(folder)
                }
            } else if errno != EEXIST && access(made, F_OK) != 0 {
                throw failure("mkdir \(made)")
            }
        }
    }

    private static func networkFileSystem(_ descriptor: Int32) -> String? {
        switch UInt32(truncatingIfNeeded: keychain_file_system_type(descriptor)) {
        case 0x6969: "NFS"
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
        case 0x0102_1997: "9P"
        case 0x00C3_6400: "Ceph"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x6573_5546: "FUSE"
        default: nil
        }
    }
}
