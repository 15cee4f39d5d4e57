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
    func `An operator adds, changes and removes no application that changes accounts without consent`() async throws {
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
                // Users are asked for their consent to what another party does.
                own.isFirstParty = false
                let other = try await perform(AddApplication(registration: own), as: .operator).application.id
                change.redirectURIs = nil
                change.isFirstParty = true
                await #expect(throws: AdministrationError.self, "\(scope)") {
                    try await perform(ChangeApplication(id: other, registration: change), as: .operator)
                }
                _ = try await perform(RemoveApplication(id: other), as: .operator)
            }
        }
    }

    /// Each is allowed by itself, and the two together are not.
    @Test
    func `Two changes at the same time make no application that changes accounts without consent`() async throws {
        try await TestServer.with(.development) { server in
            let (realm, client) = (server.realm, ClientContext.testAdministrator)
            let caller = AdministrationCaller.user(UserID(rawValue: "an operator"), .operator)
            let ids = (0..<40).map { "shop\($0)" }
            for id in ids {
                _ = try await AddApplication(id: id, registration: RegistrationChange()).perform(
                    on: realm, as: caller, by: client)
            }
            var (scope, trust) = (RegistrationChange(), RegistrationChange())
            scope.scopes = ["openid", AccountAPI.scope]
            trust.isFirstParty = true
            let changes = [scope, trust]
            await withTaskGroup(of: Void.self) { group in
                for id in ids {
                    for change in changes {
                        group.addTask {
                            _ = try? await ChangeApplication(id: id, registration: change).perform(
                                on: realm, as: caller, by: client)
                        }
                    }
                }
            }
            let made = try await realm.applications.applications(limit: 100).filter { ids.contains($0.id.rawValue) }
            #expect(made.count == ids.count)
            for application in made {
                let (scopes, isTrusted) = (
                    application.registration.scopes, application.registration.oauth.isFirstParty
                )
                #expect(scopes.contains(AccountAPI.scope) != isTrusted, "\(application.id): one of the two is refused.")
            }
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
