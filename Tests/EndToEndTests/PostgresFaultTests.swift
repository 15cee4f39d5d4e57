import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Two processes of the program on one PostgreSQL database that is frozen, away or read-only.
@Suite(.serialized, .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct PostgresFaultTests {
    private static let password = "a quiet afternoon"
    /// Short, but not so short that a machine that does much else could not keep to them.
    private static let limits = Endurance.cheapHashes.merging([
        "COUNTERSIGN_POSTGRES_CONNECT_TIMEOUT": "2", "COUNTERSIGN_POSTGRES_STATEMENT_TIMEOUT": "3",
        "COUNTERSIGN_POSTGRES_TRANSACTION_TIMEOUT": "3",
    ]) { _, own in own }

    /// What verifiers elsewhere fetch.
    private static let published = [
        "/.well-known/jwks.json", "/.well-known/openid-configuration",
        "/contoso/v2.0/.well-known/openid-configuration", "/contoso/discovery/v2.0/keys", "/v1/publicKeys",
        "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
    ]

    private func signUp(_ server: ServerProcess, _ name: String) async throws -> Volley.Answer {
        let shot = try Volley.Shot(
            server.url, "/v1/accounts:signUp?key=any",
            ["email": "\(name)@example.com", "password": Self.password])
        return try #require(try await Volley.fire([shot]).first)
    }

    /// A server with these limits. What it does when it starts may take a slow machine longer, but not each time.
    private func start(_ arguments: [String], on data: URL) async throws -> ServerProcess {
        func once() async throws -> ServerProcess {
            try await ServerProcess(arguments, dataDirectory: data, environment: Self.limits)
        }
        for _ in 0..<20 {
            do { return try await once() } catch is ServerDidNotStart {}
        }
        return try await once()
    }

    private func expectUnavailable(_ answer: Volley.Answer) {
        let error = answer.json["error"] as? [String: Any]
        #expect(answer.status == 503 && (answer.retryAfter ?? 0) >= 1, "\(answer.words)")
        #expect(error?["status"] as? String == "UNAVAILABLE", "\(answer.words)")
    }

    @Test
    func `While PostgreSQL is frozen requests are refused in time, readiness says so, and keys are told from memory`()
        async throws
    {
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        let arguments = ["--dev", "--database", database.url.reveal()]
        let places = [try TestRun.place(for: "server"), try TestRun.place(for: "server")]
        defer { for place in places { try? FileManager.default.removeItem(at: place) } }
        let first = try await start(arguments, on: places[0])
        let key = first.dataDirectory.appendingPathComponent("master-key").path
        let second = try await start(arguments + ["--master-key-file", key], on: places[1])
        let servers = [first, second]
        try await eventually { try await [200, 400].contains(signUp(first, "ada").status) }
        var before: [String: String] = [:]
        for path in Self.published { before[path] = "\(try await Probe(first.url, path).json.keys.sorted())" }

        try await cluster.freeze()
        // It stays frozen: what waited for it would never end. The times allow for a machine that is busy with other tests.
        do {
            // More than there are connections.
            let shots = try servers.flatMap { server in
                try (0..<12).map { number in
                    try Volley.Shot(
                        server.url, "/v1/accounts:signUp?key=any",
                        ["email": "late\(number)@example.com", "password": Self.password])
                }
            }
            async let answers = Volley.fire(shots)
            for server in servers {
                let ready = try await Probe(server.url, "/health/ready")
                #expect(ready.status == 503 && ready.retryAfter == 2, "\(ready.json)")
                #expect(ready.after < .seconds(100), "\(ready.after)")
                #expect(try await Probe(server.url, "/health/live").status == 200)
                for path in Self.published {
                    let probe = try await Probe(server.url, path)
                    #expect(probe.status == 200, "\(path)")
                    #expect("\(probe.json.keys.sorted())" == before[path], "\(path)")
                    #expect(probe.after < .seconds(100), "\(path): \(probe.after)")
                }
                let metrics = try await Probe(server.url, "/metrics")
                #expect(metrics.status == 200 && metrics.after < .seconds(100), "\(metrics.after)")
            }
            for answer in try await answers {
                expectUnavailable(answer)
                #expect(answer.after < .seconds(200), "\(answer.after)")
            }
        } catch {
            try await cluster.thaw()
            throw error
        }
        try await cluster.thaw()
        for (number, server) in servers.enumerated() {
            try await eventually { try await Probe(server.url, "/health/ready").status == 200 }
            try await eventually { try await signUp(server, "after\(number)").status == 200 }
            #expect(await server.terminate() == 0)
        }
    }

    @Test
    func `A server that starts while PostgreSQL is away waits for it, says so, and can be ended meanwhile`()
        async throws
    {
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        try await cluster.stop()
        let program = try ServerProcess.executable
        let data = try TestRun.place(for: "server")
        defer { try? FileManager.default.removeItem(at: data) }
        let serve = [
            program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data.path, "--database",
            database.url.reveal(),
        ]
        let bounded = try await Tool(path: "/usr/bin/env").run(["COUNTERSIGN_POSTGRES_START_TIMEOUT=1"] + serve)
        #expect(bounded.status == 3, "\(bounded.errors)")
        #expect(bounded.errors.contains("PostgreSQL cannot be reached; waiting for it"), "\(bounded.errors)")

        for number in [SIGTERM, SIGINT] {
            let patient = try WaitingProcess(serve)
            try await eventually { patient.errors.contains("waiting for it") }
            #expect(await patient.end(by: number) == 0, "\(patient.errors)")
        }

        let starting = Task { try await ServerProcess(["--dev", "--database", database.url.reveal()]) }
        try await Task.sleep(for: .milliseconds(700))
        try await cluster.startAgain()
        let server = try await starting.value
        try await eventually { try await Probe(server.url, "/health/ready").status == 200 }
        #expect(await server.terminate() == 0)
    }

    @Test
    func `A database that was made read-only is read, and what would write is refused until it may be written again`()
        async throws
    {
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        let arguments = ["--dev", "--database", database.url.reveal()]
        let first = try await ServerProcess(arguments, environment: Endurance.cheapHashes)
        let ada = try await signUp(first, "ada")
        let token = try #require(ada.text("idToken"))
        let place = try TestRun.place(for: "server")
        defer { try? FileManager.default.removeItem(at: place) }
        let key = first.dataDirectory.appendingPathComponent("master-key").path
        let others = arguments + ["--master-key-file", key]
        #expect(
            await (try ServerProcess(others, dataDirectory: place, environment: Endurance.cheapHashes)).terminate() == 0
        )

        try await cluster.run("ALTER SYSTEM SET default_transaction_read_only = on")
        try await cluster.run("SELECT pg_reload_conf()")
        do {
            try await eventually { try await Probe(first.url, "/health/ready").status == 503 }
            // A server that was here before starts all the same.
            let second = try await ServerProcess(others, dataDirectory: place, environment: Endurance.cheapHashes)
            for server in [first, second] {
                let ready = try await Probe(server.url, "/health/ready")
                #expect(ready.status == 503 && ready.retryAfter != nil)
                #expect(ready.json["reasons"] as? [String] == ["The store takes no writes."], "\(ready.json)")
                expectUnavailable(try await signUp(server, "late"))
                #expect(
                    try await server.post("/v1/accounts:lookup?key=any", ["idToken": token]).status == 200)
                #expect(try await Probe(server.url, "/.well-known/jwks.json").status == 200)
            }
            try await cluster.run("ALTER SYSTEM RESET default_transaction_read_only")
            try await cluster.run("SELECT pg_reload_conf()")
            for (number, server) in [first, second].enumerated() {
                try await eventually { try await Probe(server.url, "/health/ready").status == 200 }
                try await eventually { try await signUp(server, "after\(number)").status == 200 }
                #expect(await server.terminate() == 0)
            }
        } catch {
            try await cluster.run("ALTER SYSTEM RESET default_transaction_read_only")
            try await cluster.run("SELECT pg_reload_conf()")
            throw error
        }
    }
}

/// A server that has not come to listen yet, and what it says on standard error.
private final class WaitingProcess: Sendable {
    private let process: Process
    private let said = Mutex("")

    init(_ command: [String]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread { [self] in
            while case let chunk = pipe.fileHandleForReading.availableData, !chunk.isEmpty {
                said.withLock { $0 += String(decoding: chunk, as: UTF8.self) }
            }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var errors: String { said.withLock { $0 } }

    /// - Returns: its exit status; nil where the signal itself ended it.
    func end(by number: Int32) async -> Int32? {
        kill(process.processIdentifier, number)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationReason == .exit ? process.terminationStatus : nil)
            }
        }
    }
}
