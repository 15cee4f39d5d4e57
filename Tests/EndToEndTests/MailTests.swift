import Foundation
import TestSupport
import Testing

/// The built program and a mail server that is not ours.
@Suite struct MailTests {
    private struct Stage {
        let folder: URL
        let files: (root: String, certificate: String, key: String)
        let password: String

        init() throws {
            folder = try TestRun.place(for: "mail")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            files = try TestAuthority().write(into: folder)
            password = folder.appendingPathComponent("password").path
            try Data("s3cret\n".utf8).write(to: URL(fileURLWithPath: password))
        }

        func mailServer(port: Int = 0) async throws -> MailServer {
            try await MailServer(
                port: port, tls: .starttls, identity: (files.certificate, files.key), login: ("countersign", "s3cret"))
        }

        func environment(port: Int) -> [String: String] {
            [
                "COUNTERSIGN_MAIL_FROM": "Countersign <login@example.com>",
                "COUNTERSIGN_MAIL_SMTP_URL": "smtp://localhost:\(port)", "COUNTERSIGN_MAIL_SMTP_USER": "countersign",
                "COUNTERSIGN_MAIL_SMTP_PASSWORD_FILE": password, "COUNTERSIGN_MAIL_SMTP_AUTHORITIES": files.root,
            ]
        }
    }

    /// The code in the link of a mail.
    private func code(in mail: MailServer.Mail) throws -> String {
        let line = try #require(mail.text?.split(separator: "\n").first { $0.hasPrefix("http") })
        let items = URLComponents(string: String(line))?.queryItems
        return try #require(items?.first { $0.name == "oobCode" }?.value)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A mailed link resets the password of a production server`() async throws {
        let stage = try Stage()
        let mails = try await stage.mailServer()
        defer { mails.stop() }
        let server = try await ServerProcess(environment: stage.environment(port: mails.port))
        let key = try server.apiKey
        _ = try await server.signUp(email: "ada@example.com", password: "a quiet afternoon", key: key)
        let asked = try await server.post(
            "/v1/accounts:sendOobCode?key=\(key)", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
        #expect(asked.status == 200, "\(asked.json)")
        let mail = try #require(try await mails.mails(atLeast: 1).first)
        #expect(mail.to == ["ada@example.com"] && mail.isEncrypted && mail.isAuthenticated)
        let reset = try await server.post(
            "/v1/accounts:resetPassword?key=\(key)",
            ["oobCode": try code(in: mail), "newPassword": "a louder afternoon"])
        #expect(reset.status == 200, "\(reset.json)")
        let signedIn = try await server.post(
            "/v1/accounts:signInWithPassword?key=\(key)",
            ["email": "ada@example.com", "password": "a louder afternoon", "returnSecureToken": true])
        #expect(signedIn.status == 200, "\(signedIn.json)")
        #expect(await server.terminate() == 0)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A mailed code signs up in native authentication and in again`() async throws {
        let stage = try Stage()
        let mails = try await stage.mailServer()
        defer { mails.stop() }
        let server = try await ServerProcess(["--dev"], environment: stage.environment(port: mails.port))
        func ask(_ path: String, _ form: [String: String]) async throws -> [String: Any] {
            let form = form.merging(["client_id": "dev-app"]) { own, _ in own }
            let answer = try await server.post("/contoso/\(path)", form: form)
            #expect(answer.status == 200, "\(path): \(answer.json)")
            return answer.json
        }
        func token(_ answer: [String: Any]) throws -> String {
            try #require(answer["continuation_token"] as? String, "\(answer)")
        }
        /// Goes on with the code that a mail brings.
        func answer(_ number: Int, _ path: String, _ begun: [String: Any]) async throws -> [String: Any] {
            let challenge = path.replacingOccurrences(of: "continue", with: "challenge")
                .replacingOccurrences(of: "token", with: "challenge")
            let asked = try await ask(challenge, ["continuation_token": token(begun)])
            let mail = try #require(try await mails.mails(atLeast: number).last)
            #expect(mail.to == ["ada@example.com"] && mail.isEncrypted && mail.isAuthenticated)
            let code = try #require(mail.text?.firstMatch(of: /\b[0-9]{8}\b/).map { String($0.0) })
            return try await ask(path, ["continuation_token": token(asked), "grant_type": "oob", "oob": code])
        }
        let person = ["username": "ada@example.com", "challenge_type": "oob redirect"]
        let made = try await answer(1, "signup/v1.0/continue", try await ask("signup/v1.0/start", person))
        let first = try await ask(
            "oauth2/v2.0/token", ["continuation_token": token(made), "grant_type": "continuation_token"])
        #expect(first["access_token"] is String && first["id_token"] is String)
        let second = try await answer(2, "oauth2/v2.0/token", try await ask("oauth2/v2.0/initiate", person))
        #expect(second["refresh_token"] is String)
        #expect(await server.terminate() == 0)
    }

    @Test(.timeLimit(.minutes(20)))
    func `A mail outlives a mail server that is away and a restart`() async throws {
        let stage = try Stage()
        let port = try QuietPort.next()
        let data = try TestRun.place(for: "mail-data")
        let environment = stage.environment(port: port)
        let before = try await ServerProcess(["--dev"], dataDirectory: data, environment: environment)
        let key = "dev-app"
        _ = try await before.signUp(email: "ada@example.com", password: "a quiet afternoon", key: key)
        let asked = try await before.post(
            "/v1/accounts:sendOobCode?key=\(key)", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
        #expect(asked.status == 200, "\(asked.json)")
        #expect(await before.terminate() == 0)

        let mails = try await stage.mailServer(port: port)
        defer { mails.stop() }
        let after = try await ServerProcess(["--dev"], dataDirectory: data, environment: environment)
        // Past the pause after the attempt that failed.
        _ = try await after.post("/dev/clock", ["advanceSeconds": 130])
        let mail = try #require(try await mails.mails(atLeast: 1).first)
        #expect(mail.subject == "Choose a new password")
        #expect(await after.terminate() == 0)
    }
}
