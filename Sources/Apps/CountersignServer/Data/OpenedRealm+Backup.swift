import CountersignCore
import Foundation
import StoreSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension OpenedRealm {
    /// Copies the database to a new file while the server runs.
    ///
    /// The key file may hold several keys, or be replaced meanwhile: those are copied that were there before and after.
    /// - Parameter withMasterKey: also copies the key that opens what is sealed in it.
    /// - Throws: `StoreError`, ``DataDirectoryError``; nothing is overwritten.
    public func backup(to path: String, withMasterKey: Bool) async throws {
        let keyPath = DataDirectory.masterKeyPath(beside: path)
        // The store refuses it too, in the words of a store that fails.
        for taken in withMasterKey ? [path, keyPath] : [path] where FileManager.default.fileExists(atPath: taken) {
            throw DataDirectoryError.alreadyThere(taken)
        }
        if withMasterKey {
            let file = masterKeyFile ?? MasterKeyFile(path: directory.masterKeyPath)
            guard FileManager.default.fileExists(atPath: file.path) else {
                throw DataDirectoryError.noMasterKey(directory.path)
            }
            let before = try file.entries()
            try await store.backup(to: path)
            let after = try file.entries()
            let gone = before.filter { former in !after.contains { $0.key.id == former.key.id } }
            let text = MasterKeyFile.text(of: after + gone)
            _ = try PrivateFile.readOrCreate(keyPath, random: realm.random) { text }
        } else {
            try await store.backup(to: path)
        }
    }

    /// Looks for damage; a sentence for each fault. That the master key is right was tried when the realm was opened.
    public func check() async throws -> [String] { try await store.check() }
}

extension DataDirectory {
    /// Where a backup keeps the master key, where it does.
    public static func masterKeyPath(beside file: String) -> String { "\(file).master-key" }

    /// What a backup turned out to be.
    public struct Restored: Sendable {
        /// Whether the master key came with it.
        public let hasMasterKey: Bool
        /// What the data is for; nil where no server has used it.
        public let kind: DataKind?
    }

    /// Makes a data directory out of a backup.
    ///
    /// The administrator's token and the first application's id are in the database: the first start writes them to their
    /// files again. What turns out to be damaged, or to be no backup, is not left there.
    /// - Throws: ``DataDirectoryError``, also where there is a database already; `StoreError` where the backup is damaged.
    public static func restore(_ file: String, to path: String) async throws -> Restored {
        let source = try backup(at: file)
        let directory = try DataDirectory(path: path)
        guard !FileManager.default.fileExists(atPath: directory.databasePath) else {
            throw DataDirectoryError.alreadyThere(directory.databasePath)
        }
        let kind: DataKind?
        do {
            try copyFile(source, to: directory.databasePath)
            // Opening makes tables where there are none; the backup itself stays as it is.
            let copy = try await SQLiteStore.open(path: directory.databasePath)
            let faults = try await copy.check()
            let finding =
                faults.isEmpty
                ? try await DataKind.find(
                    in: copy, samples: DevelopmentData.samples, isSample: DevelopmentData.isSample) : nil
            kind = finding?.kind
            try await copy.close()
            if finding == .unused { throw DataDirectoryError.noBackup(file) }
            if let fault = faults.first { throw StoreError(.corrupt, "\(file) is damaged: \(fault)") }
        } catch {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: directory.databasePath + suffix)
            }
            throw error
        }
        // Where a link leads to a backup, the key may be beside either.
        let key = try PrivateFile.read(masterKeyPath(beside: file)) ?? PrivateFile.read(masterKeyPath(beside: source))
        if let key { _ = try PrivateFile.readOrCreate(directory.masterKeyPath, random: SystemRandom()) { key } }
        return Restored(hasMasterKey: key != nil, kind: kind)
    }

    /// Foundation names the backup, whichever of the two the system refused.
    private static func copyFile(_ source: String, to target: String) throws {
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
        } catch let error as CocoaError {
            // That the backup can be read was looked at; only its disk may still fail.
            guard let reason = (error.underlying as? POSIXError)?.code, reason != .EIO else { throw error }
            throw DataDirectoryError.cannotWrite(target, reason.rawValue)
        }
    }

    /// The path of the file itself, where links lead to it: copied as a link, it would be the server's database from then on.
    /// - Throws: ``DataDirectoryError`` where that can be no backup, before anything is made.
    private static func backup(at file: String) throws -> String {
        guard access(file, R_OK) == 0 else { throw DataDirectoryError.cannotRead(file, errno) }
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        var status = stat()
        guard stat(path, &status) == 0 else { throw DataDirectoryError.cannotRead(file, errno) }
        guard status.st_mode & S_IFMT == S_IFREG, let handle = FileHandle(forReadingAtPath: path),
            try handle.read(upToCount: sqliteHeader.count) == sqliteHeader
        else { throw DataDirectoryError.noBackup(file) }
        guard stat(path + "-wal", &status) != 0 || status.st_size == 0 else { throw DataDirectoryError.inUse(file) }
        return path
    }

    /// What a database of SQLite begins with (https://www.sqlite.org/fileformat.html, section 1.3).
    private static let sqliteHeader = Data("SQLite format 3\0".utf8)
}
