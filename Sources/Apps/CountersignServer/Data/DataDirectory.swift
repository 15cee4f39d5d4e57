import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a server keeps what is its own: the database, the master key, the admin token, the first API key.
///
/// Made on first start, for the owner alone (0700, files 0600).
public struct DataDirectory: Sendable {
    /// The directory's path, as it was given.
    public let path: String

    /// Opens the directory, and makes it where it is not there. What starts that were ended amid left is removed.
    /// - Throws: ``DataDirectoryError``.
    public init(path: String) throws {
        self.path = path
        if mkdir(path, 0o700) != 0 && errno != EEXIST {
            // Perhaps what lies above is missing.
            do {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw DataDirectoryError.cannotCreate(path, errno)
            }
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw DataDirectoryError.cannotCreate(path, ENOTDIR)
        }
        // A start that was ended amid may have left a key under another name.
        PrivateDraft.removeLeftovers(in: path, of: [Self.masterKeyName, Self.adminTokenName, Self.apiKeyName])
    }

    /// A directory that a server has filled before. Nothing is made.
    /// - Parameters:
    ///   - hasMasterKey: whether the master key comes from elsewhere.
    ///   - hasDatabase: whether the database is elsewhere. With both, the directory is not needed, and need not be there.
    /// - Throws: ``DataDirectoryError/notThere(_:)``, ``DataDirectoryError/noMasterKey(_:)``,
    ///   ``DataDirectoryError/cannotRead(_:_:)`` where this user may not look.
    public init(existing path: String, hasMasterKey: Bool = false, hasDatabase: Bool = false) throws {
        self.path = path
        if hasDatabase && hasMasterKey { return }
        guard try Self.isThere(hasDatabase ? path : databasePath) else { throw DataDirectoryError.notThere(path) }
        // Without this, opening would make a key that opens nothing.
        guard try hasMasterKey || Self.isThere(masterKeyPath) else { throw DataDirectoryError.noMasterKey(path) }
    }

    /// Whether there is something of that name.
    /// - Throws: ``DataDirectoryError/cannotRead(_:_:)`` where this user cannot tell: that is not the same as no.
    static func isThere(_ path: String) throws -> Bool {
        var status = stat()
        if stat(path, &status) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw DataDirectoryError.cannotRead(path, errno)
    }

    /// The path of the SQLite database; with PostgreSQL there is no such file.
    public var databasePath: String { file("countersign.sqlite") }
    /// The path of the file with the administrator's token, which the first start writes.
    public var adminTokenPath: String { file(Self.adminTokenName) }
    /// The path of the file with the first application's client id, which the first start writes.
    public var apiKeyPath: String { file(Self.apiKeyName) }
    var masterKeyPath: String { file(Self.masterKeyName) }

    private static let adminTokenName = "admin-token"
    private static let apiKeyName = "api-key"
    private static let masterKeyName = "master-key"

    private func file(_ name: String) -> String {
        (path as NSString).appendingPathComponent(name)
    }

    /// The keys that seal secrets in the database, the newest first; one is made on first start.
    func masterKeys(random: any RandomSource) throws -> [MasterKeyFile.Entry] {
        // A database without its key is no first start: a new key would open nothing, and stand where the old one has
        // to be put back. The key is made before the database, so that a server that starts at the same time is no
        // reason to refuse; hence the order of the two questions.
        let hasDatabase = try Self.isThere(databasePath)
        if try hasDatabase && !Self.isThere(masterKeyPath) { throw DataDirectoryError.noMasterKey(path) }
        if let text = try PrivateFile.readGuarded(masterKeyPath) {
            return try MasterKeyFile.entries(in: text, from: masterKeyPath)
        }
        let text = try PrivateFile.readOrCreate(masterKeyPath, random: random) {
            Data((Data(random.bytes(Sealer.MasterKey.byteCount)).base64EncodedString() + "\n").utf8)
        }
        return try MasterKeyFile.entries(in: text, from: masterKeyPath)
    }

    /// The first application's client id, written where people look for it. The first server makes it, and the store
    /// keeps it for all others and for restored backups.
    func settleFirstApplication(of realm: Realm) async throws -> ClientID {
        var kept: ClientID?
        if let text = try PrivateFile.read(apiKeyPath) {
            kept = ClientID(
                rawValue: String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let fresh = ClientID(rawValue: "cs" + realm.random.string(37, of: .alphanumeric))
        let first = try await realm.applications.settleFirst(kept ?? fresh)
        if let kept { return kept }
        try PrivateFile.put(apiKeyPath, random: realm.random, Data((first.rawValue + "\n").utf8))
        return first
    }
}
