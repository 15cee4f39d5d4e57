import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

/// Users with a role at `/admin/v1`, by access tokens (RFC 6750; RFC 9470).
@Suite("Administration by users")
struct AdministrationAccessTests {
    static func post(_ server: TestServer, _ name: String, _ token: JSON, _ body: JSON = [:]) async throws
        -> Reply
    {
        try await server.send(
            .post, "/admin/v1/\(name)",
            headers: [.authorization: "Bearer \(token.text ?? "")", .contentType: "application/json"], body: body.bytes)
    }

    /// Tokens of a session that was proven with password and authenticator.
    static func tokens(_ server: TestServer, _ totp: TOTP, scope: String = "openid admin") async throws -> JSON {
        let client = ClientContext(
            clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let address = try #require(EmailAddress("ada@example.org"))
        let first = try await server.realm.authenticator.answer(
            .password(Secret(TestServer.password)),
            to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
        guard case .more(let more) = first else { throw Unexpected(what: "\(first)") }
        let verdict = try await server.realm.authenticator.answer(
            .code(Secret(totp.code(at: server.now).stringCode), factor: nil),
            to: .flow(more.handle, FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.oauth)])), by: client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
        var browser = Browser(server)
        browser.cookies["__Host-cs_session"] = try #require(
            await server.realm.sessions.begin(inBrowser: signedIn)
        ).token.reveal()
        try await server.advance(30)
        return try await server.redeem(try await browser.code("dev-native", ["scope": scope])).json
    }

    static func prepare(_ server: TestServer) async throws -> (User, TOTP) {
        let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
        let user = try #require(try await server.realm.accounts.user(id))
        _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
            $0.scopes = ["openid", "email", "offline_access", "admin"]
        }
        return (user, try await server.authenticator(of: user))
    }

    /// An owner whom an application may administer for, and who has given one factor.
    private static func ownerWithPassword(_ server: TestServer) async throws -> (id: UserID, browser: Browser) {
        let owner = try await server.userInBrowser { $0.scopes = ["openid", "admin"] }
        _ = try await server.realm.administrators.grant(.owner, to: owner.id, by: .commandLine)
        return owner
    }

    @Test
    func `Each role does over HTTP what it may, and a role that is taken ends at the next request`() async throws {
        try await TestServer.with(.development) { server in
            let (user, totp) = try await Self.prepare(server)
            let token = try await Self.tokens(server, totp)["access_token"]
            let none = try await Self.post(server, "users:list", token)
            #expect(none.status == 403 && none.json["error"]["code"] == "forbidden", "\(none.text)")
            // The operations of which each role has others than the next.
            let expected: [(AdministratorRole, [String: Int])] = [
                (.auditor, ["users:list": 200, "settings:show": 200, "groups:add": 403, "users:end-session": 403]),
                (.support, ["users:list": 200, "settings:show": 403, "groups:add": 403, "users:end-session": 404]),
                (.operator, ["users:list": 200, "settings:show": 403, "groups:add": 200, "users:export": 403]),
                (.owner, ["users:list": 200, "settings:show": 200, "groups:add": 409, "users:export": 200]),
            ]
            let bodies: [String: JSON] = [
                "groups:add": ["group": "staff"],
                "users:end-session": ["user": .string(user.id.rawValue), "session": "none"],
            ]
            for (role, answers) in expected {
                _ = try await server.realm.administrators.grant(role, to: user.id, by: .commandLine)
                for (name, status) in answers.sorted(by: { $0.key < $1.key }) {
                    let reply = try await Self.post(server, name, token, bodies[name] ?? [:])
                    #expect(reply.status == status, "\(name) as \(role): \(reply.text)")
                }
            }
            let event = try await server.realm.auditLog.events(limit: 50).first { $0.kind == .groupAdded }
            #expect(event?.details["by"] == .string("user:\(user.id)"))

            let bob = try await server.addUser("bob@example.org").replacing("auth0|", with: "")
            _ = try await server.realm.administrators.grant(.owner, to: UserID(rawValue: bob), by: .commandLine)
            _ = try await server.realm.administrators.revoke(user.id, by: .commandLine)
            #expect(try await Self.post(server, "users:list", token).status == 403)
        }
    }

    @Test
    func `A token without the scope, the second factor, the time or the life opens nothing`() async throws {
        try await TestServer.with(.development) { server in
            let (user, totp) = try await Self.prepare(server)
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .commandLine)

            let other = try await Self.tokens(server, totp, scope: "openid email")["access_token"]
            let unscoped = try await Self.post(server, "users:list", other)
            #expect(unscoped.status == 403)
            #expect(
                unscoped.headers[.wwwAuthenticate]?.contains(#"error="insufficient_scope""#) == true
                    && unscoped.headers[.wwwAuthenticate]?.contains(#"scope="admin""#) == true)

            let good = try await Self.tokens(server, totp, scope: "openid offline_access admin")
            #expect(try await Self.post(server, "users:list", good["access_token"]).status == 200)
            for wrong in [good["id_token"], good["refresh_token"], "x", .string("\(good["access_token"].text ?? "")x")]
            {
                let refused = try await Self.post(server, "users:list", wrong)
                #expect(refused.status == 401 && refused.json["error"]["code"] == "unauthorized", "\(refused.text)")
            }
            let bare = try await server.send(
                .post, "/admin/v1/users:list", headers: [.contentType: "application/json"], body: JSON.object([:]).bytes
            )
            #expect(bare.status == 401 && bare.headers[.wwwAuthenticate] == "Bearer")

            try await server.advance(601)
            #expect(try await Self.post(server, "users:list", good["access_token"]).status == 401, "It has expired.")

            // The session goes on by its refresh token, and the proof grows old.
            try await server.advance(8 * 3600)
            let later = try await server.refresh(good["refresh_token"]).json["access_token"]
            let stale = try await Self.post(server, "users:list", later)
            #expect(stale.status == 401, "\(stale.text)")
            let challenge = stale.headers[.wwwAuthenticate] ?? ""
            #expect(challenge.contains("insufficient_user_authentication") && challenge.contains("max_age=28800"))

        }
    }

    @Test
    func `One factor is answered by asking for the second`() async throws {
        try await TestServer.with(.development) { server in
            var browser = try await Self.ownerWithPassword(server).browser
            let token = try await server.redeem(try await browser.code("dev-native", ["scope": "openid admin"])).json[
                "access_token"]
            let refused = try await Self.post(server, "users:list", token)
            #expect(refused.status == 401, "\(refused.text)")
            let challenge = refused.headers[.wwwAuthenticate] ?? ""
            #expect(
                challenge.contains("insufficient_user_authentication") && challenge.contains(#"acr_values="aal2""#),
                "\(challenge)")
        }
    }

    @Test
    func `A step-up of the browser's session does not let a grant of before administer`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await Self.ownerWithPassword(server)
            var browser = owner.browser
            func token() async throws -> JSON {
                try await server.redeem(try await browser.code("dev-native", ["scope": "openid admin"])).json[
                    "access_token"]
            }
            let before = try await token()
            let totp = try await server.authenticator(of: try #require(await server.realm.accounts.user(owner.id)))
            let (session, proof) = (try #require(browser.session), try await browser.proof(with: totp))
            let raised = try #require(await server.realm.sessions.raise(session, by: proof))
            browser.cookies["__Host-cs_session"] = raised.token.reveal()
            let refused = try await Self.post(server, "users:list", before)
            #expect(refused.status == 401, "\(refused.text)")
            #expect(refused.headers[.wwwAuthenticate]?.contains(#"acr_values="aal2""#) == true)
            let since = try await token()
            #expect(try await Self.post(server, "users:list", since).status == 200)
        }
    }
}
