import CountersignCore
import Foundation
import StoreSQLite

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
    /// files again. What turns out to be damaged is not left there.
    /// - Throws: ``DataDirectoryError``, also where there is a database already; `StoreError` where the backup is damaged.
    public static func restore(_ file: String, to path: String) async throws -> Restored {
        guard access(file, R_OK) == 0 else { throw DataDirectoryError.cannotRead(file, errno) }
        let directory = try DataDirectory(path: path)
        guard !FileManager.default.fileExists(atPath: directory.databasePath) else {
            throw DataDirectoryError.alreadyThere(directory.databasePath)
        }
        let kind: DataKind?
        do {
            try FileManager.default.copyItem(atPath: file, toPath: directory.databasePath)
            // Opening refuses a file that is no Countersign database; the backup itself stays as it is.
            let copy = try await SQLiteStore.open(path: directory.databasePath)
            let faults = try await copy.check()
            kind =
                faults.isEmpty
                ? try await DataKind.find(
                    in: copy, samples: DevelopmentData.samples, isSample: DevelopmentData.isSample
                ).kind : nil
            try await copy.close()
            if let fault = faults.first { throw StoreError(.corrupt, "\(file) is damaged: \(fault)") }
        } catch {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: directory.databasePath + suffix)
            }
            throw error
        }
        let key = try PrivateFile.read(masterKeyPath(beside: file))
        if let key { _ = try PrivateFile.readOrCreate(directory.masterKeyPath, random: SystemRandom()) { key } }
        return Restored(hasMasterKey: key != nil, kind: kind)
    }
}
