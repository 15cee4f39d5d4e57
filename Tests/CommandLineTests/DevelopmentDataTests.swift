import ClientHTTP
import CountersignCore
import Foundation
import StoreSQLite
import Testing

/// Data is for development or not from its first start on: what a development start brings is never served to others.
@Suite struct DevelopmentDataTests {
    /// Starts a server on the data that is expected to refuse.
    private func refusal(of directory: TestDirectory, _ arguments: String...) async throws -> String {
        let transcript = try await Program.run(
            ["serve", "--listen", "127.0.0.1:0", "--data", directory.data] + arguments, in: directory)
        #expect(transcript.status == 1, "\(transcript.output)\(transcript.error)")
        #expect(transcript.output.isEmpty)
        return transcript.error
    }

    private func serving(
        _ arguments: [String], in directory: TestDirectory, environment: [String: String] = [:],
        _ body: (String) async throws -> Void
    ) async throws {
        let server = try Program.start(
            ["serve", "--listen", "127.0.0.1:0"] + arguments, in: directory, environment: environment)
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        do {
            try await body(String(line.dropFirst("listening on ".count)))
        } catch {
            server.terminate()
            throw error
        }
        server.terminate()
        await server.transcript().expect(0)
    }

    private func isThere(_ name: String, in directory: TestDirectory) -> Bool {
        FileManager.default.fileExists(atPath: directory.url.appendingPathComponent(name).path)
    }

    @Test func `A development directory is not served to others`() async throws {
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        let error = try await refusal(of: directory)
        #expect(error.contains("\(directory.data) holds development data"), "\(error)")
        #expect(error.contains("Start it with --dev, or name another directory with --data."), "\(error)")
        #expect(error.contains("`countersign user export`"))
        // Commands work on either, and a refused start has changed nothing.
        let apps = try await directory.run("app", "list")
        #expect(apps.status == 0 && apps.output.contains("dev-app") && apps.output.contains("\ntest "), "\(apps.error)")
        try await directory.serving("--dev") { url, _ in
            let inbox = try await HTTPClient().get(try #require(URL(string: "\(url)/dev/inbox.json")))
            #expect(inbox.status == 200, "\(inbox)")
        }
        _ = try await refusal(of: directory)
    }

    @Test func `A directory with users is not opened to every client`() async throws {
        let directory = try await TestDirectory.prepared()
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        let error = try await refusal(of: directory, "--dev")
        #expect(error.contains("\(directory.data) holds data of a server without --dev."), "\(error)")
        #expect(error.contains("Leave --dev out, or name another directory with --data."))
        let apps = try await directory.run("app", "list", "--json")
        #expect(!apps.output.contains("dev-app") && !apps.output.contains("com.countersign.dev"))
        try await directory.serving { _, _ in }
    }

    @Test func `The kinds have directories of their own`() async throws {
        let directory = try TestDirectory()
        func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Transcript {
            try await Program.run(arguments, in: directory, environment: environment)
        }
        try await serving(["--dev"], in: directory) { url in
            let added = try await run("user", "add", "ada@example.com", "--id", "ada", "--dev")
            #expect(added.status == 0, "\(added.error)")
            let remote = try await run("user", "show", "ada", "--server", url, "--dev")
            #expect(remote.status == 0, "\(remote.error)")
        }
        #expect(isThere("countersign-dev-data", in: directory) && !isThere("countersign-data", in: directory))
        let other = try await run("user", "list")
        #expect(other.status == 3, "\(other)")
        #expect(
            other.error.hasSuffix(
                " The data of `countersign serve --dev` is in ./countersign-dev-data: add --dev.\n"), "\(other.error)")

        try await serving([], in: directory) { _ in
            let users = try await run("user", "list")
            #expect(users.output == "There are no users.\n")
        }
        #expect(isThere("countersign-data", in: directory))
        #expect(try await run("user", "list", "--dev").output.contains("ada@example.com"))
        let byEnvironment = try await run("user", "list", environment: ["COUNTERSIGN_DEV": "true"])
        #expect(byEnvironment.output.contains("ada@example.com"))
    }

    /// What a version before wrote: no mark, and samples where it was served with `--dev`.
    private func unmarked(_ ids: String...) async throws -> TestDirectory {
        let directory = try TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.data, withIntermediateDirectories: true)
        try directory.writePrivately(
            Data(repeating: 3, count: 32).base64EncodedString() + "\n", to: directory.data + "/master-key")
        let store = try await SQLiteStore.open(path: directory.data + "/countersign.sqlite")
        for id in ids {
            try await store.write {
                _ = try $0.insert(
                    Application(
                        id: ClientID(rawValue: id), createdAt: Date(timeIntervalSince1970: 1_700_000_000),
                        registration: ApplicationRegistration(displayName: id)))
            }
        }
        try await store.close()
        return directory
    }

    @Test func `A directory of before counts as what it holds`() async throws {
        let development = try await unmarked("shop", "dev-app", "com.countersign.dev.stepup")
        let error = try await refusal(of: development)
        #expect(error.contains("was served with --dev by an earlier version"), "\(error)")
        #expect(error.contains("(dev-app, com.countersign.dev.stepup)"))
        #expect(error.contains("remove each of them with `countersign app remove ID`"))
        // As it says: without them it is for production, from then on.
        for id in ["dev-app", "com.countersign.dev.stepup"] {
            _ = try await refusal(of: development)
            try await development.run("app", "remove", id).expect(0)
        }
        try await development.serving { _, _ in }
        #expect(try await refusal(of: development, "--dev").contains("holds data of a server without --dev"))

        let stays = try await unmarked("dev-app")
        try await stays.serving("--dev") { _, _ in }
        #expect(try await refusal(of: stays).contains("holds development data"))

        let production = try await unmarked("shop", "test")
        #expect(try await refusal(of: production, "--dev").contains("holds data of a server without --dev"))
        try await production.serving { _, _ in }
    }

    @Test func `A restored development directory is one`() async throws {
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        let file = directory.url.appendingPathComponent("backup.sqlite").path
        try await directory.run("db", "backup", file, "--with-master-key").expect(0)
        let copy = try TestDirectory()
        let restored = try await copy.run("db", "restore", file)
        #expect(
            restored.output
                == "Restored to \(copy.data). Start it with `countersign serve --dev --data \(copy.data)`.\n")
        #expect(try await refusal(of: copy).contains("holds development data"))
    }

    @Test func `The network sees a development server only where that is said`() async throws {
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        let arguments = ["--dev", "--data", directory.data, "--listen", "0.0.0.0:0"]
        let refused = try await Program.run(["serve"] + arguments, in: directory)
        #expect(refused.status == 2, "\(refused)")
        #expect(refused.error.contains("--dev-on-network"), "\(refused.error)")
        let server = try Program.start(["serve", "--dev-on-network"] + arguments, in: directory)
        _ = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        #expect(server.errorSoFar.contains("dev is on, and on the network: every client that can connect"))
        server.terminate()
        _ = await server.transcript()
    }
}
