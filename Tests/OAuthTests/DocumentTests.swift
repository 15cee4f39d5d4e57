import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// What every client reads alike, and how a browser is led out.
@Suite("Documents for every origin, and other spellings of signing out")
struct DocumentTests {
    @Test
    func `Documents allow every origin in an answer that caches may share, and authorize allows none`() async throws {
        try await TestServer.with(.development) { server in
            let origin = try #require(HTTPField.Name("Access-Control-Allow-Origin"))
            let asked = try #require(HTTPField.Name("Access-Control-Request-Method"))
            let from: HTTPFields = [.origin: "https://app.example"]
            for path in [
                "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
                "/.well-known/jwks.json",
            ] {
                for headers in [from, [:]] {
                    let reply = try await server.send(.get, path, headers: headers)
                    #expect(reply.status == 200 && reply.headers[origin] == "*", "\(path)")
                    #expect(reply.headers[.vary]?.contains("Origin") != true, "\(path)")
                }
                let preflight = try await server.send(
                    .options, path, headers: [.origin: "https://app.example", asked: "GET"])
                #expect(preflight.status == 204 && preflight.headers[origin] == "*")
            }
            #expect(try await server.send(.get, "/userinfo", headers: from).headers[origin] == "https://app.example")
            #expect(try await server.send(.get, "/authorize", headers: from).headers[origin] == nil)
        }
    }

    @Test
    func `Auth0's address for signing out leads to the registered addresses alone`() async throws {
        try await TestServer.with(.development) { server in
            var registration = ApplicationRegistration(scopes: ["openid"])
            registration.oauth.kind = .web
            registration.oauth.postLogoutRedirectURIs = ["https://shop.example/bye"]
            try await server.add("shop", registration)
            func end(_ query: String) async throws -> String? {
                var browser = Browser(server)
                let first = try await browser.get("/v2/logout\(query)")
                #expect(first.status == 303)
                let target = try #require(first.headers[.location])
                return try await browser.get(target).headers[.location]
            }
            #expect(
                try await end("?client_id=shop&returnTo=https%3A%2F%2Fshop.example%2Fbye")
                    == "https://shop.example/bye")
            for query in [
                "", "?returnTo=https%3A%2F%2Fshop.example%2Fbye",
                "?client_id=other&returnTo=https%3A%2F%2Fshop.example%2Fbye",
                "?client_id=shop&returnTo=https%3A%2F%2Fevil.example%2F",
                "?client_id=shop&returnTo=https%3A%2F%2Fshop.example%2Fbye%26x",
            ] {
                #expect(try await end(query) == "/signed-out", "\(query)")
            }
        }
    }

    @Test
    func `Signing out speaks the language that the application asks for`() async throws {
        try await TestServer.with(.development) { server in
            var browser = Browser(server)
            // A space parts them whatever follows it, and sixteen are looked at.
            let (fifteen, sixteen) = (String(repeating: "xx%20", count: 15), String(repeating: "xx%20", count: 16))
            for (asked, language) in [
                ("xx%20de", "de"), ("de%20%CC%81ja", "de"), (fifteen + "ja", "ja"), (sixteen + "ja", "en"),
            ] {
                let ended = try await browser.get("/oidc/logout?ui_locales=\(asked)")
                let page = try await browser.get(try #require(ended.headers[.location]))
                #expect(page.status == 200 && page.text.contains("<html lang=\"\(language)\""), "\(asked)")
            }
            _ = try await server.addUser()
            try await browser.signIn()
            let asked = try await browser.get("/oidc/logout?ui_locales=ja")
            let confirm = try await browser.get(try #require(asked.headers[.location]))
            #expect(confirm.status == 200 && confirm.text.contains("<html lang=\"ja\""))
        }
    }

    @Test
    func `A server with a name of its own shows no page under loopback's`() async throws {
        try await TestServer.with(publicURLs: ["https://login.example.com"]) { server in
            let page = try await server.send(.get, "/sign-in")
            #expect(page.status == 421)
            let document = try await server.send(.get, "/.well-known/openid-configuration")
            #expect(document.status == 200)
        }
        try await TestServer.with { server in
            let page = try await server.send(.get, "/sign-in")
            #expect(page.status == 200)
        }
    }

    @Test
    func
        `No mail names the host of a request, and no page answers by it: GHSA-2wmj-46rj-qm2w, CVE-2026-29067, CVE-2026-26747`()
        async throws
    {
        try await TestServer.with(publicURLs: ["https://login.example.com"]) { server in
            _ = try await server.addUser()
            let hosts: [HTTPFields] = [
                [:], [.known("X-Forwarded-Host"): "evil.example"],
                [.known("Forwarded"): "host=evil.example;proto=https"],
                [.known("X-Original-Host"): "evil.example", .known("X-Host"): "evil.example"],
            ]
            for headers in hosts {
                // Programs may ask by whatever name.
                let asked = try await server.post(
                    "/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.org"],
                    headers: headers)
                #expect(asked.status == 200, "\(asked.text)")
                let page = try await server.send(.get, "/forgot", headers: headers)
                #expect(page.status == 421 && page.headers[.setCookie] == nil)
            }
            let links = try await server.realm.outbox.messages().compactMap { $0.content.values["link"] }
            #expect(links.count == hosts.count)
            // A path below the public address, and nothing before it.
            for link in links { #expect(link.hasPrefix("auth/action?") && !link.contains("evil"), "\(link)") }
        }
    }

    @Test
    func `The metadata names the operator's documents where they are set, and nothing where they are not`() async throws
    {
        try await TestServer.with(.development) { server in
            func metadata() async throws -> JSON {
                try await server.send(.get, "/.well-known/openid-configuration").json
            }
            let before = try await metadata()
            for name in ["op_policy_uri", "op_tos_uri", "service_documentation"] { #expect(before[name] == .null) }
            _ = try await server.realm.changeSettings(by: .testAdministrator) {
                $0.oauth.policyURI = "https://id.example.com/policy"
                $0.oauth.termsURI = "https://id.example.com/terms"
                $0.oauth.documentationURI = "https://id.example.com/docs"
            }
            let after = try await metadata()
            #expect(after["op_policy_uri"] == "https://id.example.com/policy")
            #expect(after["op_tos_uri"] == "https://id.example.com/terms")
            #expect(after["service_documentation"] == "https://id.example.com/docs")
        }
    }

    @Test
    func `The phone number of a user is told where the scope phone was granted`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var change = AccountChange()
            change.phoneNumber = "+15555550100"
            _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            var registration = ApplicationRegistration(
                redirectURIs: [Browser.callback], scopes: ["openid", "phone"])
            registration.oauth.kind = .native
            registration.oauth.isFirstParty = true
            try await server.add("calls", registration)
            var browser = Browser(server)
            try await browser.signIn()
            for (scope, number) in [("openid phone", "+15555550100"), ("openid", nil)] {
                let code = try await browser.code("calls", ["scope": scope])
                let tokens = try await server.redeem(code, client: "calls").json
                #expect(try await server.userInfo(tokens["access_token"]).json["phone_number"].text == number)
            }
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            guard case .array(let scopes) = metadata["scopes_supported"] else { throw Unexpected(what: "\(metadata)") }
            #expect(scopes.contains("phone"))
        }
    }

    /// OpenID Connect Core 1.0, section 5.1.1.
    @Test
    func `The postal address of a user is told where the scope address was granted, as far as it is known`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var registration = ApplicationRegistration(
                redirectURIs: [Browser.callback], scopes: ["openid", "address"])
            registration.oauth.kind = .native
            registration.oauth.isFirstParty = true
            try await server.add("sends", registration)
            var browser = Browser(server)
            try await browser.signIn()
            func told(_ scope: String, _ changes: [String: String?] = [:]) async throws -> JSON {
                let code = try await browser.code("sends", ["scope": scope].merging(changes) { $1 })
                let tokens = try await server.redeem(code, client: "sends").json
                #expect(tokens["id_token"].claims["address"] == .null || !changes.isEmpty)
                return changes.isEmpty
                    ? try await server.userInfo(tokens["access_token"]).json["address"]
                    : tokens["id_token"].claims["address"]
            }
            #expect(try await told("openid address") == .null, "Nothing is known.")
            var change = AccountChange()
            change.attributes = [
                "streetAddress": "12 St James's Square", "city": "London", "postalCode": "", "country": "GB",
                "jobTitle": "Countess",
            ]
            _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            let address: JSON = ["street_address": "12 St James's Square", "locality": "London", "country": "GB"]
            #expect(try await told("openid address") == address)
            #expect(try await told("openid") == .null)
            let claims = #"{"id_token":{"address":null}}"#
            #expect(try await told("openid address", ["claims": claims]) == address)
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(metadata["scopes_supported"].elements.contains("address"))
            #expect(metadata["claims_supported"].elements.contains("address"))
        }
    }
}
