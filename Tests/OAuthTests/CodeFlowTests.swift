import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The authorization code grant from the browser to userinfo (RFC 6749, section 4.1; OpenID Connect Core 1.0, section 3.1).
@Suite("Authorization codes of OAuth")
struct CodeFlowTests {
    private static let base = "http://127.0.0.1:8080"

    @Test
    func `Nothing is issued to a disabled application, and what it had counts again afterwards`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let wanted = ["scope": "openid email offline_access"]
            let tokens = try await server.redeem(
                try #require(try await browser.authorize("dev-native", wanted).answer["code"])
            ).json
            let code = try #require(try await browser.authorize("dev-native", wanted).answer["code"])
            let applications = server.realm.applications
            let id = ClientID(rawValue: "dev-native")
            _ = try await applications.change(id, by: .commandLine) { $0.isDisabled = true }

            #expect(try await applications.application(id) == nil)
            #expect(try await applications.registered(id)?.registration.isDisabled == true)
            #expect(try await server.redeem(code).status >= 400)
            #expect(try await server.refresh(tokens["refresh_token"]).status >= 400)
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
            let refused = try await browser.authorize("dev-native", wanted)
            #expect(refused.status != 303 || refused.location?.hasPrefix(Browser.callback) != true)

            _ = try await applications.change(id, by: .commandLine) { $0.isDisabled = false }
            #expect(try await server.userInfo(tokens["access_token"]).status == 200)
            let renewed = try await server.refresh(tokens["refresh_token"])
            #expect(renewed.status == 200, "\(renewed.text)")
        }
    }

    @Test
    func `A code is exchanged for tokens that userinfo takes`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.addUser().replacing("auth0|", with: "")
            var browser = Browser(server)
            try await browser.signIn()
            let redirect = try await browser.authorize("dev-native", ["scope": "openid email offline_access"])
            #expect(redirect.status == 303)
            #expect(redirect.location?.hasPrefix("\(Browser.callback)?code=") == true)
            #expect(redirect.answer["state"] == "st/at+e=&" && redirect.answer["iss"] == Self.base)
            let code = try #require(redirect.answer["code"])
            let reply = try await server.redeem(code)
            #expect(reply.status == 200, "\(reply.text)")
            let tokens = reply.json
            #expect(tokens["token_type"] == "Bearer" && tokens["expires_in"] == 600)
            #expect(tokens["scope"] == "openid email offline_access")
            let access = tokens["access_token"]
            #expect(access.header["typ"] == "at+jwt" && access.header["alg"] == "ES256")
            #expect(access.claims["iss"] == .string(Self.base) && access.claims["aud"] == .string(Self.base))
            #expect(access.claims["sub"] == .string(user) && access.claims["client_id"] == "dev-native")
            #expect(access.claims["acr"] == "aal1" && access.claims["sid"].text == browser.session?.id.rawValue)
            let identity = tokens["id_token"]
            #expect(identity.header["typ"] == "JWT" && identity.claims["aud"] == "dev-native")
            #expect(identity.claims["nonce"] == "n-1" && identity.claims["sub"] == .string(user))
            #expect(identity.claims["email"] == .null, "It belongs to userinfo.")
            #expect(identity.claims["at_hash"].text?.utf8.count == 22)
            let told = try await server.userInfo(access)
            #expect(told.json == ["sub": .string(user), "email": "ada@example.org", "email_verified": true])
            for wrong in [identity, tokens["refresh_token"], "x"] {
                let refused = try await server.userInfo(wrong)
                #expect(refused.status == 401 && refused.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            }
        }
    }

    @Test
    func `A code is good once, and comes to nothing after it came twice`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code()
            let tokens = try await server.redeem(code).json
            #expect(try await server.userInfo(tokens["access_token"]).status == 200)
            let again = try await server.redeem(code)
            #expect(again.status == 400 && again.json["error"] == "invalid_grant")
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
            #expect(try await server.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant")
        }
    }

    private static let wrong: [(String, [String: String?])] = [
        ("another verifier", ["code_verifier": String(repeating: "a", count: 43)]),
        ("no verifier", ["code_verifier": nil]),
        ("another address", ["redirect_uri": "http://127.0.0.1/callback/"]),
        ("no address", ["redirect_uri": nil]),
        ("another client", ["client_id": "dev-app"]),
    ]

    @Test
    func `A code of a browser that was signed out is over, and what was granted offline goes on`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let tokens = try await server.redeem(browser.code()).json
            let codes = [try await browser.code("dev-native", ["scope": "openid"]), try await browser.code()]
            let hint = Browser.query(["id_token_hint": tokens["id_token"].text ?? ""])
            #expect(try await browser.get("/oidc/logout?\(hint)").status == 303)
            for code in codes { #expect(try await server.redeem(code).json["error"] == "invalid_grant") }
            #expect(try await server.refresh(tokens["refresh_token"]).status == 200)
        }
    }

    /// RFC 7636, section 4.1; RFC 6749, section 5.2.
    @Test(
        arguments: [
            "short", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            "\(Browser.proofKey.verifier) ", "\(Browser.proofKey.verifier)+", "\(Browser.proofKey.verifier)é",
        ])
    func `A text that can be no verifier is a malformed request, whatever the code, and uses nothing up`(
        _ verifier: String
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code()
            let replies = [
                try await server.redeem(code, ["code_verifier": verifier]),
                try await server.redeem("made-up", ["code_verifier": verifier]),
                try await server.redeem(code, ["code_verifier": verifier, "client_id": "dev-app"]),
            ]
            for reply in replies {
                #expect(reply.status == 400 && reply.json["error"] == "invalid_request", "\(reply.text)")
                #expect(reply.json["error_description"].text?.hasPrefix("code_verifier ") == true, "\(reply.text)")
            }
            #expect(Set(replies.map(\.text)).count == 1, "Nothing is told of the code.")
            #expect(try await server.redeem(code).status == 200)
        }
    }

    @Test
    func `A code does not come back with a user who was disabled and is enabled again`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let codes = [try await browser.code(), try await browser.code("dev-native", ["scope": "openid"])]
            for isDisabled in [true, false] {
                var change = AccountChange()
                change.isDisabled = isDisabled
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            }
            for code in codes { #expect(try await server.redeem(code).json["error"] == "invalid_grant") }
            #expect(try await server.realm.grants.list(of: user).isEmpty)
            #expect(try await browser.authorize().answer["code"] == nil, "The browser's session is over, too.")
        }
    }

    @Test(arguments: wrong.indices)
    func `A code that is shown with what does not belong to it is used up`(_ place: Int) async throws {
        let (name, changes) = Self.wrong[place]
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code()
            #expect(try await server.redeem(code, changes).json["error"] == "invalid_grant", "\(name)")
            #expect(try await server.redeem(code).json["error"] == "invalid_grant", "\(name)")
        }
    }

    @Test
    func `Twenty exchanges of one code at once bring one answer, and its tokens are dead`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code()
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await server.redeem(code) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            let good = replies.filter { $0.status == 200 }
            #expect(good.count == 1)
            let tokens = try #require(good.first).json
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
            #expect(try await server.refresh(tokens["refresh_token"]).status == 400)
        }
    }

    @Test
    func `A session of minutes ago is not enough for max_age, and prompt=none says so without a page`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            #expect(try await browser.authorize("dev-native", ["prompt": "none"]).answer["error"] == "login_required")
            #expect(browser.cookies.isEmpty)
            try await browser.signIn()
            #expect(try await browser.authorize("dev-native", ["prompt": "none"]).answer["code"] != nil)
            try await server.advance(120)
            for changes in [["max_age": "60"], ["max_age": "0"], ["prompt": "login"]] as [[String: String?]] {
                let reply = try await browser.authorize("dev-native", changes)
                #expect(reply.location?.hasPrefix("/sign-in?flow=") == true, "\(changes)")
            }
            let silent = try await browser.authorize("dev-native", ["prompt": "none", "max_age": "60"])
            #expect(silent.answer["error"] == "login_required" && silent.answer["iss"] == Self.base)
            #expect(try await browser.authorize("dev-native", ["max_age": "600"]).answer["code"] != nil)
            let both = try await browser.authorize("dev-native", ["prompt": "none login"])
            #expect(both.answer["error"] == "invalid_request")
            // How long ago it was is not known where the clock was set back since.
            try await server.advance(86_400)
            try await browser.signIn()
            try await server.advance(-7200)
            for changes in [["max_age": "60"], ["prompt": "login"]] as [[String: String?]] {
                let reply = try await browser.authorize("dev-native", changes)
                #expect(reply.location?.hasPrefix("/sign-in?flow=") == true, "\(changes)")
            }
            #expect(try await browser.authorize().answer["code"] != nil)
        }
    }

    /// OpenID Connect Core 1.0, section 3.1.2.1.
    @Test
    func `A request for one user is completed by no other, who signs in while it waits`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            _ = try await server.addUser("bob@example.org")
            var first = Browser(server)
            try await first.signIn()
            let hint = try await server.redeem(first.code()).json["id_token"].text
            // Nobody is signed in here.
            var browser = Browser(server)
            let asked = try await browser.authorize("dev-native", ["id_token_hint": hint])
            let flow = try #require(asked.answer["flow"])
            #expect(asked.location?.hasPrefix("/sign-in?flow=") == true)
            try await browser.signIn("bob@example.org")
            let other = try await browser.get("/authorize/continue?flow=\(flow)")
            #expect(other.location == "/sign-in?flow=\(flow)" && other.answer["code"] == nil)
            let silent = try await browser.authorize("dev-native", ["id_token_hint": hint, "prompt": "none"])
            #expect(silent.answer["error"] == "login_required")
            try await browser.signIn()
            let code = try #require(await browser.get("/authorize/continue?flow=\(flow)").answer["code"])
            #expect(
                try await server.redeem(code).json["id_token"].claims["sub"]
                    == hint.map { JSON.string($0).claims["sub"] })
        }
    }

    @Test
    func `Two factors that are asked for and not there lead to a page, and to an error where they are essential`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let asked = try await browser.authorize("dev-native", ["acr_values": "aal2 aal1"])
            let flow = try #require(asked.answer["flow"])
            #expect(asked.location?.hasPrefix("/sign-in?flow=") == true)
            // The page finds that the user has none.
            let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
            func decline(_ flow: String) async throws {
                #expect(
                    try await server.realm.authorizations.answer(
                        .secondFactorUnavailable, to: FlowHandle(flow), in: key, session: browser.session?.id,
                        by: .testAdministrator))
            }
            try await decline(flow)
            let code = try #require(await browser.get("/authorize/continue?flow=\(flow)").answer["code"])
            #expect(try await server.redeem(code).json["id_token"].claims["acr"] == "aal1")
            let claims = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
            let essential = try await browser.authorize("dev-native", ["claims": claims])
            let other = try #require(essential.answer["flow"])
            try await decline(other)
            let refused = try await browser.get("/authorize/continue?flow=\(other)")
            #expect(refused.answer["error"] == "unmet_authentication_requirements")
            #expect(refused.answer["state"] == "st/at+e=&")
        }
    }

    @Test
    func `A user of a third party is asked once, and again for more or after taking it back`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let silent = try await browser.authorize("dev-web", ["prompt": "none"])
            #expect(silent.answer["error"] == "consent_required")
            let asked = try await browser.authorize("dev-web")
            #expect(asked.location?.hasPrefix("/sign-in/consent?flow=") == true)
            let flow = try #require(asked.answer["flow"])
            let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
            #expect(
                try await server.realm.authorizations.answer(
                    .allow, to: FlowHandle(flow), in: key, session: browser.session?.id, by: .testAdministrator))
            let code = try #require(await browser.get("/authorize/continue?flow=\(flow)").answer["code"])
            // A request is over with its code.
            #expect(try await browser.get("/authorize/continue?flow=\(flow)").location == "/start-again")
            let tokens = try await server.redeem(code, client: "dev-web").json
            #expect(tokens["refresh_token"].text != nil)
            #expect(try await browser.authorize("dev-web").answer["code"] != nil)
            let more = try await browser.authorize("dev-web", ["scope": "openid email"])
            #expect(more.location?.hasPrefix("/sign-in/consent") == true)
            #expect(try await server.realm.consents.list(of: user).map(\.scopes) == [["openid", "offline_access"]])
            #expect(
                try await server.realm.consents.revoke(ClientID(rawValue: "dev-web"), of: user, by: .testAdministrator))
            #expect(try await browser.authorize("dev-web").location?.hasPrefix("/sign-in/consent") == true)
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
        }
    }

    @Test
    func `A user who says no ends the request with access_denied`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let asked = try await browser.authorize("dev-web")
            let flow = try #require(asked.answer["flow"])
            let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
            #expect(
                try await server.realm.authorizations.answer(
                    .deny, to: FlowHandle(flow), in: key, session: nil, by: .testAdministrator))
            #expect(try await browser.get("/authorize/continue?flow=\(flow)").answer["error"] == "access_denied")
        }
    }

    /// Keycloak CVE-2026-7507 (keycloak#49111): the link of somebody else's request.
    @Test
    func `A request that one browser began is none to another`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var attacker = Browser(server)
            let begun = try await attacker.authorize()
            let flow = try #require(begun.answer["flow"])
            #expect(begun.location?.hasPrefix("/sign-in?flow=") == true)
            var victim = Browser(server)
            _ = try await victim.authorize()
            try await victim.signIn()
            #expect(try await victim.get("/authorize/continue?flow=\(flow)").location == "/start-again")
            victim.cookies["__Host-cs_browser"] = nil
            #expect(try await victim.get("/authorize/continue?flow=\(flow)").location == "/start-again")
            // Its own browser goes on with it, and the present session is its own.
            #expect(try await attacker.get("/authorize/continue?flow=\(flow)").location?.hasPrefix("/sign-in") == true)
        }
    }

    @Test
    func `Answers are brought as response_mode says`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let fragment = try await browser.authorize("dev-native", ["response_mode": "fragment"])
            #expect(fragment.location?.hasPrefix("\(Browser.callback)#code=") == true)
            let post = try await browser.authorize("dev-native", ["response_mode": "form_post"])
            #expect(post.status == 200 && post.location == nil)
            #expect(post.text.contains("action=\"\(Browser.callback)\"") && post.text.contains("name=\"code\""))
            #expect(post.text.contains("<button") && !post.text.contains("onload"))
            #expect(
                post.headers[.contentSecurityPolicy]?.contains("form-action 'self' http://127.0.0.1;") == true,
                "\(post.headers[.contentSecurityPolicy] ?? "")")
            let wrong = try await browser.authorize("dev-native", ["response_mode": "jwt"])
            #expect(wrong.answer["error"] == "invalid_request")
        }
    }

    @Test
    func `A posted request is asked again by GET, with everything in it`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.form("/authorize", Browser.parameters())
            #expect(reply.status == 303)
            #expect(reply.location == "/authorize?\(Browser.query(Browser.parameters()))")
        }
    }
}
