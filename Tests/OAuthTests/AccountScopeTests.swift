import AccountServer
import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import OAuthServer
import Testing

/// Applications that act in their users' names without asking.
@Suite("Scopes that change an account")
struct AccountScopeTests {
    @Test
    func `Administration knows every scope that changes an account`() {
        let scopes = Set(OAuth.AccountScope.allCases.map(\.rawValue)).union([AccountAPI.scope])
        #expect(AdministrationRoutes.accountScopes == scopes)
    }

    @Test
    func `An operator adds, changes and removes no application that changes accounts, whoever made it`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: "an operator")
            let client = ClientContext(
                clientID: ClientID(rawValue: "console"), dialect: .admin, limitedSource: nil, source: "192.0.2.1")
            func perform<Operation: AdministrationOperation>(
                _ operation: Operation, as role: AdministratorRole
            ) async throws -> Operation.Answer {
                try await operation.perform(on: server.realm, as: .user(user, role), by: client)
            }
            for scope in AdministrationRoutes.accountScopes.sorted() {
                var own = RegistrationChange()
                (own.scopes, own.isFirstParty) = (["openid", scope], true)
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(AddApplication(registration: own), as: .operator)
                }
                let added = try await perform(AddApplication(registration: own), as: .owner).application.id
                var change = RegistrationChange()
                change.redirectURIs = ["https://other.example/"]
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(ChangeApplication(id: added, registration: change), as: .operator)
                }
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(RemoveApplication(id: added), as: .operator)
                }
                // Users allowed another party's once, and an operator could then have what they allowed.
                own.isFirstParty = false
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(AddApplication(registration: own), as: .operator)
                }
                let other = try await perform(AddApplication(registration: own), as: .owner).application.id
                var secret = RegistrationChange()
                secret.secret = SecretText("a secret that an operator knows")
                var narrower = RegistrationChange()
                narrower.scopes = ["openid"]
                for change in [change, secret, narrower] {
                    await #expect(throws: AdministrationError.self, "\(scope)") {
                        try await perform(ChangeApplication(id: other, registration: change), as: .operator)
                    }
                }
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(RemoveApplication(id: other), as: .operator)
                }
            }
        }
    }

    @Test
    func `What a user allowed a third party is asked again where its answers go to others, and not for a new secret`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let caller = AdministrationCaller.user(UserID(rawValue: "an operator"), .operator)
            func isAsked() async throws -> Bool {
                let reply = try await browser.authorize("dev-web")
                guard let location = reply.location, location.hasPrefix("/sign-in/consent") else {
                    #expect(reply.answer["code"] != nil, "\(reply.text)")
                    return false
                }
                return true
            }
            func allow() async throws {
                let asked = try await browser.authorize("dev-web")
                let flow = try #require(asked.answer["flow"])
                let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
                #expect(
                    try await server.realm.authorizations.answer(
                        .allow, to: FlowHandle(flow), in: key, session: browser.session?.id, by: .testAdministrator))
                #expect(try await browser.get("/authorize/continue?flow=\(flow)").answer["code"] != nil)
            }
            func change(_ change: RegistrationChange) async throws {
                try await server.advance(1)
                _ = try await ChangeApplication(id: "dev-web", registration: change).perform(
                    on: server.realm, as: caller, by: .testAdministrator)
                try await server.advance(1)
            }
            try await allow()
            #expect(try await !isAsked())

            var rotated = RegistrationChange()
            (rotated.secret, rotated.secretOverlap) = (SecretText("the next one of the same application"), 24)
            try await change(rotated)
            #expect(try await !isAsked(), "It is the same application with another secret.")
            var renamed = RegistrationChange()
            renamed.redirectURIs = ["http://127.0.0.1/callback", "http://localhost/callback", "http://127.0.0.1/new"]
            try await change(renamed)
            #expect(try await !isAsked(), "Another path of the same place.")

            var moved = RegistrationChange()
            moved.redirectURIs = (renamed.redirectURIs ?? []) + ["https://operator.example/callback"]
            try await change(moved)
            #expect(try await isAsked())
            try await allow()
            #expect(try await !isAsked(), "What is allowed now counts.")
            try await change(renamed)
            #expect(try await !isAsked(), "Fewer places are no others.")
        }
    }

    @Test
    func `An API has no scope that changes accounts, and says nothing of what one means`() async throws {
        try await TestServer.with(.development) { server in
            for scope in AdministrationRoutes.accountScopes.union([AdministrationRoutes.scope]).sorted() {
                let put = PutResource(
                    uri: "https://api.example.com", scopes: ["orders", scope],
                    scopeTexts: [scope: ["": "See how you look"]])
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await put.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
                }
            }
        }
    }
}
