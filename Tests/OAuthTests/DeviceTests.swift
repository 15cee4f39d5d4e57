import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Devices without a browser (RFC 8628).
@Suite("The device grant")
struct DeviceTests {
    private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    private func begin(_ server: TestServer, _ more: [String: String] = [:]) async throws -> JSON {
        let reply = try await server.form(
            "/oauth/device/code",
            ["client_id": "dev-native", "scope": "openid offline_access"].merging(more) { $1 })
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    private func poll(_ server: TestServer, _ code: JSON, _ more: [String: String] = [:]) async throws -> Reply {
        try await server.form(
            "/oauth/token",
            ["grant_type": Self.grant, "device_code": code.text ?? "", "client_id": "dev-native"].merging(more) { $1 })
    }

    private func decide(_ server: TestServer, _ code: JSON, _ isAllowed: Bool) async throws {
        var browser = Browser(server)
        try await browser.signIn()
        let session = try #require(browser.session)
        let typed = (code.text ?? "").lowercased().replacing("-", with: " ")
        let lookup = try await server.realm.deviceAuthorizations.pending(
            userCode: typed, of: session.userID, by: .testAdministrator)
        guard case .found(let pending) = lookup else { throw Unexpected(what: "\(lookup)") }
        #expect(pending.application.id.rawValue == "dev-native" && pending.userCode == code.text)
        #expect(
            try await server.realm.deviceAuthorizations.decide(
                isAllowed, pending.id, session: session.id, of: session.userID, by: .testAdministrator) == .done)
        #expect(
            try await server.realm.deviceAuthorizations.decide(
                !isAllowed, pending.id, session: session.id, of: session.userID, by: .testAdministrator) == .unknown)
        // The same form again, as by a double click, is answered the same, and is no wrong code.
        for _ in 0..<10 {
            #expect(
                try await server.realm.deviceAuthorizations.decide(
                    isAllowed, pending.id, session: session.id, of: session.userID, by: .testAdministrator) == .done)
        }
    }

    @Test
    func `A device may send its name with an empty password, and an application with a secret may not`() async throws {
        try await TestServer.with(.development) { server in
            func begin(_ name: String) async throws -> Reply {
                try await server.form(
                    "/oauth/device/code", ["client_id": name, "scope": "openid"],
                    headers: [.authorization: "Basic \(Data("\(name):".utf8).base64EncodedString())"])
            }
            #expect(try await begin("dev-native").status == 200)
            for name in ["dev-web", "unknown"] {
                let refused = try await begin(name)
                #expect(refused.status == 401 && refused.json["error"] == "invalid_client")
                #expect(refused.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
            }
        }
    }

    @Test
    func `A device waits, is told to slow down, and gets its tokens once: pocket-id 6bd058ac`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let begun = try await begin(server)
            #expect(begun["expires_in"] == 600 && begun["interval"] == 5)
            #expect(begun["verification_uri"] == "http://127.0.0.1:8080/activate")
            let code = begun["device_code"]
            #expect(try await poll(server, code).json["error"] == "authorization_pending")
            #expect(try await poll(server, code).json["error"] == "slow_down")
            try await server.advance(11)
            #expect(try await poll(server, code).json["error"] == "authorization_pending")
            try await decide(server, begun["user_code"], true)
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await poll(server, code) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            let good = replies.filter { $0.status == 200 }
            #expect(good.count == 1)
            #expect(replies.filter { $0.status != 200 }.allSatisfy { $0.json["error"] == "invalid_grant" })
            let tokens = try #require(good.first).json
            #expect(try await server.userInfo(tokens["access_token"]).status == 200)
            #expect(tokens["refresh_token"].text != nil)
        }
    }

    @Test
    func `A device whose user says no, or whose time is over, learns it`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let denied = try await begin(server)
            try await decide(server, denied["user_code"], false)
            #expect(try await poll(server, denied["device_code"]).json["error"] == "access_denied")
            let late = try await begin(server)
            try await server.advance(601)
            #expect(try await poll(server, late["device_code"]).json["error"] == "expired_token")
        }
    }

    @Test
    func `What a device was allowed does not come back with a user who was disabled and is enabled again`() async throws
    {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let begun = try await begin(server)
            try await decide(server, begun["user_code"], true)
            for isDisabled in [true, false] {
                var change = AccountChange()
                change.isDisabled = isDisabled
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            }
            let reply = try await poll(server, begun["device_code"])
            #expect(reply.status == 400 && reply.json["error"] == "access_denied", "\(reply.text)")
            #expect(try await server.realm.grants.list(of: user).isEmpty)
        }
    }

    @Test
    func `A device names several APIs, and each token is for one`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let other = Resource(uri: "https://other.example", scopes: [.init(name: "secrets")])
            #expect(try await server.realm.resources.put(other, by: .testAdministrator) == .done)
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.oauth.resources.append("https://other.example")
                $0.scopes.append("secrets")
            }
            let fields = Browser.query(["client_id": "dev-native", "scope": "openid api secrets"])
            let uris = ["http://127.0.0.1/api", "https://other.example"].map { Browser.query(["resource": $0]) }
            let begun = try await server.send(
                .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(([fields] + uris).joined(separator: "&").utf8))
            #expect(begun.status == 200, "\(begun.text)")
            try await decide(server, begun.json["user_code"], true)
            let code = begun.json["device_code"]
            #expect(try await poll(server, code).json["error"] == "invalid_target")
            let tokens = try await poll(server, code, ["resource": "https://other.example"])
            #expect(tokens.json["access_token"].claims["aud"] == "https://other.example", "\(tokens.text)")
            #expect(tokens.json["scope"] == "openid secrets")
        }
    }

    @Test
    func `A device gets nothing where its user took back what it was allowed, and signs in anew`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let begun = try await begin(server)
            try await decide(server, begun["user_code"], true)
            _ = try await server.realm.consents.revoke(
                ClientID(rawValue: "dev-native"), of: user, by: .testAdministrator)
            for _ in 0..<2 {
                #expect(try await poll(server, begun["device_code"]).json["error"] == "access_denied")
            }
            let again = try await begin(server)
            try await decide(server, again["user_code"], true)
            #expect(try await poll(server, again["device_code"]).status == 200)
        }
    }

    /// OpenAM CVE-2026-123542.
    @Test
    func `A proof key that came with the request is demanded with the code`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let begun = try await begin(
                server, ["code_challenge": Browser.proofKey.challenge, "code_challenge_method": "S256"])
            try await decide(server, begun["user_code"], true)
            #expect(try await poll(server, begun["device_code"]).json["error"] == "invalid_grant")
            let short = try await poll(server, begun["device_code"], ["code_verifier": "short"])
            #expect(short.json["error"] == "invalid_request", "\(short.text)")
            let right = ["code_verifier": Browser.proofKey.verifier]
            #expect(try await poll(server, begun["device_code"], right).status == 200)
            let challenge = Browser.proofKey.challenge
            for half in [
                ["code_challenge_method": "S256"], ["code_challenge": challenge],
                ["code_challenge": challenge, "code_challenge_method": "plain"],
                ["code_challenge": "short", "code_challenge_method": "S256"],
            ] {
                let refused = try await server.form(
                    "/oauth/device/code", ["client_id": "dev-native", "scope": "openid"].merging(half) { $1 })
                #expect(refused.json["error"] == "invalid_request", "\(half): \(refused.text)")
            }
        }
    }

    @Test
    func `A poll that asks for what was not approved leaves the code as good as before, and no grant`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let begun = try await begin(server)
            try await decide(server, begun["user_code"], true)
            let wrong = try await poll(server, begun["device_code"], ["resource": "http://127.0.0.1/other"])
            #expect(wrong.json["error"] == "invalid_target", "\(wrong.text)")
            let wide = try await poll(server, begun["device_code"], ["scope": "openid api"])
            #expect(wide.json["error"] == "invalid_scope", "\(wide.text)")
            #expect(try await server.realm.grants.list(of: user).isEmpty)
            #expect(try await poll(server, begun["device_code"]).status == 200)
            #expect(try await poll(server, begun["device_code"]).json["error"] == "invalid_grant")
        }
    }

    @Test
    func `A request that nothing but phr would meet is refused, as the user is at another device`() async throws {
        try await TestServer.with(.development) { server in
            for values in ["phr", "phrh", "phr phrh", "else phr"] {
                let reply = try await server.form(
                    "/oauth/device/code", ["client_id": "dev-native", "scope": "openid", "acr_values": values])
                #expect(reply.status == 400, "\(values): \(reply.text)")
                #expect(reply.json["error"] == "unmet_authentication_requirements", "\(values): \(reply.text)")
            }
            for values in ["phr aal2", "aal1 phr", "else", "aal2"] {
                #expect(try await begin(server, ["acr_values": values])["user_code"].text != nil, "\(values)")
            }
        }
    }

    @Test
    func `A device is allowed by two factors where they are the first class asked for that can be given`() async throws
    {
        let expected: [(values: String, decision: DeviceAuthorizations.Decision)] = [
            ("aal2", .needsSecondFactor), ("phr aal2", .needsSecondFactor), ("else aal2 aal1", .needsSecondFactor),
            ("phr aal1 aal2", .done), ("else", .done),
        ]
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let session = try #require(browser.session)
            for (values, decision) in expected {
                let begun = try await begin(server, ["acr_values": values])
                let lookup = try await server.realm.deviceAuthorizations.pending(
                    userCode: begun["user_code"].text ?? "", of: session.userID, by: .testAdministrator)
                guard case .found(let pending) = lookup else { throw Unexpected(what: "\(lookup)") }
                let made = try await server.realm.deviceAuthorizations.decide(
                    true, pending.id, session: session.id, of: session.userID, by: .testAdministrator)
                #expect(made == decision, "\(values)")
            }
        }
    }

    @Test
    func `Another application's device code is unknown, as is a device code without the grant`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let begun = try await begin(server)
            try await decide(server, begun["user_code"], true)
            let other = try await server.form(
                "/oauth/device/code", ["scope": "openid"], headers: TestServer.devWeb)
            #expect(other.json["error"] == "unauthorized_client")
            let stolen = try await poll(server, begun["device_code"], ["client_id": "dev-app"])
            #expect(stolen.status == 400)
            #expect(try await poll(server, begun["device_code"]).status == 200)
        }
    }

    @Test
    func `Five wrong user codes in ten minutes are looked up, and no more`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let begun = try await begin(server)
            func look(_ code: String) async throws -> DeviceAuthorizations.Lookup {
                try await server.realm.deviceAuthorizations.pending(
                    userCode: code, of: user, by: .testAdministrator)
            }
            for _ in 0..<5 {
                guard case .unknown = try await look("BBBB-BBBB") else { throw Unexpected(what: "found") }
            }
            guard case .limited = try await look(begun["user_code"].text ?? "") else { throw Unexpected(what: "found") }
            try await server.advance(600)
            guard case .unknown = try await look(begun["user_code"].text ?? "") else {
                throw Unexpected(what: "The code is over by then.")
            }
        }
    }
}
