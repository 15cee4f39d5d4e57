import Foundation
import PasskeyTestSupport
import Synchronization
import TestSupport
import Testing

/// `kill -9` in the middle of enrolments: each passkey is there and signs in, or is absent, and one that was answered is there.
@Suite(.serialized) struct PasskeyKillTests {
    private static let users = 100
    private static let rounds = Endurance.rounds.map { min($0, 5) } ?? 1
    /// Whichever port the process gets: passkeys belong to this origin.
    private static let site = "http://localhost:8080"

    @Test(arguments: Database.available)
    func `Passkeys that were answered survive a kill, and none is torn`(database: Database) async throws {
        for round in 0..<Self.rounds {
            let folder = try TestRun.place(for: "passkey-kill")
            defer { try? FileManager.default.removeItem(at: folder) }
            let arguments = ["--dev", "--public-url", Self.site] + (try await database.arguments())
            let server = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
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
                        let made = try? await enrolment.run(at: url)
                        answered.note(number, made?.isAnswered == true)
                        return (number, made?.authenticator)
                    }
                }
                tasks.addTask {
                    // Those that were all refused would be waited for without end.
                    while answered.all.count < enough, answered.ended < Self.users {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    kill(victim, SIGKILL)
                    return (-1, nil)
                }
                return await tasks.reduce(into: [Int: SoftwareAuthenticator]()) { $0[$1.0] = $1.1 }
            }

            let revived = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
            let good = answered.all
            #expect(good.count >= enough, "\(good.count) of \(answered.ended)")
            for (number, authenticator) in kept {
                let (status, answer) = try await Enrolment.signIn(authenticator, at: revived.url)
                #expect(status == 200 || !good.contains(number) && status == 400, "\(number): \(answer)")
            }
            Endurance.report("killed after \(good.count) of \(Self.users) enrolments on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }

    /// The passkey that a sign-in asks for on its way: page, passkey and session are one answer.
    @Test(arguments: Database.available)
    func `Passkeys that were made in a sign-in survive a kill with its session, and none is torn`(
        database: Database
    ) async throws {
        for round in 0..<Self.rounds {
            let folder = try TestRun.place(for: "passkey-sign-in-kill")
            defer { try? FileManager.default.removeItem(at: folder) }
            let arguments = ["--dev", "--public-url", Self.site] + (try await database.arguments())
            let server = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
            let (url, victim) = (try Self.named(server.url), server.processIdentifier)
            let ready = try await withThrowingTaskGroup(of: SignInEnrolment.self) { tasks in
                for number in 0..<Self.users {
                    tasks.addTask { try await SignInEnrolment(number, at: url, site: Self.site) }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }

            let answered = AnsweredNumbers()
            let enough = Self.users / 5 + round * 7 % (Self.users / 2)
            await withTaskGroup(of: Void.self) { tasks in
                for enrolment in ready {
                    tasks.addTask {
                        // One that gets no answer is not known.
                        answered.note(enrolment.number, (try? await enrolment.finish()) == 303)
                    }
                }
                tasks.addTask {
                    // Those that were all refused would be waited for without end.
                    while answered.all.count < enough, answered.ended < Self.users {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    kill(victim, SIGKILL)
                }
            }

            let revived = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
            let good = answered.all
            #expect(good.count >= enough, "\(good.count) of \(answered.ended)")
            for enrolment in ready {
                let (status, answer) = try await Enrolment.signIn(enrolment.authenticator, at: revived.url)
                let isAnswered = good.contains(enrolment.number)
                #expect(status == 200 || !isAnswered && status == 400, "\(enrolment.number): \(answer)")
                let visitor = enrolment.visitor.moved(to: try Self.named(revived.url))
                if isAnswered {
                    // The session that was answered is there, and has two factors.
                    _ = try await visitor.code(SignInEnrolment.wanted)
                } else if case .away = try await visitor.visit(SignInEnrolment.wanted) {
                    #expect(status == 200, "A session with two factors has its passkey.")
                }
            }
            Endurance.report("killed after \(good.count) of \(Self.users) enrolments in sign-ins on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }

    /// Passkeys are asked for at this name of the machine alone.
    private static func named(_ url: URL) throws -> URL {
        let port = try #require(url.port)
        return try #require(URL(string: "http://localhost:\(port)"))
    }
}

/// Which enrolments were answered.
private final class AnsweredNumbers: Sendable {
    private let state = Mutex<(numbers: Set<Int>, ended: Int)>(([], 0))

    func note(_ number: Int, _ isAnswered: Bool) {
        state.withLock { state in
            state.ended += 1
            if isAnswered { state.numbers.insert(number) }
        }
    }

    var all: Set<Int> { state.withLock { $0.numbers } }
    /// How many have ended, with an answer or without.
    var ended: Int { state.withLock { $0.ended } }
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

/// One user's sign-in, as far as the page that asks for a passkey, with the answer that a browser will send.
private struct SignInEnrolment: Sendable {
    static let wanted = ["acr_values": "aal2"]

    let number: Int
    let visitor: PageVisitor
    let authenticator: SoftwareAuthenticator
    private let action: String
    private let fields: [String: String]

    init(_ number: Int, at url: URL, site: String) async throws {
        let email = "user\(number)@example.org"
        let (status, made) = try await ServerProcess.post(
            url, "/v1/accounts:signUp?key=any", ["email": email, "password": "a quiet afternoon"])
        #expect(status == 200, "\(made)")
        let (updated, _) = try await ServerProcess.post(
            url, "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:update",
            ["localId": made["localId"] ?? "", "emailVerified": true], bearer: "owner")
        #expect(updated == 200)
        self.number = number
        visitor = PageVisitor(url: url, email: email)
        guard case .page(let page) = try await visitor.visit(Self.wanted) else {
            throw ServerDidNotStart(said: "no page that asks for a passkey")
        }
        let form = try await visitor.passkeyForm(on: page)
        var authenticator = SoftwareAuthenticator(origin: site)
        let response = try authenticator.create(optionsJSON: form.options)
        self.authenticator = authenticator
        action = form.action
        fields = form.fields.merging(["response": String(decoding: response, as: UTF8.self)]) { $1 }
    }

    /// Sends it: the status.
    func finish() async throws -> Int { try await visitor.send("POST", action, form: fields).status }
}
