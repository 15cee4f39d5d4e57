import AdminServer
import AuthenticatorBook
import CountersignCore
import Foundation
import KeychainServices
import TerminalQRCode

/// The second act: a terminal authenticator enrols from a QR code, a sign-in waits for it, the request is shown and
/// allowed, and the next is rejected with a reason that the log shows. The authenticator is that of `countersign
/// authenticator`; the browser's part is played with plain requests.
struct RequestAct: DemoAct {
    let stage: DemoStage
    let narrator: DemoNarrator

    static let name = "request"
    private let email = "grace@example.com"
    private let password = "the compiler is a person too"
    private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    private static let chrome =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"

    /// A sign-in in a browser that waits for the device.
    private struct WaitingSignIn {
        let token: String
        let code: String
        let number: String?
    }

    func play() async throws {
        narrator.act("Act two: a request, and a signature from the terminal")
        let book = AccountBook()
        let account = try await enrol(book)
        try await allow(book, account)
        try await reject(book, account)
        try await book.unenroll(account)
        try await book.remove(account.id)
    }

    private func member(_ name: String, of answer: JSONValue) throws -> String {
        guard let text = answer[name]?.stringValue else {
            throw DemoNarrator.Disappointment(description: "The server's answer has no \(name): \(answer.text)")
        }
        return text
    }

    // MARK: Enrolling

    private func enrol(_ book: AccountBook) async throws -> Account {
        let link = try await step("Grace is invited, and her browser shows a QR code") {
            let administrator = ["Authorization": "Bearer \(try stage.adminToken)"]
            let user = try await stage.send(
                "POST", "api/v2/users",
                ["email": .string(email), "password": .string(password), "email_verified": .bool(true)],
                headers: administrator)
            let ticket = try await stage.send(
                "POST", "api/v2/guardian/enrollments/ticket", ["user_id": .string(try member("user_id", of: user))],
                headers: administrator)
            let flow = try await stage.send(
                "POST", "appliance-mfa/api/start-flow", ["state_transport": .string("polling")],
                headers: ["Authorization": "Ticket id=\"\(try member("ticket_id", of: ticket))\""])
            return try member("enrollment_uri", of: flow)
        }
        if !narrator.asJSON {
            narrator.show(try TerminalQRCode.render(link, style: narrator.isColoured ? .colored : .plain))
        }
        await narrator.pause("This one is for devices. Press Return, and the terminal authenticator takes it.")
        return try await step(
            "Her terminal authenticator reads it and makes a key that her passcode opens",
            tell: { (account: Account) in "device \(account.device?.id ?? "?")" }
        ) {
            guard let link = try EnrollmentLink(link) else {
                throw DemoNarrator.Disappointment(description: "The QR code enrols no device.")
            }
            let new = try await book.enroll(link, deviceName: "Grace’s terminal", kind: .p256)
            try expect(new.recoveryCode != nil, "There is no recovery code.")
            return new.account
        }
    }

    // MARK: Signing in

    private func signIn(with browser: String, asksForNumber: Bool) async throws -> WaitingSignIn {
        let first = try await stage.send(
            "POST", "oauth/token",
            [
                "grant_type": .string("password"), "client_id": .string("dev-app"), "username": .string(email),
                "password": .string(password),
            ],
            headers: ["User-Agent": browser])
        try expect(first["error"]?.stringValue == "mfa_required", "The password alone was enough.")
        let token = try member("mfa_token", of: first)
        var body: [String: JSONValue] = [
            "client_id": .string("dev-app"), "mfa_token": .string(token), "challenge_type": .string("oob"),
        ]
        if asksForNumber { body["binding_method"] = .string("prompt") }
        let challenge = try await stage.send("POST", "mfa/challenge", body, headers: ["User-Agent": browser])
        return WaitingSignIn(
            token: token, code: try member("oob_code", of: challenge), number: challenge["number"]?.stringValue)
    }

    /// What the browser hears.
    private func outcome(of signIn: WaitingSignIn) async throws -> JSONValue {
        try await stage.send(
            "POST", "oauth/token",
            [
                "grant_type": .string("http://auth0.com/oauth/grant-type/mfa-oob"), "client_id": .string("dev-app"),
                "mfa_token": .string(signIn.token), "oob_code": .string(signIn.code),
            ])
    }

    /// The request, as her terminal shows it.
    private func request(_ book: AccountBook, _ account: Account) async throws -> SignInRequest {
        let request = try await step(
            "The request comes to her terminal, with browser, place and time",
            tell: { (request: SignInRequest) in
                [request.browser, request.system, request.place, request.startedAt.formatted(.iso8601)]
                    .compactMap(\.self).joined(separator: ", ")
            }
        ) {
            let (waiting, failures) = await book.waiting(for: [account])
            if let failure = failures.first?.1 { throw failure }
            guard let request = waiting.last else {
                throw DemoNarrator.Disappointment(description: "No request came.")
            }
            try expect(request.browser != nil && request.place != nil, "The request does not say where it is from.")
            return request
        }
        narrator.show(request.lines(now: Date()).joined(separator: "\n"))
        return request
    }

    private func allow(_ book: AccountBook, _ account: Account) async throws {
        let waiting = try await step(
            "She signs in; the password is not enough, and the screen shows a number",
            tell: { (waiting: WaitingSignIn) in "number \(waiting.number ?? "?")" }
        ) {
            let waiting = try await signIn(with: Self.firefox, asksForNumber: true)
            try expect(waiting.number != nil, "No number is asked for.")
            try expect(
                try await outcome(of: waiting)["error"]?.stringValue == "authorization_pending",
                "Nothing is waited for.")
            return waiting
        }
        let request = try await request(book, account)
        try await step("She types the number and her passcode; the key signs") {
            try await book.answer(request, .allow(number: waiting.number))
        }
        try await step("She is signed in") {
            _ = try member("access_token", of: try await outcome(of: waiting))
        }
    }

    private func reject(_ book: AccountBook, _ account: Account) async throws {
        let reason = "I am at the beach"
        let waiting = try await step("Another person signs in with her password") {
            try await signIn(with: Self.chrome, asksForNumber: false)
        }
        let request = try await request(book, account)
        try await step("She rejects it, and says why", tell: { _ in "“\(reason)”" }) {
            try await book.answer(request, .deny(reason: reason))
        }
        try await step("The browser is refused", tell: { (error: String) in error }) {
            let error = try member("error", of: try await outcome(of: waiting))
            try expect(error == "invalid_grant", "The browser heard something else: \(error)")
            return error
        }
        let line = try await step("The reason is in the log") {
            let log = try await stage.send(
                "GET", "api/v2/logs?q=type:gd_auth_rejected",
                headers: ["Authorization": "Bearer \(try stage.adminToken)"])
            guard case .array(let entries) = log, let entry = entries.first else {
                throw DemoNarrator.Disappointment(description: "The log has no rejection.")
            }
            try expect(
                try member("description", of: entry).contains(reason), "The Management API's log does not say why.")
            let audit = try RemoteAdministration(server: stage.url.absoluteString, token: try stage.adminToken)
            let events = try await audit.perform(ListAuditEvents(user: email, limit: 20)).events
            guard let line = events.map(\.line).last(where: { $0.contains(reason) }) else {
                throw DemoNarrator.Disappointment(description: "`countersign audit tail` does not say why.")
            }
            return line
        }
        narrator.show("$ countersign audit tail\n\(line)")
    }
}
