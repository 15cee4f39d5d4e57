import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Two processes of the program on one PostgreSQL database are one server.
@Suite(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct PostgresServersTests {
    private struct Pair {
        let first: ServerProcess
        let second: ServerProcess
        let database: TestDatabase
    }

    private func servers() async throws -> Pair {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let arguments = ["--dev", "--database", database.url.reveal()]
        let first = try await ServerProcess(arguments)
        let key = first.dataDirectory.appendingPathComponent("master-key").path
        return Pair(
            first: first, second: try await ServerProcess(arguments + ["--master-key-file", key]), database: database)
    }

    @Test func `A code that both get many times at once counts once`() async throws {
        guard let oathtool = Tool(named: "oathtool") else { throw MissingTool(name: "oathtool") }
        let pair = try await servers()
        let email = "ada@example.com"
        let idToken = try await pair.first.signUp(email: email, password: "a quiet afternoon")
        // What one has written, the other knows.
        try await pair.second.confirmAddress(idToken: idToken)
        let start = try await pair.first.post(
            "/v2/accounts/mfaEnrollment:start?key=any",
            ["idToken": idToken, "totpEnrollmentInfo": [:] as [String: Any]])
        let session = try #require(start.json["totpSessionInfo"] as? [String: Any])
        let secret = try #require(session["sharedSecretKey"] as? String)
        func code(_ time: String) async throws -> String {
            try await oathtool.run(["--totp", "--base32", "--now", time, secret]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let enrolled = try await pair.second.post(
            "/v2/accounts/mfaEnrollment:finalize?key=any",
            [
                "idToken": idToken, "displayName": "oathtool",
                "totpVerificationInfo": [
                    "sessionInfo": try #require(session["sessionInfo"] as? String),
                    "verificationCode": try await code("now"),
                ],
            ])
        #expect(enrolled.status == 200, "\(enrolled.json)")

        var credentials: [String] = []
        var factorID = ""
        for server in [pair.first, pair.second] {
            let pending = try await server.post(
                "/v1/accounts:signInWithPassword?key=any", ["email": email, "password": "a quiet afternoon"])
            credentials.append(try #require(pending.json["mfaPendingCredential"] as? String))
            let factors = try #require(pending.json["mfaInfo"] as? [[String: Any]])
            factorID = try #require(factors.first?["mfaEnrollmentId"] as? String)
        }
        // The code of the next step counts too, and has not been used.
        let next = try await code("now + 30 seconds")
        let urls = [pair.first.url, pair.second.url]
        let (held, id) = (credentials, factorID)
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for number in 0..<4 {
                tasks.addTask {
                    try await Self.finish(urls[number % 2], credential: held[number / 2], factor: id, code: next) == 200
                }
            }
            return try await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
    }

    private static func finish(_ url: URL, credential: String, factor: String, code: String) async throws -> Int {
        try await ServerProcess.post(
            url, "/v2/accounts/mfaSignIn:finalize?key=any",
            [
                "mfaPendingCredential": credential, "mfaEnrollmentId": factor,
                "totpVerificationInfo": ["verificationCode": code],
            ]
        ).status
    }

    @Test func `A lockout and a rotated key are known to both`() async throws {
        let pair = try await servers()
        let email = "ada@example.com"
        _ = try await pair.first.signUp(email: email, password: "a quiet afternoon")
        for _ in 0..<10 {
            try await pair.first.post(
                "/v1/accounts:signInWithPassword?key=any", ["email": email, "password": "a wrong guess"])
        }
        let refused = try await pair.second.post(
            "/v1/accounts:signInWithPassword?key=any", ["email": email, "password": "a quiet afternoon"])
        let error = try #require(refused.json["error"] as? [String: Any])
        #expect((error["message"] as? String)?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)

        func keys(_ server: ServerProcess) async throws -> Set<String> {
            let keys = try #require(try await server.get("/.well-known/jwks.json").json["keys"] as? [[String: Any]])
            return Set(keys.compactMap { $0["kid"] as? String })
        }
        let before = try await keys(pair.second)
        let rotation = try await Tool(path: try ServerProcess.executable).run([
            "key", "rotate", "--data", pair.first.dataDirectory.path, "--database", pair.database.url.reveal(),
        ])
        #expect(rotation.status == 0, "\(rotation.errors)")
        // Each of the two notices in its own time.
        try await eventually { try await keys(pair.second).isStrictSuperset(of: before) }
        let after = try await keys(pair.second)
        try await eventually { try await keys(pair.first) == after }
    }

    @Test func `A server with another master key does not start`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let first = try await ServerProcess(["--dev", "--database", database.url.reveal()])
        await #expect(throws: ServerDidNotStart.self) {
            _ = try await ServerProcess(["--dev", "--database", database.url.reveal()])
        }
        try await eventually { try await first.get("/health/ready").status == 200 }
    }

    @Test func `Servers of one database have one administrators token`() async throws {
        let pair = try await servers()
        #expect(try pair.first.adminToken == pair.second.adminToken)
        #expect(try pair.first.apiKey == pair.second.apiKey)
        func status(_ server: ServerProcess, _ token: String) async throws -> Int {
            try await server.post("/admin/v1/keys:list", [:], bearer: token).status
        }
        let old = try pair.first.adminToken
        for server in [pair.first, pair.second] { #expect(try await status(server, old) == 200) }

        // A machine without a server, and without a data directory, can make a new one.
        let key = pair.first.dataDirectory.appendingPathComponent("master-key").path
        let rotated = try await Tool(path: ServerProcess.executable).run([
            "key", "rotate-admin-token", "--database", pair.database.url.reveal(), "--master-key-file", key,
        ])
        #expect(rotated.status == 0, "\(rotated.errors)")
        for server in [pair.first, pair.second] {
            var statuses = [0, 0]
            for _ in 0..<1_200 where statuses != [401, 200] {
                try await Task.sleep(for: .milliseconds(100))
                statuses = [try await status(server, old), try await status(server, server.adminToken)]
            }
            #expect(statuses == [401, 200])
        }
        #expect(try pair.first.adminToken == pair.second.adminToken)
    }

    @Test func `A database is for development or not whatever the directory`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let first = try await ServerProcess(["--dev", "--database", database.url.reveal()])
        let key = first.dataDirectory.appendingPathComponent("master-key").path
        let folder = try TestRun.place(for: "server")
        defer { try? FileManager.default.removeItem(at: folder) }
        let refused = try await Tool(path: ServerProcess.executable).run([
            "serve", "--listen", "127.0.0.1:0", "--data", folder.path, "--database", database.url.reveal(),
            "--master-key-file", key,
        ])
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.errors.contains(
                "The PostgreSQL database holds development data: its first start was with --dev"), "\(refused.errors)")
        #expect(refused.errors.contains("Start it with --dev, or name another database with --database."))
        try await eventually { try await first.get("/health/ready").status == 200 }

        // A command on a database that no server has used makes nothing.
        let empty = try await PostgresCluster.shared().emptyDatabase()
        let command = try await Tool(path: ServerProcess.executable).run([
            "user", "list", "--database", empty.url.reveal(), "--master-key-file", key,
        ])
        #expect(command.status == 3)
        #expect(command.errors.contains("There is no Countersign data in the PostgreSQL database."))
    }

    /// As docs/recipes.md has it: two machines, each with a data directory and a key file of its own, and a command that
    /// names the database and a key file.
    @Test func `The master key is replaced under two servers with key files of their own`() async throws {
        guard let oathtool = Tool(named: "oathtool") else { throw MissingTool(name: "oathtool") }
        let database = try await PostgresCluster.shared().emptyDatabase()
        let machines = try TestRun.place(for: "machines")
        defer { try? FileManager.default.removeItem(at: machines) }
        func keyFile(_ name: String) throws -> String {
            let folder = machines.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return folder.appendingPathComponent("key").path
        }
        let (firstKey, secondKey) = (try keyFile("first"), try keyFile("second"))
        try Data((Data(repeating: 5, count: 32).base64EncodedString() + "\n").utf8)
            .write(to: URL(fileURLWithPath: firstKey))
        func copyKeys() throws {
            try FileManager.default.contents(atPath: firstKey)?
                .write(to: URL(fileURLWithPath: secondKey), options: .atomic)
        }
        try copyKeys()
        let arguments = ["--dev", "--database", database.url.reveal()]
        let first = try await ServerProcess(arguments + ["--master-key-file", firstKey])
        let second = try await ServerProcess(arguments + ["--master-key-file", secondKey])

        let (email, password) = ("ada@example.com", "a quiet afternoon")
        let idToken = try await first.signUp(email: email, password: password)
        try await second.confirmAddress(idToken: idToken)
        let start = try await first.post(
            "/v2/accounts/mfaEnrollment:start?key=any",
            ["idToken": idToken, "totpEnrollmentInfo": [:] as [String: Any]])
        let session = try #require(start.json["totpSessionInfo"] as? [String: Any])
        let secret = try #require(session["sharedSecretKey"] as? String)
        func code(_ seconds: Int) async throws -> String {
            try await oathtool.run(["--totp", "--base32", "--now", "now + \(seconds) seconds", secret]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let enrolled = try await second.post(
            "/v2/accounts/mfaEnrollment:finalize?key=any",
            [
                "idToken": idToken, "displayName": "oathtool",
                "totpVerificationInfo": [
                    "sessionInfo": try #require(session["sessionInfo"] as? String),
                    "verificationCode": try await code(0),
                ],
            ])
        #expect(enrolled.status == 200, "\(enrolled.json)")
        func signIn(_ server: ServerProcess, _ code: String) async throws -> Int {
            let pending = try await server.post(
                "/v1/accounts:signInWithPassword?key=any", ["email": email, "password": password])
            let factors = try #require(pending.json["mfaInfo"] as? [[String: Any]], "\(pending.json)")
            return try await Self.finish(
                server.url, credential: try #require(pending.json["mfaPendingCredential"] as? String),
                factor: try #require(factors.first?["mfaEnrollmentId"] as? String), code: code)
        }

        // The second server has not got the key: nothing changes, and the command names it.
        let program = try Tool(path: ServerProcess.executable)
        let rotate = [
            "key", "rotate-master", "--database", database.url.reveal(), "--master-key-file", firstKey, "--json",
        ]
        var early = try await program.run(rotate + ["--wait", "2"])
        // The first looks at its file every few seconds: on a slow machine it may not have done so yet.
        for _ in 0..<100 where early.errors.contains("(process \(first.processIdentifier))") {
            early = try await program.run(rotate + ["--wait", "2"])
        }
        #expect(early.status == 1, "\(early.errors)")
        #expect(early.errors.contains("(process \(second.processIdentifier))"), "\(early.errors)")
        #expect(!early.errors.contains("(process \(first.processIdentifier))."), "\(early.errors)")

        // It gets the key while people sign in on both.
        try copyKeys()
        let urls = [first.url, second.url]
        let rotation = Task { try await program.run(rotate + ["--wait", "900"]) }
        let ended = Task { _ = try? await rotation.value }
        let watch = EndOfTask(ended)
        let answers = try await withThrowingTaskGroup(of: [Int].self) { tasks in
            for url in urls {
                tasks.addTask {
                    var statuses: [Int] = []
                    repeat {
                        statuses.append(
                            try await ServerProcess.post(
                                url, "/v1/accounts:signInWithPassword?key=any",
                                ["email": email, "password": password]
                            ).status)
                    } while !watch.isReached
                    return statuses
                }
            }
            return try await tasks.reduce([], +)
        }
        #expect(Set(answers) == [200], "\(answers)")
        let outcome = try await rotation.value
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(#""wasResumed" : true"#), "\(outcome.output)")
        #expect(outcome.output.contains(#""isComplete" : true"#), "\(outcome.output)")
        #expect(try await signIn(second, code(30)) == 200)

        // The old key goes everywhere; a server starts with the new one alone.
        try copyKeys()
        #expect(try String(contentsOfFile: secondKey, encoding: .utf8).split(separator: "\n").count == 1)
        #expect(await second.terminate() == 0)
        try await first.post("/dev/clock", ["advanceSeconds": 60])
        let third = try await ServerProcess(arguments + ["--master-key-file", secondKey])
        #expect(try await signIn(third, code(60)) == 200)
        #expect(try await signIn(first, code(90)) == 200)
    }
}

/// Whether a task has come to its end, for others that go on until then.
private final class EndOfTask: Sendable {
    private let value = Mutex(false)

    init(_ task: Task<Void, Never>) {
        Task {
            await task.value
            value.withLock { $0 = true }
        }
    }

    var isReached: Bool { value.withLock { $0 } }
}
