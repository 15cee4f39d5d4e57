import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import PasskeyTestSupport
import ServerHTTP
import Testing

/// Passkeys without a page, in Auth0's spelling: sign-in at the token endpoint, and the user's own list.
@Suite("Passkeys over JSON")
struct PasskeyTests {
    private static let grant = "urn:okta:params:oauth:grant-type:webauthn"
    private static let methods = "/me/v1/authentication-methods"
    /// Of a server that develops: numeric addresses of this machine are `localhost`.
    private static let origin = "http://localhost:8080"
    private static let scope =
        "openid offline_access create:me:authentication_methods read:me:authentication_methods delete:me:authentication_methods"

    private func json(_ server: TestServer, _ path: String, _ body: JSON, token: String? = nil) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/json"]
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await server.send(.post, path, headers: headers, body: body.bytes)
    }

    private func options(_ json: JSON) throws -> Data { Data(json["authn_params_public_key"].bytes) }

    private func response(_ data: Data) throws -> JSON { try JSON(parsing: data) }

    /// An access token for the user's own account, of a sign-in by password.
    private func token(_ server: TestServer) async throws -> String {
        var browser = Browser(server)
        try await browser.signIn()
        let reply = try await server.redeem(try await browser.code("dev-native", ["scope": Self.scope]))
        return try #require(reply.json["access_token"].text, "\(reply.text)")
    }

    /// A passkey of the user of an access token.
    private func enrol(
        _ server: TestServer, _ token: String
    ) async throws -> (authenticator: SoftwareAuthenticator, method: JSON) {
        let begun = try await json(server, Self.methods, ["type": "passkey"], token: token)
        #expect(begun.status == 201, "\(begun.text)")
        let location = try #require(begun.headers[.location])
        let id = try #require(location.split(separator: "/").last.map(String.init))
        var authenticator = SoftwareAuthenticator(origin: Self.origin)
        let made = try authenticator.create(optionsJSON: options(begun.json))
        let verified = try await json(
            server, "\(Self.methods)/\(id)/verify",
            ["auth_session": begun.json["auth_session"], "authn_response": response(made), "name": "Terminal"],
            token: token)
        #expect(verified.status == 200, "\(verified.text)")
        return (authenticator, verified.json)
    }

    private func begin(_ server: TestServer, client: String = "dev-native") async throws -> Reply {
        try await json(server, "/passkey/challenge", ["client_id": .string(client)])
    }

    private func redeem(
        _ server: TestServer, _ session: JSON, _ response: JSON, _ more: JSON = [:], client: String = "dev-native"
    ) async throws -> Reply {
        var body: JSON = [
            "grant_type": .string(Self.grant), "client_id": .string(client), "auth_session": session,
            "authn_response": response,
        ]
        for name in more.names { body = body.with([name: more[name]]) }
        return try await json(server, "/oauth/token", body)
    }

    private func signIn(
        _ server: TestServer, _ authenticator: inout SoftwareAuthenticator, _ more: JSON = [:]
    ) async throws -> Reply {
        let begun = try await begin(server)
        #expect(begun.status == 200, "\(begun.text)")
        let answer = try authenticator.get(optionsJSON: options(begun.json))
        return try await redeem(server, begun.json["auth_session"], response(answer), more)
    }

    private func claims(_ token: JSON) throws -> JSON {
        let part = try #require(token.text?.split(separator: ".").dropFirst().first)
        return try JSON(parsing: try #require([UInt8](base64URL: part)))
    }

    // MARK: The story

    @Test
    func `A passkey is made with an access token, signs in for tokens of two factors, and is removed`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let token = try await token(server)
            var (authenticator, method) = try await enrol(server, token)
            #expect(method["type"] == "passkey" && method["relying_party_id"] == "localhost")
            #expect(method["key_id"] == .string(authenticator.credentialID.base64URL))
            #expect(method["credential_device_type"] == "single_device" && method["credential_backed_up"] == false)
            #expect(method["created_at"].text?.contains(/T\d\d:\d\d:\d\d\.\d\d\dZ$/) == true)

            let reply = try await signIn(server, &authenticator, ["scope": .string(Self.scope)])
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json["token_type"] == "Bearer" && reply.json["scope"] == .string(Self.scope))
            let identity = try claims(reply.json["id_token"])
            #expect(identity["amr"] == ["swk", "user", "mfa"] && identity["acr"] == "aal2")
            #expect(try await server.userInfo(reply.json["access_token"]).status == 200)
            #expect(try await server.refresh(reply.json["refresh_token"]).status == 200)

            // The word is told to whom it means something.
            let resistant = try await signIn(server, &authenticator, ["acr_values": "phrh phr aal2"])
            #expect(try claims(resistant.json["id_token"])["acr"] == "phr", "\(resistant.text)")

            let own = try #require(reply.json["access_token"].text)
            let headers: HTTPFields = [.authorization: "Bearer \(own)"]
            let listed = try await server.send(.get, Self.methods, headers: headers)
            let all = listed.json["authentication_methods"].elements
            #expect(all.map { $0["type"] }.contains("password"))
            let id = try #require(all.first { $0["type"] == "passkey" }?["id"].text)
            #expect(id == method["id"].text)
            let path = "\(Self.methods)/\(id.replacing("|", with: "%7C"))"
            #expect(try await server.send(.get, path, headers: headers).json["name"] == "Terminal")
            #expect(try await server.send(.delete, path, headers: headers).status == 204)
            #expect(try await server.send(.get, path, headers: headers).status == 404)
            #expect(try await signIn(server, &authenticator).json["error"] == "invalid_grant")
        }
    }

    private func register(_ server: TestServer, _ profile: JSON, client: String = "dev-native") async throws -> Reply {
        try await json(server, "/passkey/register", ["client_id": .string(client), "user_profile": profile])
    }

    @Test
    func `A passkey makes an account and its tokens, and the address gets a mail and is not proven`() async throws {
        try await TestServer.with(.development) { server in
            let profile: JSON = ["email": "new@example.com", "given_name": "Ada", "family_name": "Lovelace"]
            let begun = try await register(server, profile)
            #expect(begun.status == 200, "\(begun.text)")
            let parameters = begun.json["authn_params_public_key"]
            #expect(parameters["user"]["name"] == "new@example.com" && parameters["rp"]["id"] == "localhost")
            #expect(parameters["user"]["displayName"] == "Ada Lovelace")
            #expect(parameters["authenticatorSelection"]["residentKey"] == "required")
            var authenticator = SoftwareAuthenticator(origin: Self.origin)
            let made = try response(try authenticator.create(optionsJSON: options(begun.json)))
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await redeem(
                            server, begun.json["auth_session"], made, ["scope": "openid profile email offline_access"])
                    }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.json["error"] == "invalid_grant" })
            let tokens = try #require(replies.first { $0.status == 200 })
            #expect(try claims(tokens.json["id_token"])["acr"] == "aal2")
            let told = try await server.userInfo(tokens.json["access_token"]).json
            #expect(told["email"] == "new@example.com" && told["email_verified"] == false, "\(told)")
            #expect(told["name"] == "Ada Lovelace", "\(told)")
            #expect(try await server.refresh(tokens.json["refresh_token"]).status == 200)
            let mails = try await server.realm.outbox.messages()
            #expect(mails.count { $0.message.recipient == "new@example.com" } == 1)
            #expect(mails.last?.content.template == "verify-email")
            #expect(try await signIn(server, &authenticator).status == 200)

            let again = try await register(server, profile)
            #expect(again.status == 409 && again.json["error"] == "invalid_request", "\(again.text)")
        }
    }

    @Test
    func `What is no sign-up is refused, and its handle is good for nothing else`() async throws {
        try await TestServer.with(.development) { server in
            for profile: JSON in [
                nil, "x", [], [:], ["email": "x"], ["email": 5], ["phone_number": "+4930123456"], ["username": "ada"],
                ["email": "a@example.com", "username": "ada"],
                ["email": "a@example.com", "name": .string(String(repeating: "n", count: 300))],
            ] {
                let reply = try await register(server, profile)
                #expect(reply.status == 400 && reply.json["error"] == "invalid_request", "\(profile): \(reply.text)")
            }
            let profile: JSON = ["email": "new@example.com"]
            #expect(try await register(server, profile, client: "nobody").json["error"] == "invalid_client")
            let begun = try await register(server, profile)
            var authenticator = SoftwareAuthenticator(origin: Self.origin)
            let made = try response(try authenticator.create(optionsJSON: options(begun.json)))
            let session = begun.json["auth_session"]
            #expect(try await redeem(server, session, made, client: "dev-app").json["error"] == "invalid_grant")
            // An assertion is no registration, and the other way round.
            let challenge = try await begin(server)
            let assertion = try response(try authenticator.get(optionsJSON: options(challenge.json)))
            #expect(try await redeem(server, session, assertion).json["error"] == "invalid_grant")
            #expect(try await redeem(server, challenge.json["auth_session"], made).json["error"] == "invalid_grant")
            var wrong = SoftwareAuthenticator(origin: "http://localhost:8081")
            let other = try response(try wrong.create(optionsJSON: options(begun.json)))
            #expect(try await redeem(server, session, other).json["error"] == "invalid_grant")
            #expect(try await redeem(server, session, made).json["error"] == "invalid_grant", "It took its one answer.")
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.signUp.isOpen = false }
            #expect(try await register(server, profile).json["error"] == "access_denied")
        }
    }

    @Test
    func `A session by password alone changes nothing once there is a passkey`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let token = try await token(server)
            let (_, method) = try await enrol(server, token)
            #expect(try await json(server, Self.methods, ["type": "passkey"], token: token).status == 403)
            let path = "\(Self.methods)/\((method["id"].text ?? "").replacing("|", with: "%7C"))"
            let removal = try await server.send(.delete, path, headers: [.authorization: "Bearer \(token)"])
            #expect(removal.status == 403, "\(removal.text)")
            #expect(removal.headers[.contentType] == "application/problem+json")
        }
    }

    @Test
    func `Who has a passkey administers by it alone, over HTTP as in the console`() async throws {
        try await TestServer.with(.development) { server in
            let (user, totp) = try await AdministrationAccessTests.prepare(server)
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .testAdministrator)
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.scopes.append("create:me:authentication_methods")
            }
            let two = try await AdministrationAccessTests.tokens(
                server, totp, scope: "openid admin create:me:authentication_methods")["access_token"]
            #expect(try await AdministrationAccessTests.post(server, "users:list", two).status == 200, "There is none.")

            var (authenticator, _) = try await enrol(server, try #require(two.text))
            let refused = try await AdministrationAccessTests.post(server, "users:list", two)
            #expect(refused.status == 401, "\(refused.text)")
            let challenge = refused.headers[.wwwAuthenticate] ?? ""
            #expect(
                challenge.contains(#"error="insufficient_user_authentication""#)
                    && challenge.contains(#"acr_values="phr""#), "\(challenge)")

            let resistant = try await signIn(server, &authenticator, ["scope": "openid admin", "acr_values": "phr"])
            let opened = try await AdministrationAccessTests.post(
                server, "users:list", resistant.json["access_token"])
            #expect(opened.status == 200, "\(resistant.text) \(opened.text)")
        }
    }

    // MARK: What is bound

    @Test
    func `A challenge takes one answer, of the application that asked`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var (authenticator, _) = try await enrol(server, try await token(server))
            let begun = try await begin(server)
            let answer = try response(try authenticator.get(optionsJSON: options(begun.json)))
            let session = begun.json["auth_session"]
            #expect(try await redeem(server, session, answer, client: "dev-app").json["error"] == "invalid_grant")
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await redeem(server, session, answer) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.json["error"] == "invalid_grant" })

            // A wrong answer uses the challenge up as well.
            let second = try await begin(server)
            let right = try response(try authenticator.get(optionsJSON: options(second.json)))
            var wrong = authenticator
            wrong.origin = "http://localhost:8081"
            let other = try response(try wrong.get(optionsJSON: options(second.json)))
            #expect(try await redeem(server, second.json["auth_session"], other).json["error"] == "invalid_grant")
            #expect(try await redeem(server, second.json["auth_session"], right).json["error"] == "invalid_grant")
            // The answer to one challenge is none to another.
            let third = try await begin(server)
            #expect(try await redeem(server, third.json["auth_session"], right).json["error"] == "invalid_grant")
        }
    }

    /// An answer that was lost on its way is asked for again, under the name of the first request (docs/decisions/0376).
    @Test
    func `A request that comes again gets what it got, and nothing that it did not ask for before`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var (authenticator, _) = try await enrol(server, try await token(server))
            let others: [JSON] = [["scope": .string(Self.scope)], ["acr_values": "phr"], ["scope": "openid"]]
            for other in others {
                let begun = try await begin(server)
                let answer = try response(try authenticator.get(optionsJSON: options(begun.json)))
                let headers: HTTPFields = [
                    .contentType: "application/json", .known("client-request-id"): UUID().uuidString,
                ]
                var body: JSON = [
                    "grant_type": .string(Self.grant), "client_id": "dev-native",
                    "auth_session": begun.json["auth_session"], "authn_response": answer,
                    "scope": "openid offline_access",
                ]
                func send(_ body: JSON) async throws -> Reply {
                    // From one address: another's request is another one.
                    try await server.send(.post, "/oauth/token", headers: headers, body: body.bytes, from: "192.0.2.7")
                }
                let first = try await send(body)
                #expect(first.json["scope"] == "openid offline_access", "\(first.text)")
                let again = try await send(body)
                #expect(again.json["refresh_token"] == first.json["refresh_token"], "\(again.text)")
                for name in other.names { body = body.with([name: other[name]]) }
                let asked = try await send(body)
                #expect(asked.json["error"] == "invalid_grant", "\(asked.text)")
            }
        }
    }

    /// The challenge of options, as text.
    private func challenge(_ begun: Reply) -> JSON { begun.json["authn_params_public_key"]["challenge"] }

    @Test
    func `The handle is another random value than the challenge, and both have to be of one attempt`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let token = try await token(server)
            let begun = [
                try await begin(server), try await register(server, ["email": "new@example.com"]),
                try await json(server, Self.methods, ["type": "passkey"], token: token),
            ]
            for reply in begun {
                let (handle, asked) = (
                    try #require(reply.json["auth_session"].text), try #require(challenge(reply).text)
                )
                #expect(handle != asked && handle.count == 43 && asked.count == 43, "\(reply.text)")
            }
            var (authenticator, _) = try await enrol(server, token)
            let (first, second) = (try await begin(server), try await begin(server))
            let answer = try response(try authenticator.get(optionsJSON: options(first.json)))
            // The challenge is no handle, and another attempt's handle has another challenge.
            #expect(try await redeem(server, challenge(first), answer).json["error"] == "invalid_grant")
            #expect(try await redeem(server, second.json["auth_session"], answer).json["error"] == "invalid_grant")
            #expect(try await redeem(server, first.json["auth_session"], answer).status == 200)
        }
    }

    @Test
    func `Handles of enrolling and of signing in do not cross, nor do two users'`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let token = try await token(server)
            var (authenticator, _) = try await enrol(server, token)
            let strong = try await signIn(server, &authenticator, ["scope": .string(Self.scope)])
            let own = try #require(strong.json["access_token"].text)
            let enrolment = try await json(server, Self.methods, ["type": "passkey"], token: own)
            #expect(enrolment.status == 201, "\(enrolment.text)")
            let answer = try response(try authenticator.get(optionsJSON: options(try await begin(server).json)))
            #expect(
                try await redeem(server, enrolment.json["auth_session"], answer).json["error"] == "invalid_grant")
            var second = SoftwareAuthenticator(origin: Self.origin)
            let made = try response(try second.create(optionsJSON: options(enrolment.json)))
            let begun = try await begin(server)
            for session in [begun.json["auth_session"], "made-up", ""] {
                let reply = try await json(
                    server, "\(Self.methods)/passkey_new/verify",
                    ["auth_session": session, "authn_response": made], token: own)
                #expect(reply.status == 404 || reply.status == 400, "\(reply.text)")
            }
        }
    }

    // MARK: The audience of the user's own list

    @Test
    func `A token that is asked for the user's own list is for that alone, and goes on being for it`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var (authenticator, _) = try await enrol(server, try await token(server))
            let audience = "http://127.0.0.1:8080/me/"
            func opens(_ token: JSON) async throws -> [Int] {
                let headers: HTTPFields = [.authorization: "Bearer \(token.text ?? "")"]
                return [
                    try await server.send(.get, Self.methods, headers: headers).status,
                    try await server.userInfo(token).status,
                ]
            }
            // As the vendor's libraries ask, and as RFC 8707 has it.
            let vendor = try await signIn(
                server, &authenticator, ["scope": .string(Self.scope), "audience": .string(audience)])
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["scope": Self.scope, "resource": audience])
            for reply in [vendor, try await server.redeem(code)] {
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.json["access_token"].claims["aud"] == .string(audience))
                #expect(try await opens(reply.json["access_token"]) == [200, 401])
                let refreshed = try await server.refresh(reply.json["refresh_token"])
                #expect(refreshed.json["access_token"].claims["aud"] == .string(audience), "\(refreshed.text)")
                let other = try await server.refresh(
                    refreshed.json["refresh_token"], ["resource": "http://127.0.0.1:8080"])
                #expect(other.json["error"] == "invalid_target", "\(other.text)")
            }
            // A token for the server itself opens both, and the scope is asked for with each.
            for named in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/userinfo"] {
                let reply = try await signIn(
                    server, &authenticator, ["scope": .string(Self.scope), "audience": .string(named)])
                #expect(reply.json["access_token"].claims["aud"] == "http://127.0.0.1:8080", "\(reply.text)")
                #expect(try await opens(reply.json["access_token"]) == [200, 200])
            }
            let plain = try await signIn(
                server, &authenticator, ["scope": "openid", "audience": .string(audience)])
            #expect(try await opens(plain.json["access_token"]) == [403, 401])
            let foreign = try await signIn(
                server, &authenticator, ["scope": "openid", "audience": "http://127.0.0.1:8080/me/v1/"])
            #expect(foreign.json["error"] == "invalid_target", "\(foreign.text)")
        }
    }

    // MARK: Malformed input

    @Test
    func `What is malformed is refused in the words of its endpoint`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let token = try await token(server)
            let session = try await begin(server).json["auth_session"]
            let good: JSON = ["clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "AAAA"]
            for response: JSON in [
                nil, "x", 5, [], [:], ["response": "x"], ["response": [:]], ["response": good],
                ["id": 5, "response": good],
                ["id": "AA", "rawId": "AB", "type": "public-key", "response": good],
                ["id": "AA", "rawId": "AA", "type": "password", "response": good],
                [
                    "id": "AA", "rawId": "AA", "type": "public-key",
                    "response": ["clientDataJSON": .string(String(repeating: "A", count: 60_000))],
                ],
            ] {
                let reply = try await redeem(server, session, response)
                #expect(reply.status == 400, "\(response) \(reply.text)")
                #expect(["invalid_request", "invalid_grant"].contains(reply.json["error"].text ?? ""), "\(reply.text)")
                let verify = try await json(
                    server, "\(Self.methods)/passkey_new/verify",
                    ["auth_session": session, "authn_response": response], token: token)
                #expect((400..<500).contains(verify.status), "\(verify.text)")
            }
            #expect(try await redeem(server, 5, ["response": good]).json["error"] == "invalid_request")
            #expect(try await begin(server, client: "nobody").json["error"] == "invalid_client")
            #expect(try await begin(server, client: "dev-app").status == 200)
            let thirdParty = try await server.send(
                .post, "/passkey/challenge",
                headers: [
                    .contentType: "application/json", .authorization: try #require(TestServer.devWeb[.authorization]),
                ], body: Array("{}".utf8))
            #expect(thirdParty.json["error"] == "unauthorized_client", "\(thirdParty.text)")
            for type: JSON in ["totp", 5, nil, []] {
                #expect(try await json(server, Self.methods, ["type": type], token: token).status == 400)
            }
            let strangers: [(token: String?, word: String)] = [(nil, "unauthorized"), ("x", "invalid_token")]
            for stranger in strangers {
                let reply = try await json(server, Self.methods, ["type": "passkey"], token: stranger.token)
                #expect(reply.status == 401 && reply.json["title"] == "Unauthorized", "\(reply.text)")
                #expect(reply.headers[.contentType] == "application/problem+json")
                #expect(reply.json["error"].text == stranger.word && reply.json["detail"].text != nil, "\(reply.text)")
                #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
            }
            var browser = Browser(server)
            try await browser.signIn()
            let plain = try await server.redeem(try await browser.code()).json["access_token"].text
            let refused = try await json(server, Self.methods, ["type": "passkey"], token: plain)
            #expect(refused.status == 403 && refused.json["error"] == "insufficient_scope", "\(refused.text)")
        }
    }
}
