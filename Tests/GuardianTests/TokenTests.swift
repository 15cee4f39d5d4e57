import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Tokens of this dialect, and where their keys are")
struct TokenTests {
    private static let administrator = ClientContext(
        clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)

    private func part(_ token: JSON, _ index: Int) throws -> JSON {
        let parts = try #require(token.text).split(separator: ".")
        return try JSON(parsing: #require([UInt8](base64URL: parts[index])))
    }

    private func set(_ server: TestServer, _ change: @escaping @Sendable (inout TokenSettings) -> Void) async throws {
        // It holds at the next request: no time passes.
        try await server.realm.changeSettings(by: Self.administrator, details: [:]) { change(&$0.tokens) }
    }

    private func keyTypes(_ server: TestServer, _ path: String) async throws -> Set<String> {
        let keys = try await server.send(.get, path).json["keys"].elements
        #expect(!keys.isEmpty)
        return Set(keys.compactMap { $0["kty"].text })
    }

    @Test
    func `Tokens are signed with RS256, and with what an administrator says`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            func algorithms() async throws -> [String?] {
                let tokens = try await server.passwordGrant().json
                return try [tokens["access_token"], tokens["id_token"]].map { try part($0, 0)["alg"].text }
            }
            #expect(try await algorithms() == ["RS256", "RS256"])
            try await set(server) { $0.algorithm = .es256 }
            #expect(try await algorithms() == ["RS256", "RS256"])
            try await set(server) { $0.algorithms["guardian"] = .es256 }
            #expect(try await algorithms() == ["ES256", "ES256"])
        }
    }

    @Test
    func `An application whose tokens have to be bound to a key gets none of this protocol`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let tokens = try await server.passwordGrant().json
            func refresh(_ token: JSON) async throws -> JSON {
                try await server.oauth(["grant_type": "refresh_token", "refresh_token": token]).json["error"]
            }
            let id = ClientID(rawValue: server.key)
            _ = try await server.realm.applications.change(id, by: Self.administrator) { $0.oauth.requiresDPoP = true }
            let refused = try await server.passwordGrant()
            #expect(refused.status == 400 && refused.json["error"] == "unauthorized_client", "\(refused.text)")
            #expect(try await refresh(tokens["refresh_token"]) == "unauthorized_client")
            #expect(try await refresh("unknown") == "invalid_grant")
            _ = try await server.realm.applications.change(id, by: Self.administrator) { $0.oauth.requiresDPoP = false }
            #expect(try await refresh(tokens["refresh_token"]) == .null)
        }
    }

    @Test
    func `A JWKS has every key, or only those that sign what is verified with it`() async throws {
        let google = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        try await TestServer.with { server in
            let all = ["/.well-known/jwks.json", google, "/common/discovery/v2.0/keys"]
            for path in all { #expect(try await keyTypes(server, path) == ["EC", "RSA"], "\(path)") }
            #expect(try await server.send(.get, "/v1/publicKeys").json.names.count == 2)
            try await set(server) { $0.publishedKeys = .used }
            for (path, types) in zip(all, [["RSA"], ["EC"], ["RSA"]] as [Set<String>]) {
                #expect(try await keyTypes(server, path) == types, "\(path)")
            }
            #expect(try await server.send(.get, "/v1/publicKeys").json.names.count == 1)
            // What OAuth signs is verified with the first too.
            let discovery = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(discovery["id_token_signing_alg_values_supported"] == ["RS256"])
            try await set(server) { $0.algorithms["oauth"] = .es256 }
            #expect(try await keyTypes(server, "/.well-known/jwks.json") == ["EC", "RSA"])
            try await set(server) { $0.algorithms["oauth"] = nil }
            // What the tokens are signed with follows.
            try await set(server) { $0.algorithms["guardian"] = .es256 }
            #expect(try await keyTypes(server, "/.well-known/jwks.json") == ["EC", "RSA"])
            _ = try await server.realm.keyring.rotate(by: Self.administrator)
            #expect(try await server.send(.get, google).json["keys"].elements.count == 2, "Retired keys stay.")
        }
    }

    @Test
    func `Discovery names the endpoints of OAuth, and what they take`() async throws {
        try await TestServer.with(publicURLs: ["https://login.example.com"]) { server in
            let base = "https://login.example.com"
            let document = try await server.send(.get, "/.well-known/openid-configuration").json
            let own: [String: JSON] = [
                "issuer": .string(base), "jwks_uri": .string("\(base)/.well-known/jwks.json"),
                "token_endpoint": .string("\(base)/oauth/token"),
                "userinfo_endpoint": .string("\(base)/userinfo"),
                "backchannel_authentication_endpoint": .string("\(base)/bc-authorize"),
                "backchannel_token_delivery_modes_supported": ["poll"],
                "backchannel_user_code_parameter_supported": false,
                "mfa_challenge_endpoint": .string("\(base)/mfa/challenge"),
                "id_token_signing_alg_values_supported": ["ES256", "RS256"],
            ]
            for (name, value) in own { #expect(document[name] == value, "\(name)") }
            for grant in [
                "password", "http://auth0.com/oauth/grant-type/password-realm", "refresh_token",
                "http://auth0.com/oauth/grant-type/mfa-otp", "http://auth0.com/oauth/grant-type/mfa-oob",
                "http://auth0.com/oauth/grant-type/mfa-recovery-code", "urn:openid:params:grant-type:ciba",
            ] {
                #expect(document["grant_types_supported"].elements.contains(.string(grant)), "\(grant)")
            }
            // Each grant that it names is one.
            let grants = try await server.send(.get, "/.well-known/openid-configuration").json["grant_types_supported"]
            for grant in grants.elements {
                let error = try await server.oauth(["grant_type": grant]).json["error"]
                #expect(error == "invalid_request" || error == "unauthorized_client", "\(grant)")
            }
        }
    }

    @Test
    func `userinfo tells what the scopes of an access token for it open, and takes no other token`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            _ = try await server.management(
                .patch, "users/\(user.replacingOccurrences(of: "|", with: "%7C"))", ["name": "Ada Lovelace"])
            func ask(_ token: JSON, _ method: HTTPRequest.Method = .get) async throws -> Reply {
                try await server.send(
                    method, "/userinfo", headers: [.authorization: "Bearer \(token.text ?? "")"])
            }
            let full = try await server.passwordGrant(scope: "openid profile email").json
            for method in [HTTPRequest.Method.get, .post] {
                let told = try await ask(full["access_token"], method)
                #expect(told.status == 200, "\(told.text)")
                #expect(
                    told.json == [
                        "sub": .string(user), "email": "ada@example.org", "email_verified": true,
                        "name": "Ada Lovelace",
                    ])
            }
            let bare = try await server.passwordGrant(scope: "openid").json
            #expect(try await ask(bare["access_token"]).json == ["sub": .string(user)])

            let without = try await ask(server.passwordGrant(scope: "email").json["access_token"])
            #expect(without.status == 403 && without.json["error"] == "insufficient_scope")
            #expect(without.headers[.wwwAuthenticate] == "Bearer error=\"insufficient_scope\"")
            let mfa = try await server.oauth([
                "grant_type": "password", "username": "ada@example.org", "password": .string(TestServer.password),
                "scope": "openid", "audience": "http://127.0.0.1:8080/mfa/",
            ]).json
            for other in [full["id_token"], mfa["access_token"], .string(server.adminToken), "x"] {
                let refused = try await ask(other)
                #expect(refused.status == 401 && refused.json["error"] == "invalid_token", "\(refused.text)")
                #expect(refused.headers[.wwwAuthenticate] == "Bearer error=\"invalid_token\"")
            }
            let unsent = try await ask("")
            #expect(unsent.status == 401 && unsent.headers[.wwwAuthenticate] == "Bearer", "\(unsent.text)")
            // Not after a revocation, and not when it is over.
            try await server.advance(3600)
            #expect(try await ask(full["access_token"]).status == 401)
            let fresh = try await server.passwordGrant().json["access_token"]
            #expect(try await ask(fresh).status == 200)
            _ = try await server.management(
                .patch, "users/\(user.replacingOccurrences(of: "|", with: "%7C"))", ["password": "difference engine"])
            #expect(try await ask(fresh).status == 401)
        }
    }
}
