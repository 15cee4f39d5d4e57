import Foundation
import PasskeyTestSupport
import Synchronization
import TestSupport
import Testing

/// `kill -9` in the middle of enrolments: each passkey is there and signs in, or is absent, and one that was answered is there.
@Suite(.serialized) struct PasskeyKillTests {
    private static let users = Endurance.rounds == nil ? 20 : 100
    private static let rounds = Endurance.rounds.map { min($0, 5) } ?? 1
    /// Whichever port the process gets: passkeys belong to this origin.
    private static let site = "http://localhost:8080"

    @Test(arguments: Database.available)
    func `Passkeys that were answered survive a kill, and none is torn`(database: Database) async throws {
        for round in 0..<Self.rounds {
            let folder = try TestRun.place(for: "passkey-kill")
            defer { try? FileManager.default.removeItem(at: folder) }
            let arguments = ["--dev", "--public-url", Self.site] + (try await database.arguments())
            let server = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.hashing)
            var enrolments: [Enrolment] = []
            for number in 0..<Self.users {
                let (status, made) = try await server.post(
                    "/v1/accounts:signUp?key=any",
                    ["email": "user\(number)@example.org", "password": "a quiet afternoon"])
                #expect(status == 200, "\(made)")
                enrolments.append(Enrolment(token: made["idToken"] as? String ?? "", site: Self.site))
            }

            let answered = AnsweredNumbers()
            let (url, victim) = (server.url, server.processIdentifier)
            let enough = Self.users / 5 + round * 7 % (Self.users / 2)
            let ready = enrolments
            let kept = await withTaskGroup(of: (Int, SoftwareAuthenticator?).self) { tasks in
                for (number, enrolment) in ready.enumerated() {
                    tasks.addTask {
                        // One that gets no answer is not known.
                        guard let made = try? await enrolment.run(at: url) else { return (number, nil) }
                        if made.isAnswered { answered.note(number) }
                        return (number, made.authenticator)
                    }
                }
                tasks.addTask {
                    while answered.all.count < enough { try? await Task.sleep(for: .milliseconds(1)) }
                    kill(victim, SIGKILL)
                    return (-1, nil)
                }
                return await tasks.reduce(into: [Int: SoftwareAuthenticator]()) { $0[$1.0] = $1.1 }
            }

            let revived = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.hashing)
            let good = answered.all
            #expect(good.count >= enough)
            for (number, authenticator) in kept {
                let (status, answer) = try await Enrolment.signIn(authenticator, at: revived.url)
                #expect(status == 200 || !good.contains(number) && status == 400, "\(number): \(answer)")
            }
            Endurance.report("killed after \(good.count) of \(Self.users) enrolments on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }
}

/// Which enrolments were answered.
private final class AnsweredNumbers: Sendable {
    private let numbers = Mutex<Set<Int>>([])

    func note(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }
    var all: Set<Int> { numbers.withLock { $0 } }
}

/// One user's enrolment by Identity Toolkit's calls.
private struct Enrolment: Sendable {
    let token: String
    let site: String

    /// The authenticator as soon as it has made a passkey, and whether the server has answered that it has it.
    func run(at url: URL) async throws -> (authenticator: SoftwareAuthenticator, isAnswered: Bool) {
        let (_, begun) = try await ServerProcess.post(
            url, "/v2/accounts/passkeyEnrollment:start?key=any", ["idToken": token])
        var authenticator = SoftwareAuthenticator(origin: site)
        let options = try JSONSerialization.data(withJSONObject: begun["credentialCreationOptions"] ?? [:])
        let response = try JSONSerialization.jsonObject(with: authenticator.create(optionsJSON: options))
        let finished = try? await ServerProcess.post(
            url, "/v2/accounts/passkeyEnrollment:finalize?key=any",
            ["idToken": token, "name": "Laptop", "authenticatorRegistrationResponse": response])
        return (authenticator, finished?.status == 200)
    }

    static func signIn(
        _ authenticator: SoftwareAuthenticator, at url: URL
    ) async throws -> (status: Int, json: [String: Any]) {
        var authenticator = authenticator
        let (_, begun) = try await ServerProcess.post(url, "/v2/accounts/passkeySignIn:start?key=any", [:])
        let options = try JSONSerialization.data(withJSONObject: begun["credentialRequestOptions"] ?? [:])
        let response = try JSONSerialization.jsonObject(with: authenticator.get(optionsJSON: options))
        return try await ServerProcess.post(
            url, "/v2/accounts/passkeySignIn:finalize?key=any", ["authenticatorAuthenticationResponse": response])
    }
}
