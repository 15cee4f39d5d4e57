import CountersignCore
import Foundation
import OneTimePassword
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `kill -9`, of the server or of the database, in the middle of 200 sign-ups and enrolments: what was acknowledged is
/// there afterwards, everything else is whole or absent.
///
/// Three rounds, and one of the database; `make endurance` runs twenty (`ENDURANCE_ROUNDS`).
@Suite(.serialized) struct KillTests {
    private static let rounds = Endurance.rounds ?? 3
    private static let people = 200
    private static let password = "a quiet afternoon"

    @Test func `What SQLite acknowledged survives a kill`() async throws {
        for round in 0..<Self.rounds { try await run(round: round, arguments: []) }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func `What Postgres acknowledged survives a kill`() async throws {
        for round in 0..<Self.rounds {
            let database = try await PostgresCluster.shared().emptyDatabase()
            try await run(round: round, arguments: ["--database", database.url.reveal()])
        }
    }

    /// PostgreSQL itself is killed while the server lives on. Until it is back the server says so, in words that a client
    /// understands; then it finds it by itself.
    @Test(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func `What was acknowledged survives a kill of Postgres itself`() async throws {
        let cluster = try await PostgresCluster.ofItsOwn()
        for round in 0..<(Endurance.rounds ?? 1) {
            let database = try await cluster.emptyDatabase()
            let server = try await ServerProcess(
                ["--dev", "--database", database.url.reveal()], environment: Endurance.cheapHashes)
            let client = Client(url: server.url)
            let reached = Reached()
            let enough = 20 + round * 37 % 150
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 0..<Self.people {
                    tasks.addTask {
                        do {
                            try await Self.live(number, client) { reached.note(number, $0) }
                        } catch {
                            reached.note(error)
                        }
                    }
                }
                tasks.addTask {
                    while reached.count < enough, reached.failures.count < Self.people {
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    // Every process of it at once, or as `pg_ctl stop -m immediate` ends it.
                    try await round.isMultiple(of: 2) ? cluster.kill() : cluster.crash()
                    try await Self.expectOutage(server)
                    try await cluster.startAgain()
                }
                try await tasks.waitForAll()
            }
            let unclear = reached.failures.filter { ($0 as? Client.Refused)?.isRetryable != true }
            #expect(unclear.isEmpty, "\(unclear.prefix(3))")
            let states = reached.all
            #expect(states.count >= enough, "\(reached.failures.prefix(3))")
            try await Self.judgeAll(states, client)
            // And it goes on.
            try await Self.live(Self.people, client) { reached.note(Self.people, $0) }
            #expect(reached.all[Self.people] == .enrolled)
            #expect(await server.terminate() == 0)
        }
        cluster.end()
    }

    private static func expectOutage(_ server: ServerProcess) async throws {
        let url = server.url
        async let readiness = server.get("/health/ready").status
        let shots = [
            try Volley.Shot(url, "/v1/accounts:signUp?key=any", ["email": "late@example.com", "password": password]),
            try Volley.Shot(url, "/v1/token?key=any", ["grantType": "refresh_token", "refreshToken": "any"]),
        ]
        for answer in try await Volley.fire(shots) {
            let error = answer.json["error"] as? [String: Any]
            #expect(answer.status == 503 && (answer.retryAfter ?? 0) >= 1, "\(answer.words)")
            #expect(error?["status"] as? String == "UNAVAILABLE", "\(answer.words)")
        }
        #expect(try await readiness == 503)
        #expect(try await server.get("/health/live").status == 200)
    }

    private func run(round: Int, arguments: [String]) async throws {
        let folder = try TestRun.place(for: "kill")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ServerProcess(
            ["--dev"] + arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
        let client = Client(url: server.url)
        let victim = server.processIdentifier
        let reached = Reached()
        // The kill comes after a number of acknowledgements, another in each round, and not after a time.
        let enough = 20 + round * 37 % 150
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<Self.people {
                tasks.addTask {
                    do {
                        try await Self.live(number, client) { reached.note(number, $0) }
                    } catch {
                        // After the kill the server is gone: what was not acknowledged is not known.
                        reached.note(error)
                    }
                }
            }
            tasks.addTask {
                // Users who all stopped before would be waited for without end.
                while reached.count < enough, reached.failures.count < Self.people {
                    try? await Task.sleep(for: .milliseconds(2))
                }
                kill(victim, SIGKILL)
            }
        }

        let revived = try await ServerProcess(
            ["--dev"] + arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
        let check = Client(url: revived.url)
        let states = reached.all
        #expect(states.count >= enough, "\(reached.failures.prefix(3))")
        try await Self.judgeAll(states, check)
        _ = await revived.terminate()
    }

    /// Signs up, proves the address and enrols TOTP.
    private static func live(_ number: Int, _ client: Client, _ note: (Progress) -> Void) async throws {
        let email = "user\(number)@example.com"
        let signedUp = try await client.post("v1/accounts:signUp", ["email": email, "password": password])
        note(.signedUp)
        let token = try #require(signedUp["idToken"] as? String)
        let link = try await client.post(
            "v1/accounts:sendOobCode",
            ["requestType": "VERIFY_EMAIL", "email": email, "returnOobLink": true], bearer: "owner")
        _ = try await client.post("v1/accounts:update", ["oobCode": try #require(link["oobCode"] as? String)])
        let started = try await client.post(
            "v2/accounts/mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:] as [String: Any]])
        let session = try #require(started["totpSessionInfo"] as? [String: Any])
        let totp = try TOTP(secret: Base32.decode(try #require(session["sharedSecretKey"] as? String)))
        // A code that waited too long for a connection, or for a database that is away, is sent again as another one.
        for attempt in 1... {
            let begin = ContinuousClock.now
            do {
                _ = try await client.post(
                    "v2/accounts/mfaEnrollment:finalize",
                    [
                        "idToken": token, "displayName": "TOTP",
                        "totpVerificationInfo": [
                            "sessionInfo": try #require(session["sessionInfo"] as? String),
                            "verificationCode": totp.code(at: Date()).stringCode,
                        ],
                    ])
                return note(.enrolled)
            } catch let refused as Client.Refused
                where refused.status == 400 && attempt < 4 && ContinuousClock.now - begin > .seconds(25)
            {
                continue
            }
        }
    }

    private static func judgeAll(_ states: [Int: Progress], _ client: Client) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<people {
                tasks.addTask { try await judge(number, states[number] ?? .nothing, client) }
            }
            try await tasks.waitForAll()
        }
    }

    /// What a server knows of a user afterwards.
    private static func judge(_ number: Int, _ progress: Progress, _ client: Client) async throws {
        let email = "user\(number)@example.com"
        let found = try await client.post(
            "v1/projects/countersign/accounts:lookup", ["email": [email]], bearer: "owner")
        guard let user = (found["users"] as? [[String: Any]])?.first else {
            #expect(progress == .nothing, "\(email) was acknowledged and is gone")
            return
        }
        // An account that is there is whole: its password works, and its factor is asked for.
        let answer = try await client.post("v1/accounts:signInWithPassword", ["email": email, "password": password])
        let factors = user["mfaInfo"] as? [[String: Any]] ?? []
        #expect(factors.count <= 1)
        #expect((answer["mfaPendingCredential"] is String) == (factors.count == 1), "\(email) is torn: \(answer)")
        #expect((answer["idToken"] is String) == factors.isEmpty, "\(email) is torn: \(answer)")
        if progress == .enrolled { #expect(factors.count == 1, "\(email)'s factor was acknowledged and is gone") }
    }
}

/// How far a user got, according to the server's answers.
private enum Progress: Sendable {
    case nothing
    case signedUp
    case enrolled
}

/// What was acknowledged.
private final class Reached: Sendable {
    private let states = Mutex<[Int: Progress]>([:])
    private let failed = Mutex<[any Error]>([])

    func note(_ number: Int, _ progress: Progress) {
        states.withLock { $0[number] = progress }
    }

    /// Why a user stopped.
    func note(_ failure: any Error) {
        failed.withLock { $0.append(failure) }
    }

    var failures: [any Error] { failed.withLock { $0 } }
    var all: [Int: Progress] { states.withLock { $0 } }
    var count: Int { all.count }
}

/// Many connections to one server.
private struct Client: Sendable {
    struct Refused: Error {
        let status: Int
        let retryAfter: Int?
        let json: String

        /// Whether it tells the client, in the protocol's words, that it is worth trying again.
        var isRetryable: Bool { status == 503 && (retryAfter ?? 0) >= 1 && json.contains("UNAVAILABLE") }
    }

    let url: URL
    private let session: URLSession

    init(url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.timeoutIntervalForRequest = 600
        session = URLSession(configuration: configuration)
    }

    func post(_ path: String, _ body: [String: Any], bearer: String? = nil) async throws -> [String: Any] {
        guard let target = URL(string: "/\(path)?key=any", relativeTo: url) else { throw URLError(.badURL) }
        var request = URLRequest(url: target)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        request.httpBody = try JSONSerialization.data(withJSONObject: body)
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse, response.statusCode == 200 else {
            let response = response as? HTTPURLResponse
            throw Refused(
                status: response?.statusCode ?? 0,
                retryAfter: response?.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) },
                json: String(decoding: data, as: UTF8.self))
        }
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
