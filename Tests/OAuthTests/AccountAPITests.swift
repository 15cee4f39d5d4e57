import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import PasskeyTestSupport
import Testing

/// `/account/v1` (RFC 6750; RFC 9470).
@Suite("The account by access token")
struct AccountAPITests {
    private struct Scene: Sendable {
        let server: TestServer
        let user: User
        let totp: TOTP

        func send(_ method: HTTPRequest.Method, _ path: String, _ token: JSON, _ body: JSON? = nil) async throws
            -> Reply
        {
            var headers: HTTPFields = [.authorization: "Bearer \(token.text ?? "")"]
            if body != nil { headers[.contentType] = "application/json" }
            return try await server.send(method, "/account/v1\(path)", headers: headers, body: body?.bytes)
        }

        /// Tokens of a session that was proven with password and authenticator.
        func tokens(scope: String = "openid offline_access account") async throws -> JSON {
            let client = ClientContext(
                clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
            let address = try #require(EmailAddress("ada@example.org"))
            let first = try await server.realm.authenticator.answer(
                .password(Secret(TestServer.password)),
                to: .opening(FlowOpening(subject: .email(address), terms: GrantTerms())), by: client)
            guard case .more(let more) = first else { throw Unexpected(what: "\(first)") }
            let verdict = try await server.realm.authenticator.answer(
                .code(Secret(totp.code(at: server.now).stringCode), factor: nil),
                to: .flow(more.handle, FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.oauth)])),
                by: client)
            guard case .accomplished(.signedIn(let signedIn)) = verdict else { throw Unexpected(what: "\(verdict)") }
            var browser = Browser(server)
            browser.cookies["__Host-cs_session"] = try #require(
                await server.realm.sessions.begin(inBrowser: signedIn)
            ).token.reveal()
            try await server.advance(30)
            return try await server.redeem(try await browser.code("dev-native", ["scope": scope])).json
        }

        func mail(_ template: String) async throws -> OpenedMessage {
            try #require(try await server.realm.outbox.messages().last { $0.content.template == template })
        }
    }

    private static func with(_ body: @Sendable (Scene) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let user = try #require(try await server.realm.accounts.user(id))
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.scopes = ["openid", "email", "profile", "offline_access", "account"]
            }
            try await body(Scene(server: server, user: user, totp: try await server.authenticator(of: user)))
        }
    }

    /// A body for each endpoint that takes one, and how an endpoint that changes something is refused when the proof is old.
    private static let bodies: [String: JSON] = [
        "patch /profile": ["displayName": "Ada"], "post /address": ["address": "new@example.org"],
        "post /address/verify": ["attempt": "x", "code": "1"], "post /factors": ["kind": "totp"],
        "post /factors/verify": ["attempt": "x", "code": "1", "kind": "totp"],
        "patch /factors/{id}": ["name": "New"], "post /recovery-codes": [:],
        "post /password": ["password": "difference engine two"], "post /activity/{id}/disown": [:],
        "post /deletion": ["address": "ada@example.org"],
    ]
    private static let reads: Set<String> = [
        "get /profile", "get /factors", "get /sessions", "get /applications", "get /activity",
    ]
    /// It judges the attempt, not the session: the session was judged when it began.
    private static let attempts: Set<String> = ["post /factors/verify"]

    @Test
    func `The list of applications says which no administrator checked, and what host stands for them`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.scopes = ["openid", "account"]
            }
            try await server.setRegistration("open")
            let reply = try await server.register([
                "redirect_uris": [.string(Browser.callback), "https://app.example/callback"], "client_name": "App",
                "token_endpoint_auth_method": "none",
            ])
            let id = try #require(reply.json["client_id"].text)
            try await server.use(id, scope: "openid")
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["scope": "openid account"])
            let token = try await server.redeem(code).json["access_token"]
            func entry() async throws -> JSON? {
                let listed = try await server.send(
                    .get, "/account/v1/applications", headers: [.authorization: "Bearer \(token.text ?? "")"])
                return listed.json["applications"].elements.first { $0["id"] == .string(id) }
            }
            let unchecked = try #require(try await entry())
            #expect(unchecked["isUnchecked"] == true && unchecked["host"] == "127.0.0.1", "\(unchecked)")
            _ = try await server.realm.registrations.approve(ClientID(rawValue: id), true, by: .testAdministrator)
            let checked = try #require(try await entry())
            #expect(checked["isUnchecked"] == false && checked["host"] == .null, "\(checked)")
            let schema = try await server.send(.get, "/openapi.json").text
            #expect(schema.contains("isUnchecked"))
        }
    }

    @Test
    func `Each endpoint refuses no token, another scope and a proof of long ago, and unknown members`() async throws {
        try await Self.with { scene in
            let document = try await scene.server.send(.get, "/openapi.json").json
            let paths = document["paths"].ownMembers.filter { $0.key.hasPrefix("/account/v1/") }
            #expect(paths.count >= 15)
            let token = try await scene.tokens()["access_token"]
            let other = try await scene.tokens(scope: "openid email")["access_token"]
            try await scene.server.advance(290)
            for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
                for (method, operation) in methods.ownMembers.sorted(by: { $0.key < $1.key }) {
                    let short = String(path.dropFirst("/account/v1".count))
                    let name = "\(method) \(short)"
                    let real = short.replacing("{id}", with: "none").replacing("{client}", with: "none")
                    let verb = try #require(HTTPRequest.Method(method.uppercased()))
                    let body = Self.bodies[name]
                    #expect((body != nil) == (operation["requestBody"] != .null), "\(name) has no row here")
                    let bare = try await scene.server.send(
                        verb, "/account/v1\(real)", headers: [.contentType: "application/json"], body: body?.bytes)
                    #expect(bare.status == 401 && bare.headers[.wwwAuthenticate] == "Bearer", "\(name)")
                    #expect(bare.json["error"]["code"] == "unauthorized", "\(name): \(bare.text)")
                    let unscoped = try await scene.send(verb, real, other, body)
                    #expect(unscoped.status == 403 && unscoped.json["error"]["code"] == "forbidden", "\(name)")
                    #expect(
                        unscoped.headers[.wwwAuthenticate]?.contains(#"error="insufficient_scope""#) == true, "\(name)")
                    if let body {
                        let null = try await scene.send(verb, real, token, body.with(["surplus": .null]))
                        #expect(null.status == 400 && null.text.contains("surplus"), "\(name): \(null.text)")
                        let unknown = try await scene.send(verb, real, token, body.with(["surplus": 1]))
                        #expect(
                            unknown.status == 400 && unknown.text.contains("surplus"), "\(name): \(unknown.text)")
                    }
                    let stale = try await scene.send(verb, real, token, body)
                    if Self.reads.contains(name) {
                        #expect(stale.status == 200, "\(name): \(stale.text)")
                    } else if !Self.attempts.contains(name) {
                        #expect(stale.status == 401, "\(name): \(stale.text)")
                        let challenge = stale.headers[.wwwAuthenticate] ?? ""
                        #expect(
                            challenge.contains("insufficient_user_authentication")
                                && challenge.contains("max_age=300"), "\(name): \(challenge)")
                    }
                }
            }
        }
    }

    @Test
    func `Values of another type, places that are none, numbers out of range and unknown parameters are refused`()
        async throws
    {
        try await Self.with { scene in
            let token = try await scene.tokens()["access_token"]
            let bodies: [(JSON, String)] = [
                (["displayName": 1], #"The member "displayName" has to be a string."#),
                (["locale": true], #"The member "locale" has to be a string."#),
                (["attributes": [1]], #"The member "attributes" has to be an object."#),
                (["displayName": "a\nb"], "displayName is one line of at most 200 characters."),
                (["locale": "no language"], "locale is a language such as en, de-AT or ja."),
                (
                    ["attributes": ["nope": .null]],
                    "attributes.nope is none that the user may change, or has a value that it cannot have."
                ),
                (
                    ["attributes": ["nope": 1]],
                    "attributes.nope is none that the user may change, or has a value that it cannot have."
                ),
            ]
            for (body, sentence) in bodies {
                let reply = try await scene.send(.patch, "/profile", token, body)
                #expect(reply.status == 400 && reply.json["error"]["code"] == "invalid", "\(body)")
                #expect(reply.json["error"]["message"].text == sentence, "\(body)")
            }
            for query in [
                "after=zzz", "after=", "after=00063F1C2B3A4D5E0A1B2C3D", "limit=0", "limit=201", "limit=-1",
                "limit=%2B5",
                "limit=x", "kind=none", "kinds=factors", "limit=5&page=2", "limit=5&limit=5",
                "kind=sign-ins&limit=5&kind=factors",
            ] {
                let reply = try await scene.send(.get, "/activity?\(query)", token, nil)
                #expect(reply.status == 400 && reply.json["error"]["code"] == "invalid", "\(query): \(reply.text)")
            }
            #expect(try await scene.send(.get, "/activity?limit=200&kind=sign-ins", token, nil).status == 200)
            let page = try await scene.send(.get, "/activity?limit=1", token, nil).json
            if let next = page["next"].text {
                #expect(try await scene.send(.get, "/activity?after=\(next)", token, nil).status == 200)
            }
            #expect(try await scene.send(.get, "/sessions?limit=5", token, nil).status == 400)
            // What the command line does is an administrator's.
            _ = try await scene.server.realm.accounts.change(
                scene.user.id,
                {
                    var change = AccountChange()
                    change.displayName = .some("Ada")
                    return change
                }(), by: .commandLine)
            let events = try await scene.send(.get, "/activity?kind=account", token, nil).json["events"].elements
            #expect(events.contains { $0["kind"] == "user.changed" && $0["isByAdministrator"] == true }, "\(events)")
        }
    }

    @Test
    func `A picture is off by default, told as an https address alone, and removed whatever the setting`() async throws
    {
        try await Self.with { scene in
            let token = try await scene.tokens(scope: "openid profile account")["access_token"]
            let realm = scene.server.realm
            let picture: JSON = "https://pictures.example.com/ada.png"
            #expect(try await scene.send(.get, "/profile", token).json["isPictureEditable"] == false)
            let refused = try await scene.send(.patch, "/profile", token, ["picture": picture])
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused.json["error"]["message"].text?.hasPrefix("picture is an https address") == true)
            try await realm.changeSettings(by: .testAdministrator) { $0.accounts.takesPictures = true }
            let set = try await scene.send(.patch, "/profile", token, ["picture": picture])
            #expect(set.status == 200 && set.json["picture"] == picture, "\(set.text)")
            #expect(set.json["isPictureEditable"] == true)
            #expect(try await scene.server.userInfo(token).json["picture"] == picture)
            #expect(try await scene.send(.patch, "/profile", token, ["picture": "http://a.example/"]).status == 400)

            // What Identity Toolkit or an import took is kept, and told to no other application.
            var change = AccountChange()
            change.photoURL = .some("javascript:alert(1)")
            _ = try await realm.accounts.change(scene.user.id, change, by: .commandLine)
            #expect(try await scene.server.userInfo(token).json["picture"] == .null)
            #expect(try await scene.send(.get, "/profile", token).json["picture"] == "javascript:alert(1)")
            try await realm.changeSettings(by: .testAdministrator) { $0.accounts.takesPictures = false }
            let gone = try await scene.send(.patch, "/profile", token, ["picture": ""])
            #expect(gone.status == 200 && gone.json["picture"] == .null, "\(gone.text)")
        }
    }

    @Test
    func `A fresh proof changes profile, factors, codes, password and sessions`() async throws {
        try await Self.with { scene in
            let tokens = try await scene.tokens()
            let token = tokens["access_token"]
            let profile = try await scene.send(
                .patch, "/profile", token, ["displayName": "<script>A</script>", "locale": "de"])
            #expect(profile.status == 200 && profile.json["displayName"] == "<script>A</script>", "\(profile.text)")
            #expect(try await scene.send(.get, "/profile", token).json["locale"] == "de")
            #expect(try await scene.send(.patch, "/profile", token, ["locale": "../x"]).status == 400)

            let factors = try await scene.send(.get, "/factors", token).json["factors"].elements
            let totp = try #require(factors.first { $0["kind"] == "totp" })
            let path = "/factors/\(totp["id"].text ?? "")"
            #expect(try await scene.send(.patch, path, token, ["name": "Phone 2"]).json["name"] == "Phone 2")
            #expect(try await scene.send(.patch, path, token, [:]).status == 400)
            // Of two changes the first would stay where the second is refused.
            #expect(try await scene.send(.patch, path, token, ["name": "Both", "isFrozen": false]).status == 400)
            #expect(
                try await scene.send(.get, "/factors", token).json["factors"].elements
                    .contains { $0["name"] == "Phone 2" })
            let codes = try await scene.send(.post, "/recovery-codes", token, [:])
            #expect(codes.status == 201 && codes.json["codes"].elements.count == 10, "\(codes.text)")

            #expect(try await scene.send(.post, "/factors", token, ["kind": "totp"]).status == 409, "There is one.")
            let offer = try await scene.send(.post, "/factors", token, ["kind": "passkey"])
            #expect(offer.status == 201, "\(offer.text)")
            // Of a server that develops: numeric addresses of this machine are `localhost`.
            var authenticator = SoftwareAuthenticator(origin: "http://localhost:8080")
            let credential = try authenticator.create(optionsJSON: Data(offer.json["publicKey"].bytes))
            let made = try await scene.send(
                .post, "/factors/verify", token,
                [
                    "kind": "passkey", "attempt": offer.json["attempt"], "response": try JSON(parsing: credential),
                    "name": "Tablet",
                ])
            #expect(made.status == 200, "\(made.text)")
            let unknown = try await scene.send(.post, "/factors", token, ["kind": "made-up"])
            #expect(unknown.status == 400 && unknown.json["error"]["code"] == "invalid", "\(unknown.text)")
            #expect(
                try await scene.send(.delete, "/factors/\(made.json["id"].text ?? "")", token).json["consequence"]
                    == "nothing")

            let sessions = try await scene.send(.get, "/sessions", token).json["devices"]
            #expect(sessions.elements.contains { $0["isCurrent"] == true }, "\(sessions)")
            #expect(try await scene.send(.delete, "/password", token, ["x": 1]).status == 400, "It has no member.")
            #expect(try await scene.send(.delete, "/sessions", token, [:]).status == 200)
            #expect(try await scene.send(.delete, "/sessions", token).status == 200)
            #expect(try await scene.send(.delete, "/sessions/none", token).status == 404)
            #expect(try await scene.send(.delete, "/applications/none", token).status == 404)

            let weak = try await scene.send(.post, "/password", token, ["password": "short"])
            #expect(weak.status == 400 && weak.json["error"]["code"] == "weak_password", "\(weak.text)")
            #expect(
                try await scene.send(.post, "/password", token, ["password": "difference engine two"]).status == 200)
            // The access token names the epoch of before; the session and its refresh token go on.
            #expect(try await scene.send(.get, "/profile", token).status == 401)
            let fresh = try await scene.server.refresh(tokens["refresh_token"]).json["access_token"]
            #expect(try await scene.send(.get, "/profile", fresh).status == 200)
        }
    }

    @Test
    func `Recovery codes of an account without a second factor are refused with what is missing`() async throws {
        try await Self.with { scene in
            let tokens = try await scene.tokens()
            let token = tokens["access_token"]
            let factors = try await scene.send(.get, "/factors", token).json["factors"].elements
            let totp = try #require(factors.first { $0["kind"] == "totp" })
            let removed = try await scene.send(.delete, "/factors/\(totp["id"].text ?? "")", token)
            #expect(removed.status == 200, "\(removed.text)")
            let fresh = try await scene.server.refresh(tokens["refresh_token"]).json["access_token"]
            let refused = try await scene.send(.post, "/recovery-codes", fresh, [:])
            #expect(refused.status == 400 && refused.json["error"]["code"] == "refused", "\(refused.text)")
            #expect(
                refused.json["error"]["message"].text?.contains("no second factor") == true, "\(refused.text)")
        }
    }

    @Test
    func `A passkey that a session began to add is added by no other once that was ended`() async throws {
        try await Self.with { scene in
            let (thief, own) = (
                try await scene.tokens()["access_token"], try await scene.tokens()["access_token"]
            )
            let offer = try await scene.send(.post, "/factors", thief, ["kind": "passkey"])
            #expect(offer.status == 201, "\(offer.text)")
            var authenticator = SoftwareAuthenticator(origin: "http://localhost:8080")
            let credential = try authenticator.create(optionsJSON: Data(offer.json["publicKey"].bytes))
            let body: JSON = [
                "kind": "passkey", "attempt": offer.json["attempt"], "response": try JSON(parsing: credential),
            ]
            #expect(try await scene.send(.delete, "/sessions", own).status == 200)
            #expect(try await scene.send(.post, "/factors/verify", thief, body).status == 401)
            let refused = try await scene.send(.post, "/factors/verify", own, body)
            #expect(refused.status == 404, "\(refused.text)")
            let factors = try await scene.send(.get, "/factors", own).json["factors"].elements
            #expect(!factors.contains { $0["kind"] == "passkey" }, "\(factors)")
        }
    }

    @Test
    func `An address is changed by its code, activity is paged, and an account is removed`() async throws {
        try await Self.with { scene in
            let tokens = try await scene.tokens()
            let token = tokens["access_token"]
            #expect(try await scene.send(.post, "/address", token, ["address": "none"]).status == 400)
            let begun = try await scene.send(.post, "/address", token, ["address": "new@example.org"])
            #expect(begun.status == 202, "\(begun.text)")
            let code = try await scene.mail("code").content.values["code"] ?? ""
            let done = try await scene.send(
                .post, "/address/verify", token, ["attempt": begun.json["attempt"], "code": .string(code)])
            #expect(done.status == 200, "\(done.text)")
            let fresh = try await scene.server.refresh(tokens["refresh_token"]).json["access_token"]
            #expect(try await scene.send(.get, "/profile", fresh).json["address"] == "new@example.org")

            let page = try await scene.send(.get, "/activity?limit=2", fresh)
            #expect(page.json["events"].elements.count == 2, "\(page.text)")
            let next = try await scene.send(.get, "/activity?limit=2&after=\(page.json["next"].text ?? "")", fresh)
            #expect(next.json["events"][0]["id"] != page.json["events"][0]["id"])
            for query in ["limit=0", "limit=x", "kind=made-up"] {
                #expect(try await scene.send(.get, "/activity?\(query)", fresh).status == 400, "\(query)")
            }
            let data = try await scene.send(.get, "/data", fresh)
            #expect(data.status == 200 && data.json["profile"]["email"] == "new@example.org", "\(data.text)")

            #expect(try await scene.send(.post, "/deletion", fresh, ["address": "ada@example.org"]).status == 400)
            let removal = try await scene.send(.post, "/deletion", fresh, ["address": "new@example.org"])
            #expect(removal.status == 202 && removal.json["undoMailed"] == true, "\(removal.text)")
            #expect(try await scene.send(.get, "/profile", fresh).status == 401)
            #expect(
                try await scene.mail("deletion-requested").content.values["link"]?.contains("mode=keepAccount") == true)
        }
    }

    @Test
    func `An administrator disables an account that its owner wants removed, and the owner cannot take that back`()
        async throws
    {
        try await Self.with { scene in
            let token = try await scene.tokens()["access_token"]
            let removal = try await scene.send(.post, "/deletion", token, ["address": "ada@example.org"])
            #expect(removal.status == 202, "\(removal.text)")
            let before = try #require(try await scene.server.realm.accounts.user(scene.user.id))
            #expect(before.isDisabled && !before.isSuspended)
            let answer = try await DisableUser(user: scene.user.id.rawValue).perform(
                on: scene.server.realm, as: .commandLine, by: .commandLine)
            #expect(answer.user.isDisabled)
            let after = try #require(try await scene.server.realm.accounts.user(scene.user.id))
            #expect(after.isSuspended && after.deletionDueAt != nil)
        }
    }

    @Test
    func `Malformed bodies are refused in words`() async throws {
        try await Self.with { scene in
            let token = try await scene.tokens()["access_token"]
            for text in ["{", "[]", "\"x\"", "{\"password\":\"a\",\"password\":\"b\"}", "{}"] {
                let reply = try await scene.server.send(
                    .post, "/account/v1/password",
                    headers: [.authorization: "Bearer \(token.text ?? "")", .contentType: "application/json"],
                    body: Array(text.utf8))
                #expect(reply.status == 400 && reply.json["error"]["code"] == "invalid", "\(text): \(reply.text)")
            }
            let large = try await scene.send(
                .post, "/password", token, ["password": .string(String(repeating: "x", count: 70_000))])
            #expect(large.status == 413 && large.json["error"]["code"] == "invalid", "\(large.status)")
            #expect(try await scene.send(.get, "/none", token).json["error"]["code"] == "not_found")
        }
    }
}

extension JSON {
    /// None where it is no object.
    var ownMembers: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
}
