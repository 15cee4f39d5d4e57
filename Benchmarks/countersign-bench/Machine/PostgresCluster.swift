import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A PostgreSQL server for the time of the measuring, with the defaults of its makers: every commit waits for the disk.
final class PostgresCluster: Sendable {
    /// Of the database that a server under measure is given.
    let url: String
    private let folder: String
    private let server: Int32

    /// The folder of `initdb` and `postgres`, which Debian keeps out of the search path; nil where they are not installed.
    static let programs: String? = {
        let debian = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? [])
            .sorted { $0.localizedStandardCompare($1) == .orderedDescending }
        let folders =
            versions.map { "\(debian)/\($0)/bin" }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// - Parameter name: tells those of one run apart.
    init(in scratch: String, name: String) async throws {
        guard let programs = Self.programs else { throw Unavailable(description: "PostgreSQL is not installed") }
        folder = "\(scratch)/\(name)-cluster"
        // The path of a socket may not be long.
        let sockets = "/tmp/countersign-bench-\(getpid())-\(name)"
        for path in [folder, sockets] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        var prefix: [String] = []
        if getuid() == 0 {
            // The server refuses to be run by root.
            guard let user = getpwnam("postgres") else {
                throw Unavailable(description: "root needs a user named postgres to run PostgreSQL as")
            }
            for path in [folder, sockets] { chown(path, user.pointee.pw_uid, user.pointee.pw_gid) }
            prefix = ["runuser", "-u", "postgres", "--"]
        }
        let made = try Self.start(
            prefix + [
                "\(programs)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "--no-instructions",
            ])
        while made.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        guard made.terminationStatus == 0 else { throw Unavailable(description: "initdb failed") }
        let process = try Self.start(
            prefix + [
                "\(programs)/postgres", "-D", "\(folder)/data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=\(sockets)", "-c", "max_connections=100",
            ])
        self.sockets = sockets
        self.prefix = prefix
        let lock = "\(folder)/data/postmaster.pid"
        // Its last line says when connections are taken.
        while process.isRunning,
            (try? String(contentsOfFile: lock, encoding: .utf8))?.contains("ready") != true
        { try await Task.sleep(for: .milliseconds(20)) }
        guard let line = try? String(contentsOfFile: lock, encoding: .utf8).split(separator: "\n").first,
            let server = Int32(line)
        else { throw Unavailable(description: "PostgreSQL does not start") }
        self.server = server
        let host = sockets.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        url = "postgres://postgres@/postgres?host=\(host)"
    }

    private let sockets: String
    /// Before each command, where another user has to run it.
    private let prefix: [String]

    /// Has the planner's statistics made.
    func analyze() async throws {
        guard let programs = Self.programs else { return }
        let made = try Self.start(
            prefix + ["\(programs)/psql", "-q", "-h", sockets, "-U", "postgres", "-c", "VACUUM ANALYZE", "postgres"])
        while made.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        guard made.terminationStatus == 0 else { throw Unavailable(description: "psql failed") }
    }

    /// Ends it; its files go with the rest.
    func stop() async {
        kill(server, SIGINT)
        while kill(server, 0) == 0 { try? await Task.sleep(for: .milliseconds(20)) }
        try? FileManager.default.removeItem(atPath: sockets)
    }

    private static func start(_ command: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }
}
