import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing
import WebPages

/// A server with things to administer, and browsers of users who administer them.
struct ConsoleStage: Sendable {
    let server: TestServer

    /// What the paths of ``ConsoleRow`` name, by the names of their parts.
    let objects: [String: String]

    init(_ server: TestServer) async throws {
        self.server = server
        let realm = server.realm
        let target = try await realm.accounts.create(
            id: UserID(rawValue: "target"), email: EmailAddress("target@example.com"), password: nil,
            profile: UserProfile(emailVerified: true, displayName: "Target"), by: .testAdministrator
        ).get()
        _ = try await server.authenticator(of: target)
        let factor = try #require(
            try await realm.accounts.dossier(target.id)?.factors.first { $0.record.kind == .totp })
        _ = try await AddGroup(group: "staff").perform(on: realm, as: .commandLine, by: .testAdministrator)
        _ = try await AddGroupMember(group: "staff", user: "target").perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        let token = try await AddMachineToken(scopes: ["users:read"], lifetime: 86_400).perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        var registration = RegistrationChange()
        registration.kind = "web"
        registration.redirectURIs = ["https://target.example.com/callback"]
        _ = try await AddApplication(id: "target-app", registration: registration).perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        let initial = try await AddRegistrationToken(label: "partner", lifetime: 86_400, count: 3).perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        let registered = try await Self.register(with: initial.secret.secret, at: realm)
        let hook = try await AddHook(url: "https://hooks.example.com/in", events: ["*"]).perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        _ = try await PutResource(uri: "https://target.example.com/api", scopes: ["target:read"]).perform(
            on: realm, as: .commandLine, by: .testAdministrator)
        let service = try await AddExtension(
            event: "token-issuance-start", targetURL: "https://service.example.com/claims", displayName: "Claims"
        ).perform(on: realm, as: .commandLine, by: .testAdministrator)
        objects = [
            "extension": service.extension.id, "template": "reset-password",
            "user": "target", "factor": factor.record.id.rawValue,
            "group": "staff", "uri": "https://target.example.com/api", "channel": "email", "limit": "password",
            "token": token.token.id, "id": "target-app", "hook": hook.hook.id, "key": "passwords.minimumLength",
            "initial": initial.token.id, "registered": registered.rawValue,
            "kid": try #require(try await realm.keyring.records().first).id,
            "event": try #require(try await realm.auditLog.events(limit: 1).first).id,
        ]
    }

    /// An application that registered itself.
    static func register(
        with token: Secret<String>, at realm: Realm, as name: String = "Partner"
    ) async throws -> ClientID {
        try await realm.changeSettings(by: .testAdministrator) { $0.oauth.registration = .token }
        let metadata = JSONValue.object([
            "redirect_uris": .array(["https://partner.example.com/callback"]), "client_name": .string(name),
        ])
        return try await realm.registrations.register(metadata, token: token, by: .testAdministrator).get()
            .application.id
    }

    /// A browser whose user has signed in with two factors, and has that role.
    func administrator(_ role: AdministratorRole?, _ name: String? = nil) async throws -> TestBrowser {
        let address = "\(name ?? role?.rawValue ?? "user")@example.com"
        let user = try await server.account(address)
        let totp = try await server.authenticator(of: user)
        if let role {
            _ = try await server.realm.administrators.grant(role, to: user.id, by: .testAdministrator)
        }
        let browser = TestBrowser(server)
        _ = try await Self.signIn(browser, address, totp, server)
        return browser
    }

    /// From a page of the console through the sign-in that it leads to.
    static func signIn(
        _ browser: TestBrowser, _ address: String, _ totp: TOTP, _ server: TestServer, from path: String = "/console"
    ) async throws -> TestPage {
        let first = try await browser.open(path)
        let isRight = first.kind == "sign-in" && first.path.hasPrefix("/sign-in?to=console")
        #expect(isRight && (path != "/console" || !first.path.contains("return")), "\(first.path) \(first.html)")
        let password = try await browser.submit(first, ["username": address])
        let code = try await browser.submit(password, ["password": NativeClient.password])
        #expect(code.kind == "code", "\(code.html)")
        try await server.advance(30)
        return try await browser.submit(code, ["code": totp.code(at: server.now).stringCode])
    }

    /// Does what a page shows before it is done; any other page is as it is.
    static func confirmed(_ page: TestPage, in browser: TestBrowser) async throws -> TestPage {
        guard page.kind == "console-review", page.status == 200 else { return page }
        let form = try #require(page.forms.first { $0.names.contains("seen") }, "\(page.html)")
        return try #require(try await browser.sendForm(form, [:]).page)
    }

    /// What a form of that path says beside what it asks for in that browser, whether it is shown there or not.
    static func locks(_ path: String, _ browser: TestBrowser, _ server: TestServer) -> [String: String] {
        let session = Secret(browser.cookies[SignInPageTests.session] ?? "")
        let id = FormID(for: "console \(path)", session: session, at: server.now, server.realm.random)
        return ["csrf": csrf(path, browser), FormID.field: id.text]
    }

    /// The `csrf` alone.
    static func csrf(_ path: String, _ browser: TestBrowser) -> String {
        FormToken.text(
            for: "console \(path)", session: Secret(browser.cookies[SignInPageTests.session] ?? ""))
    }
}
