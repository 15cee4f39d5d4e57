import CountersignCore
import Foundation
import GRDB
import StoreSQL

/// A look at a database that changes nothing, not its schema and no file: to judge it before a server is started on it.
public final class SQLiteInspection: Store {
    public let schema: SchemaVersion
    private let access: SQLiteAccess

    private init(_ access: SQLiteAccess, _ schema: SchemaVersion) {
        (self.access, self.schema) = (access, schema)
    }

    /// Opens the file, which has to be there.
    ///
    /// Where no log with its index stands beside it, no program has it open, and SQLite is told that nothing changes: it then makes no files of
    /// its own. Where one does, and be it empty as yet, it is read together with the index that the program which has it open made of it.
    /// - Throws: `StoreError` of code `unavailable` where it cannot be opened or is no database, and where a log without its index was left
    ///   behind: reading that would make one.
    public static func open(path: String) async throws -> SQLiteInspection {
        try await blocking {
            let hasIndex = try size(of: path + "-shm") != nil
            let log = try size(of: path + "-wal")
            if log ?? 0 > 0, !hasIndex {
                throw StoreError(
                    .unavailable,
                    "its last program was killed, and what it left cannot be read without changing it; a start mends that"
                )
            }
            let isOpen = log != nil && hasIndex
            var allowed = CharacterSet.urlPathAllowed
            allowed.remove(charactersIn: "?#%")
            guard let name = path.addingPercentEncoding(withAllowedCharacters: allowed) else {
                throw StoreError(.unavailable, "its name cannot be written as a URI")
            }
            var configuration = Configuration()
            configuration.label = "countersign.sqlite.inspection"
            configuration.readonly = true
            configuration.busyMode = .timeout(2)
            return try translatingErrors {
                var schema = SchemaVersion(present: 0)
                let access = try SQLiteAccess(
                    path: "file:\(name)\(isOpen ? "?mode=ro" : "?immutable=1")", configuration: configuration,
                    isReadOnly: true
                ) { database in
                    try database.inTransaction(.deferred) {
                        if try database.tableExists("schema_migrations") {
                            schema = try SchemaVersion(of: SQLiteConnection(database, isReadOnly: true))
                        }
                        return .commit
                    }
                }
                return SQLiteInspection(access, schema)
            }
        }
    }

    /// Nil where there is no such file.
    private static func size(of path: String) throws -> Int64? {
        var status = stat()
        if stat(path, &status) == 0 { return Int64(status.st_size) }
        guard errno == ENOENT else { throw StoreError(cannot: "read", path, errno) }
        return nil
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            access.async { connection in continuation.resume(with: Result { try connection.read(body) }) }
        }
    }

    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        throw StoreError(.readOnly, "this is a look at the database, which changes nothing")
    }

    public func close() async throws {
        try await blocking { [access] in try translatingErrors { try access.close() } }
    }
}
