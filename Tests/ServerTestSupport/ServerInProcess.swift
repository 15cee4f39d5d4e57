import CountersignCore
import CountersignServer
import Foundation
import Logging
import PasswordHashing
import StorePostgres
import TestSupport

/// The real server in the test's process, on a port of its own, with cheap password hashes and a quiet log.
public enum ServerInProcess {
    /// Serves while the body runs; server, store and data are gone when it returns.
    ///
    /// - Parameters:
    ///   - place: what the data directory is called.
    ///   - isDevelopment: false serves production mode, with signed tokens and a checked API key.
    ///   - database: the URL of a PostgreSQL database; nil keeps everything in the data directory.
    ///   - postgres: its limits; without them nothing runs out of time, however slow the machine is.
    ///   - masterKey: where the key is that seals all others: servers on one database share it.
    ///   - clock: what time it is, before it is moved.
    ///   - configure: changes what the server is started with.
    ///   - body: gets the server's address and the realm behind it.
    public static func run(
        in place: String, isDevelopment: Bool = true, database: Secret<String>? = nil,
        postgres: PostgresStore.Options? = nil,
        masterKey: ServerConfiguration.MasterKeySource = .dataDirectory, clock: any WallClock = SystemClock(),
        configure: (inout CountersignServer.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (URL, OpenedRealm) async throws -> Void
    ) async throws {
        let folder = try TestRun.place(for: place)
        defer { try? FileManager.default.removeItem(at: folder) }
        if database == nil, clock is SystemClock, case .dataDirectory = masterKey {
            try await FirstData.copy(isDevelopment: isDevelopment, to: folder)
        }
        let opened = try await OpenedRealm.open(
            DataDirectory(path: folder.path), database: database, postgres: postgres ?? .patient, masterKey: masterKey,
            hashing: FirstData.hashing, isDevelopment: isDevelopment, clock: clock, storePatience: .seconds(1200))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var options = CountersignServer.Options(port: 0, isDevelopment: isDevelopment)
        configure(&options)
        let server = CountersignServer(opened, options: options, logger: logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await server.serving { url in try await body(url, opened) })
        } catch {
            result = .failure(error)
        }
        try await opened.close()
        try result.get()
    }
}

/// A data directory as a first start makes it, of which each server gets a copy: making tables and finding keys takes a while.
private enum FirstData {
    static let hashing = Argon2idParameters(memoryKiB: 1024, operations: 1)

    static func copy(isDevelopment: Bool, to folder: URL) async throws {
        let template = try await (isDevelopment ? development : production).value
        try FileManager.default.copyItem(at: template, to: folder)
    }

    private static let production = Task { try await make(isDevelopment: false) }
    private static let development = Task { try await make(isDevelopment: true) }

    private static func make(isDevelopment: Bool) async throws -> URL {
        let folder = try TestRun.place(for: "first-data")
        let opened = try await OpenedRealm.open(
            DataDirectory(path: folder.path), hashing: hashing, isDevelopment: isDevelopment)
        try await opened.close()
        return folder
    }
}
