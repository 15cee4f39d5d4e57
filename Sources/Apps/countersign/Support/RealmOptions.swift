import AdminServer
import ArgumentParser
import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation

/// Which realm a command works on: a data directory of this machine, or a server elsewhere.
struct RealmOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's configuration, which says where its data, database and master key are (default: "
                + "$COUNTERSIGN_CONFIG, or \(AdministeredData.systemFile) if it is there).", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The data directory (default: $COUNTERSIGN_DATA, or ./countersign-data). A server may run on it meanwhile.",
            valueName: "dir"))
    var data: String?

    @Flag(help: "Without --data: ./countersign-dev-data, where `countersign serve --dev` keeps its data.")
    var dev = false

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL database that the servers share (default: $COUNTERSIGN_DATABASE, or SQLite in the data "
                + "directory).", valueName: "url"))
    var database: String?

    @Option(
        help: ArgumentHelp("The master key, if it is not in the data directory.", valueName: "file"))
    var masterKeyFile: String?

    @Option(
        help: ArgumentHelp("Use a running server instead, for instance https://login.example.com.", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "With --server: the file with the administrator's token (default: $COUNTERSIGN_ADMIN_TOKEN, or admin-token "
                + "in the data directory).", valueName: "file"))
    var tokenFile: String?

    func validate() throws {
        if tokenFile != nil && server == nil {
            throw ValidationError("--token-file goes with --server; a data directory needs no token.")
        }
        if masterKeyFile != nil && server != nil {
            throw ValidationError("--master-key-file goes with --data; a server has its own.")
        }
    }

    /// Does one operation.
    /// - Parameter activity: the message if it takes more than a moment.
    func perform<Operation: AdministrationOperation>(
        _ operation: Operation, activity: String = "Working"
    ) async throws -> Operation.Answer {
        try await withAdministration { administration in
            try await Progress.showing(activity) { try await administration.perform(operation) }
        }
    }

    /// Does several, and lets go of the realm afterwards.
    func withAdministration<Result>(
        _ body: (any Administration) async throws -> Result
    ) async throws -> Result {
        let administration = try await Progress.showing("Opening") { try await open() }
        let result: Result
        do {
            result = try await body(administration)
        } catch {
            try? await administration.close()
            throw error
        }
        try await administration.close()
        return result
    }

    /// Works on the data directory itself, which a server elsewhere does not hand out.
    func withOpenedRealm<Result>(_ body: (OpenedRealm) async throws -> Result) async throws -> Result {
        guard server == nil else {
            throw CommandFailure(
                .usage, "This works on a data directory: leave out --server, and run it on the server's machine.")
        }
        let opened = try await openRealm()
        let result: Result
        do {
            result = try await body(opened)
        } catch {
            try? await opened.close()
            throw error
        }
        try await opened.close()
        return result
    }

    /// Where commands do operations in place of what their options name: tests see what a command would do.
    @TaskLocal static var standIn: (any Administration)?

    private func open() async throws -> any Administration {
        if let standIn = Self.standIn { return standIn }
        if let server { return try RemoteAdministration(server: server, token: await token()) }
        return LocalAdministration(opened: try await openRealm())
    }

    private func openRealm() async throws -> OpenedRealm {
        let administered = try await self.administered()
        let directory: DataDirectory
        do {
            directory = try DataDirectory(
                existing: administered.directory, hasMasterKey: administered.hasMasterKey,
                hasDatabase: administered.database != nil)
        } catch DataDirectoryError.notThere(let path) {
            throw CommandFailure(
                .unreachable, DataDirectoryError.notThere(path).description + otherDirectory(administered))
        }
        return try await OpenedRealm.administer(
            directory, database: administered.database, masterKey: administered.masterKey,
            extensions: administered.extensions)
    }

    /// The same file and variables that the server goes by, so that a command beside it works on its data.
    private func administered() async throws -> AdministeredData {
        var flags: [ConfigurationKey: String] = [:]
        flags[.data] = data
        flags[.database] = database
        flags[.masterKeyFile] = masterKeyFile
        if dev { flags[.dev] = "true" }
        return try await AdministeredData.load(flags: flags, environment: environment, file: config)
    }

    /// Where there is data of the other kind, for a user who named no directory; empty where there is none.
    private func otherDirectory(_ administered: AdministeredData) -> String {
        let other = ServerConfiguration.standardDataDirectory(isDevelopment: !administered.isDevelopment)
        guard !administered.isNamed, FileManager.default.fileExists(atPath: other) else { return "" }
        return administered.isDevelopment
            ? " There is some in \(other): leave --dev out."
            : " The data of `countersign serve --dev` is in \(other): add --dev."
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Never from the command line itself, which every user of the machine can read.
    private func token() async throws -> String {
        let path: String
        if let tokenFile {
            path = tokenFile
        } else if let token = environment["COUNTERSIGN_ADMIN_TOKEN"], !token.isEmpty {
            return token
        } else {
            path = (try await administered().directory as NSString).appendingPathComponent("admin-token")
        }
        guard let text = InputFile.contents(path) else {
            throw CommandFailure(
                .usage,
                "The administrator's token is not in \(path). Name its file with --token-file, or set "
                    + "COUNTERSIGN_ADMIN_TOKEN.")
        }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension RealmOptions {
    /// What links begin with that a command prints, without a slash at its end.
    /// - Parameters:
    ///   - given: what the command line says.
    ///   - told: what a server has said of itself.
    func publicURL(_ given: String?, told: PublicAddress?) -> String {
        let configured = ProcessInfo.processInfo.environment["COUNTERSIGN_PUBLIC_URL"]?
            .split(separator: ",").first.map(String.init)
        let official = told.flatMap { $0.isConfigured ? $0.url : nil }
        var base = given ?? configured ?? official ?? server ?? told?.url ?? "http://127.0.0.1:8080"
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// Refuses what no link of a server begins with.
    /// - Throws: `ValidationError`.
    static func check(publicURL text: String?) throws {
        guard let text else { return }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil,
            parts.password == nil
        else {
            throw ValidationError(
                "\"\(text.printable)\" is no URL of a server. Write one such as https://login.example.com.")
        }
    }
}
