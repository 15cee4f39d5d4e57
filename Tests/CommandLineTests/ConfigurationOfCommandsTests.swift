import CountersignCore
import CountersignServer
import Foundation
import Testing

/// Where commands find the data of a server that has a configuration file (docs/decisions/0480).
@Suite struct ConfigurationOfCommandsTests {
    /// A directory with data whose master key lies elsewhere, and the file that says so.
    private func configured(_ more: String = "") async throws -> (directory: TestDirectory, file: String) {
        let directory = try await TestDirectory.prepared()
        let key = directory.url.appendingPathComponent("key").path
        try FileManager.default.moveItem(atPath: directory.data + "/master-key", toPath: key)
        let file = try directory.write(
            "data: \(directory.data)\nmasterKey:\n  file: \(key)\nlog:\n  level: debug\n\(more)", to: "c.yaml")
        return (directory, file)
    }

    @Test func `A command works on the data that the server's configuration names`() async throws {
        let (directory, file) = try await configured()
        try await Program.run(["user", "add", "anna@example.com", "--id", "anna", "--config", file], in: directory)
            .expect(0)
        // The variable stands for the option, for the server too.
        try await Program.run(["user", "show", "anna"], in: directory, environment: ["COUNTERSIGN_CONFIG": file])
            .expect(0)
        let server = try Program.start(
            ["serve", "--listen", "127.0.0.1:0"], in: directory, environment: ["COUNTERSIGN_CONFIG": file])
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        let url = String(line.dropFirst("listening on ".count))
        // The administrator's token is in the data directory of that configuration.
        try await Program.run(["user", "show", "anna", "--server", url, "--config", file], in: directory).expect(0)
        server.terminate()
        _ = await server.transcript()
        // What the command line says counts more.
        let elsewhere = try await Program.run(
            ["user", "list", "--config", file, "--data", directory.url.appendingPathComponent("none").path],
            in: directory)
        elsewhere.expect(3)
        #expect(elsewhere.error.contains("/none"), "\(elsewhere.error)")
    }

    @Test func `A SQLite file that lies there from before is not used where the configuration names PostgreSQL`()
        async throws
    {
        // Nothing listens there.
        let (directory, file) = try await configured("database: postgres://countersign@127.0.0.1:1/x?sslmode=disable\n")
        for arguments in [["--config", file], ["--config", file, "--data", directory.data]] {
            let told = try await Program.run(["user", "list"] + arguments, in: directory)
            told.expect(3)
            #expect(told.error.contains("The store does not work"), "\(told.error)")
        }
    }

    @Test func `A key that is not there is a fault, as it may be the one that names the store`() async throws {
        let (directory, file) = try await configured("databse: postgres://127.0.0.1/x\n")
        let told = try await Program.run(["user", "list", "--config", file], in: directory)
        told.expect(2)
        #expect(told.error.contains("databse in \(file): there is no such key; write database"), "\(told.error)")
        try await Program.run(["user", "list", "--config", "nowhere.yaml"], in: directory).expect(2)
        let unclear = try await Program.run(["user", "list"], in: directory, environment: ["COUNTERSIGN_DEV": "maybe"])
        unclear.expect(2)
        #expect(unclear.error.contains("has a fault") && unclear.error.contains("COUNTERSIGN_DEV"), "\(unclear.error)")
    }

    @Test func `The system's file counts for its own directory and where none is named`() async throws {
        let directory = try TestDirectory()
        let service = directory.url.appendingPathComponent("service").path
        let url = "postgres://countersign@db.example.com/countersign"
        let system = try directory.write("data: \(service)\ndatabase: \(url)\nmasterKey:\n  file: /key\n", to: "s.yaml")
        let standard = directory.url.appendingPathComponent("countersign-data").path
        func load(
            _ flags: [ConfigurationKey: String] = [:], _ environment: [String: String] = [:]
        ) async throws -> AdministeredData {
            try await AdministeredData.load(
                flags: flags, environment: environment, systemFile: system, standardDirectory: standard)
        }
        for flags in [[:], [.data: service], [.data: service + "/../service/"]] as [[ConfigurationKey: String]] {
            let found = try await load(flags)
            #expect(found.database?.reveal() == url && found.masterKey == .file("/key"), "\(flags)")
            #expect(found.isNamed)
        }
        #expect(try await load([:], ["COUNTERSIGN_DATA": service]).database?.reveal() == url)
        // Another directory has nothing to do with it, nor has development.
        #expect(try await load([.data: standard]).database == nil)
        #expect(try await load([.data: standard]).directory == standard)
        let development = try await load([.dev: "true"])
        #expect(development.directory == "./countersign-dev-data" && !development.isNamed)
        #expect(development.database == nil)
        // What stands nearer counts more.
        #expect(try await load([.masterKeyFile: "/other"]).masterKey == .file("/other"))

        // Two that may be meant: one has to be named.
        try FileManager.default.createDirectory(atPath: standard, withIntermediateDirectories: true)
        let faults = await #expect(throws: ConfigurationFaults.self) { _ = try await load() }
        #expect(
            faults?.description.contains("--data \(standard), or --config \(system)") == true,
            "\(String(describing: faults))")
        #expect(try await load([.data: standard]).database == nil)

        // A file that cannot be understood may be about the directory that is named.
        _ = try directory.write("data: \(service)\ndatabase: [\n", to: "s.yaml")
        await #expect(throws: ConfigurationFaults.self) { _ = try await load([.data: service]) }
    }

    /// docs/decisions/0477.
    @Test func `A start on the directory of the service has to say its store and key, or name its configuration`()
        async throws
    {
        let directory = try TestDirectory()
        let service = directory.url.appendingPathComponent("service").path
        let url = "postgres://countersign@127.0.0.1:1/countersign?sslmode=disable"
        let key = try directory.write("key", to: "key")
        func faults(
            _ written: String, _ flags: [ConfigurationKey: String] = [.data: "/nowhere"],
            _ environment: [String: String] = [:], file: String? = nil
        ) async throws -> [ConfigurationFaults.Fault] {
            let system = try directory.write(written, to: "s.yaml")
            do {
                _ = try await ServerConfiguration.load(
                    flags: flags, environment: environment, file: file, systemFile: system)
                return []
            } catch {
                return error.faults
            }
        }
        let postgres = "data: \(service)\ndatabase: \(url)\n"
        let both = postgres + "masterKey:\n  file: \(key)\n"
        for flags in [[.data: service], [.data: service + "/../service/"], [.data: service, .dev: "true"]]
            as [[ConfigurationKey: String]]
        {
            let told = try await faults(postgres, flags)
            #expect(told.count == 1 && told[0].place == "--data", "\(flags): \(told)")
            #expect(told.first?.problem.contains("nothing says database here") == true, "\(told)")
            #expect(told.first?.remedy.contains("--config \(directory.url.path)/s.yaml") == true, "\(told)")
        }
        let variable = try await faults(postgres, [:], ["COUNTERSIGN_DATA": service])
        #expect(variable.map(\.place) == ["COUNTERSIGN_DATA"])
        #expect(
            try await faults(both, [.data: service]).first?.problem.contains("database and masterKey.file") == true)
        let keyAlone = try await faults(both, [.data: service, .database: url])
        #expect(keyAlone.first?.problem.contains("nothing says masterKey.file here") == true, "\(keyAlone)")

        // What is said counts, by whatever name; what the service says nothing of is free.
        #expect(try await faults(both, [.data: service, .database: url, .masterKeyDescriptor: "3"]).isEmpty)
        #expect(
            try await faults(both, [.data: service], ["COUNTERSIGN_DATABASE": url, "COUNTERSIGN_MASTER_KEY_FILE": key])
                .isEmpty)
        #expect(try await faults("data: \(service)\n", [.data: service]).isEmpty)
        // Another directory has nothing to do with it, nor has a start that names a file.
        #expect(try await faults(both).isEmpty)
        #expect(try await faults(both, [:]).isEmpty)
        let own = try directory.write("data: \(service)\n", to: "own.yaml")
        #expect(try await faults(both, [:], file: own).isEmpty)
        #expect(try await faults(both, [:], ["COUNTERSIGN_CONFIG": own]).isEmpty)

        // A file that cannot be understood may be about the directory that is named, and is nothing to a start that names none.
        let unclear = try await faults("data: \(service)\ndatabase: [\n", [.data: service])
        #expect(unclear.first?.problem.contains("cannot be understood") == true, "\(unclear)")
        #expect(try await faults("data: \(service)\ndatabase: [\n", [:]).isEmpty)
        // `serve --check` says the same.
        let system = try directory.write(postgres, to: "s.yaml")
        let findings = await ServerCheck.findings(flags: [.data: service], environment: [:], systemFile: system)
        #expect(findings.contains { $0.state == .fault && $0.text.contains("nothing says database here") })
        #expect(!FileManager.default.fileExists(atPath: service))
    }

    @Test func `A schema of a later program is refused with what to do, and not as a store that is away`() async throws
    {
        let directory = try await TestDirectory.prepared()
        let sqlite = Process()
        sqlite.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        sqlite.arguments = [
            "python3", "-c",
            "import sqlite3, sys\nd = sqlite3.connect(sys.argv[1])\nd.execute(\"INSERT INTO schema_migrations VALUES (9999, 'later')\")\nd.commit()",
            directory.data + "/countersign.sqlite",
        ]
        try sqlite.run()
        sqlite.waitUntilExit()
        #expect(sqlite.terminationStatus == 0)
        for arguments in [["serve", "--listen", "127.0.0.1:0"], ["user", "list"]] {
            let refused = try await Program.run(arguments + ["--data", directory.data], in: directory)
            refused.expect(1)
            #expect(refused.error.contains("the schema has version 9999, and this program knows versions up to "))
            #expect(
                refused.error.contains(
                    "start a program that is as new as the one that was here, or restore the backup from before it"))
        }
    }
}
