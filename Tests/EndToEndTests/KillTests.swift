import CountersignCore
import Foundation
import OneTimePassword
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `kill -9` in the middle of 200 sign-ups and enrolments: what was acknowledged is there afterwards, everything else is
/// whole or absent.
///
/// Three rounds; `make endurance` runs twenty (`ENDURANCE_ROUNDS`).
@Suite(.serialized) struct KillTests {
    private static let rounds = ProcessInfo.processInfo.environment["ENDURANCE_ROUNDS"].flatMap { Int($0) } ?? 3
    private static let people = 200
    private static let password = "a quiet afternoon"

    @Test func whatSQLiteAcknowledgedSurvivesAKill() async throws {
        for round in 0..<Self.rounds { try await run(round: round, arguments: []) }
    }

    @Test(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func whatPostgresAcknowledgedSurvivesAKill() async throws {
        for round in 0..<Self.rounds {
            let database = try await PostgresCluster.shared().emptyDatabase()
            try await run(round: round, arguments: ["--database", database.url.reveal()])
        }
    }

    private func run(round: Int, arguments: [String]) async throws {
        let folder = try TestRun.place(for: "kill")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ServerProcess(["--dev"] + arguments, dataDirectory: folder)
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
                        // The server is gone: what was not acknowledged is not known.
                    }
                }
            }
            tasks.addTask {
                while reached.count < enough { try? await Task.sleep(for: .milliseconds(2)) }
                kill(victim, SIGKILL)
            }
        }

        let revived = try await ServerProcess(["--dev"] + arguments, dataDirectory: folder)
        let check = Client(url: revived.url)
        let states = reached.all
        #expect(states.count >= enough)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<Self.people {
                tasks.addTask { try await Self.judge(number, states[number] ?? .nothing, check) }
            }
            try await tasks.waitForAll()
        }
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
        _ = try await client.post(
            "v2/accounts/mfaEnrollment:finalize",
            [
                "idToken": token, "displayName": "TOTP",
                "totpVerificationInfo": [
                    "sessionInfo": try #require(session["sessionInfo"] as? String),
                    "verificationCode": totp.code(at: Date()).stringCode,
                ],
            ])
        note(.enrolled)
    }

    /// What the revived server knows of somebody.
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

/// How far somebody got, as far as the server said so.
private enum Progress: Sendable {
    case nothing
    case signedUp
    case enrolled
}

/// What was acknowledged.
private final class Reached: Sendable {
    private let states = Mutex<[Int: Progress]>([:])

    func note(_ number: Int, _ progress: Progress) {
        states.withLock { $0[number] = progress }
    }

    var all: [Int: Progress] { states.withLock { $0 } }
    var count: Int { all.count }
}

/// Many connections to one server.
private struct Client: Sendable {
    struct Refused: Error {
        let json: String
    }

    let url: URL
    private let session: URLSession

    init(url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.timeoutIntervalForRequest = 120
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
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw Refused(json: String(decoding: data, as: UTF8.self))
        }
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
