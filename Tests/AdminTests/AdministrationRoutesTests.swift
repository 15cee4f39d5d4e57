import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import SecurityChecks
import Testing

@testable import AdminServer

@Suite struct AdministrationRoutesTests {
    @Test func `No id is a segment of dots, and no scope of an API is the star`() async throws {
        try await TestServer.with(.development) { server async throws in
            func post(_ name: String, _ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            func user(_ id: String) async throws -> Int {
                try await post(
                    "users:add", ["id": .string(id), "email": "dots@example.org", "generatesPassword": true]
                ).status
            }
            func application(_ id: String) async throws -> Int {
                try await post("applications:add", ["id": .string(id), "registration": ["displayName": "Dots"]]).status
            }
            #expect(try await user("admin-token") == 400, "The log calls the first token so.")
            for id in [".", ".."] {
                #expect(try await user(id) == 400)
                #expect(try await application(id) == 400)
            }
            #expect(try await user("...") == 200)
            #expect(try await application("a..b") == 200)
            func resource(_ scope: String) async throws -> Int {
                try await post("resources:put", ["uri": "https://dots.example", "scopes": [.string(scope)]]).status
            }
            #expect(try await resource("*") == 400)
            #expect(try await resource("*.read") == 200)
        }
    }

    @Test func `A constant of an extension is shown to those alone who may change extensions`() async throws {
        try await TestServer.with { server in
            let constant = ExtensionSummary.Claim(value: "known to two", jwtClaimType: "shared")
            let made = try await AddExtension(
                event: "token-issuance-start", targetURL: "https://claims.example.com/start", claims: [constant]
            ).perform(on: server.realm, as: .commandLine, by: .testAdministrator).extension
            #expect(made.claims == [constant])
            for (role, value) in [(.owner, "known to two"), (.auditor, "<secret>")] as [(AdministratorRole, String)] {
                let caller = AdministrationCaller.user(UserID(rawValue: "anna"), role)
                let answer = try await ShowExtension(id: made.id).perform(
                    on: server.realm, as: caller, by: .testAdministrator)
                let shown = answer.extension
                // Who knew the revision could try which constant makes it.
                #expect((answer.revision != nil) == (role == .owner), "\(role)")
                let listed = try await ListExtensions().perform(
                    on: server.realm, as: caller, by: .testAdministrator
                ).extensions
                #expect(shown.claims == [.init(value: value, jwtClaimType: "shared")], "\(role)")
                #expect(listed == [shown], "\(role)")
            }
            await #expect {
                _ = try await AddExtension(
                    event: "token-issuance-start", targetURL: "https://claims.example.com/other",
                    claims: [.init(value: "<secret>", jwtClaimType: "shared")]
                ).perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            } throws: { ($0 as? AdministrationError)?.code == .invalid }
        }
    }

    @Test func `Sessions are listed and ended one by one, or for one application`() async throws {
        try await TestServer.with(.development) { server in
            func post(_ name: String, _ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            let ada = try await server.account()
            let bob = try await server.account("bob@example.org")
            func signIn() async throws -> SignedIn {
                var client = ClientContext.testAdministrator
                client.clientID = ClientID(rawValue: "dev-app")
                let opening = FlowOpening(
                    subject: .email(try #require(EmailAddress(NativeClient.email))),
                    terms: GrantTerms(scopes: ["openid"]))
                let verdict = try await server.realm.authenticator.answer(
                    .password(Secret(NativeClient.password)), to: .opening(opening), by: client)
                guard case .accomplished(.signedIn(let signedIn)) = verdict else {
                    throw Unexpected(what: "\(verdict)")
                }
                return signedIn
            }
            let (first, second) = (try await signIn(), try await signIn())
            let listed = try await post("users:sessions", ["user": .string(NativeClient.email)])
            #expect(listed.status == 200, "\(listed.text)")
            #expect(listed.json["sessions"].elements.count == 2)
            let newest = listed.json["sessions"][0]
            #expect(Set([first, second].map { JSON.string($0.session.id.rawValue) }).contains(newest["id"]))
            #expect(newest["isLiving"] == true && newest["proofs"] == ["password"])
            #expect(newest["grants"][0]["application"] == "dev-app" && newest["grants"][0]["scopes"] == ["openid"])
            for grant in [first.grant, second.grant] {
                #expect(!listed.text.contains(grant.id.rawValue), "It is the first part of refresh tokens.")
            }

            func end(_ session: SessionID, of user: User, app: String? = nil) async throws -> Reply {
                try await post(
                    "users:end-session",
                    [
                        "user": .string(user.id.rawValue), "session": .string(session.rawValue),
                        "application": app.map { .string($0) } ?? .null,
                    ])
            }
            #expect(try await end(first.session.id, of: bob).status == 404, "Another user's.")
            #expect(try await end(first.session.id, of: ada, app: "none").status == 404)
            #expect(try await end(second.session.id, of: ada, app: "dev-app").json["wasLiving"] == true)
            #expect(try await end(second.session.id, of: ada, app: "dev-app").json["wasLiving"] == false)
            #expect(try await server.realm.sessions.session(second.session.id, of: ada.id) != nil)
            #expect(try await end(first.session.id, of: ada).json["wasLiving"] == true)
            #expect(try await end(first.session.id, of: ada).json["wasLiving"] == false)
            #expect(try await server.realm.sessions.session(first.session.id, of: ada.id) == nil)
            #expect(try await post("users:sessions", ["user": "nobody"]).status == 404)
            #expect(try await post("users:sessions", ["user": "bob@example.org", "limit": 0]).status == 400)
            let kinds = try await server.realm.auditLog.events(limit: 50).map(\.kind)
            #expect(kinds.count { $0 == .sessionEnded } == 1 && kinds.count { $0 == .grantEnded } == 1)

            // However many came after it.
            let (old, other) = (try await signIn(), try await signIn())
            try await server.addSessions(1001, of: ada, named: "newer", age: -1, isEnded: true)
            #expect(try await end(old.session.id, of: ada).json["wasLiving"] == true)
            #expect(try await server.realm.sessions.session(old.session.id, of: ada.id) == nil)
            let all = try await post("users:end-sessions", ["user": .string(ada.id.rawValue)])
            #expect(all.json["ended"] == 2, "\(all.text)")
            #expect(try await server.realm.sessions.session(other.session.id, of: ada.id) == nil)
        }
    }

    @Test func `Lists of sessions, tokens and hooks go forwards to their end and back, and take no other's place`()
        async throws
    {
        try await TestServer.with(.development) { server in
            func post(_ name: String, _ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            let ada = try await server.account()
            try await server.addSessions(3, of: ada, named: "on", age: 50, isEnded: false)
            try await server.addSessions(2, of: ada, named: "over", age: 20, isEnded: true)
            for number in 0..<5 {
                let label = JSON.string("row-\(number)")
                let token = try await post(
                    "tokens:add", ["label": label, "scopes": ["users:read"], "lifetime": 3600])
                let registering = try await post("registration-tokens:add", ["label": label, "lifetime": 3600])
                let hook = try await post(
                    "hooks:add",
                    ["label": label, "url": .string("https://\(number).example.com/"), "events": ["users"]])
                for reply in [token, registering, hook] { #expect(reply.status == 200, "\(reply.text)") }
                try await server.advance(1)
            }
            let user = JSON.string(ada.id.rawValue)
            let lists: [(name: String, body: JSON, rows: String, count: Int)] = [
                ("users:sessions", ["user": user], "sessions", 5),
                ("users:sessions", ["user": user, "living": true], "sessions", 3),
                ("tokens:list", [:], "tokens", 5), ("registration-tokens:list", [:], "tokens", 5),
                ("hooks:list", [:], "hooks", 5),
            ]
            for (name, body, rows, count) in lists {
                func page(_ member: String? = nil, _ place: JSON = .null) async throws -> JSON {
                    guard case .object(var members) = body else { return .null }
                    members["limit"] = 2
                    if let member { members[member] = place }
                    let reply = try await post(name, .object(members))
                    #expect(reply.status == 200, "\(name): \(reply.text)")
                    return reply.json
                }
                func ids(_ page: JSON) -> [JSON] { page[rows].elements.map { $0["id"] } }
                var pages = [try await page()]
                #expect(pages[0]["previous"] == .null, "\(name)")
                while let next = pages[pages.count - 1]["next"].text, pages.count < 9 {
                    pages.append(try await page("after", .string(next)))
                }
                #expect(pages.count == (count + 1) / 2, "\(name)")
                #expect(Set(pages.flatMap(ids).map { "\($0)" }).count == count, "\(name)")
                var back = [pages[pages.count - 1]]
                while let previous = back[back.count - 1]["previous"].text, back.count < 9 {
                    back.append(try await page("before", .string(previous)))
                }
                #expect(back.reversed().map(ids) == pages.map(ids), "\(name)")
                for place in ["zzz", "MTIz"] {
                    guard case .object(var members) = body else { continue }
                    members["after"] = .string(place)
                    #expect(try await post(name, .object(members)).status == 400, "\(name)")
                }
            }
            // Those that were added first come first; the newest session does.
            let hooks = try await post("hooks:list", [:]).json["hooks"].elements
            #expect(hooks.map { $0["label"].text } == (0..<5).map { "row-\($0)" })
            let sessions = try await post("users:sessions", ["user": user]).json
            #expect(sessions["sessions"][0]["id"] == "over-1001" && sessions["isWhole"] == true)
        }
    }

    @Test func `Operations are called by name and refused in words`() async throws {
        try await TestServer.with { server in
            func post(
                _ name: String, _ body: String, bearer: String? = nil, method: HTTPRequest.Method = .post
            ) async throws -> Reply {
                try await server.send(
                    method, "/admin/v1/\(name)",
                    headers: [
                        .authorization: "Bearer \(bearer ?? server.adminToken)", .contentType: "application/json",
                    ], body: body.isEmpty ? nil : Array(body.utf8))
            }
            let added = try await post("users:add", #"{"email":"anna@example.com","id":"anna","displayName":null}"#)
            #expect(added.status == 200)
            #expect(added.json["user"]["id"] == "anna")
            #expect(try await post("users%3Alist", "").status == 200, "No body is an empty object.")

            let application = try await post(
                "applications:add",
                #"{"registration":{"attributes":[{"name":"a","type":"string","isRequired":true,"pattern":"^a$"}]}}"#)
            #expect(application.json["application"]["attributes"][0]["pattern"] == "^a$", "\(application.text)")

            let signing = try await post(
                "applications:add",
                #"{"registration":{"jwks":{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":""#
                    + #"SunBGweBTqtDNsxBnqUAjKHoKwF83Gpr_ka5e6FaB4o","y":"wbnG4MMOUADqLEEebfoCBgTOXFgCTD8wQ2aQ2ldQKGw"}]}}}"#
            )
            let summary = signing.json["application"]
            #expect(summary["isConfidential"] == true && summary["keyIDs"] == ["1"], "\(signing.text)")

            let cases: [(name: String, body: String, status: Int, code: String, message: String)] = [
                (
                    "applications:add", #"{"registration":{"jwks":{"keys":[{"kty":"oct","k":"AQAB"}]}}}"#, 400,
                    "invalid",
                    "a private or symmetric key"
                ),
                ("applications:add", #"{"registration":{"jwks":{}}}"#, 400, "invalid", "1 to 10 public keys"),
                ("users:show", #"{"user":"nobody"}"#, 404, "not_found", "There is no user nobody."),
                ("users:add", #"{"email":"anna@example.com"}"#, 409, "conflict", "has an account"),
                ("users:add", #"{"email":"anna"}"#, 400, "invalid", "is no e-mail address"),
                ("users:add", #"{"email":"b@example.com","password":"short"}"#, 400, "refused", "too short"),
                ("users:add", "{}", 400, "invalid", #"The member "email" is missing."#),
                (
                    "users:add", #"{"email":"b@example.com","emailVerifed":true}"#, 400, "invalid",
                    #"users:add has no member "emailVerifed". Did you mean emailVerified?"#
                ),
                (
                    "applications:set", #"{"id":"shop","registration":{"requireMFA":true}}"#, 400, "invalid",
                    #"applications:set has no member "registration.requireMFA"."#
                ),
                (
                    "applications:add",
                    #"{"registration":{"attributes":[{"name":"a","type":"string","isRequired":true,"pattern":"("}]}}"#,
                    400, "invalid", "The pattern of the attribute a is not taken: a ( has no ) after it."
                ),
                ("keys:list", #"{"limit":1}"#, 400, "invalid", "It has none."),
                ("users:list", #"{"limit":"many"}"#, 400, "invalid", #"The member "limit" has to be an integer."#),
                ("users:list", "[]", 400, "invalid", "The body has to be a JSON object."),
                ("users:list", "{", 400, "invalid", "The body is no JSON"),
                ("clients:show", #"{"client":"nobody"}"#, 404, "not_found", "There is no such client."),
                ("clients:unblock", #"{"client":"nobody","check":"x"}"#, 404, "not_found", "There is no such client."),
                ("clients:list-checks", #"{"user":"nobody"}"#, 404, "not_found", "There is no user nobody."),
                ("clients:list", #"{"status":"gone"}"#, 400, "invalid", "is no status"),
                ("clients:list-open-checks", #"{"after":"zzz"}"#, 400, "invalid", "This is no place in the list"),
                ("checks:list", #"{"application":"nobody"}"#, 404, "not_found", "There is no application nobody."),
                ("clients:list", #"{"limit":1001}"#, 400, "invalid", "out of range"),
                (
                    "clients:set-status", #"{"client":"nobody","status":"gone"}"#, 400, "invalid", "is no status"
                ),
                ("users:lst", "{}", 404, "not_found", "Did you mean users:list?"),
            ]
            for (name, body, status, code, message) in cases {
                let reply = try await post(name, body)
                #expect(reply.status == status, "\(name) \(body)")
                #expect(reply.json["error"]["code"].text == code, "\(name) \(body)")
                #expect(reply.message?.contains(message) == true, "\(reply.text)")
            }
            for bearer in ["wrong", "owner", "\(server.adminToken)x"] {
                let reply = try await post("users:delete", #"{"user":"anna"}"#, bearer: bearer)
                #expect(reply.status == 401)
                #expect(reply.json["error"]["code"] == "unauthorized")
            }
            let wrongMethod = try await post("users:list", "", method: .put)
            #expect(wrongMethod.status >= 400)
            #expect(wrongMethod.json["error"]["code"].text != nil)
        }
    }

    @Test func `Refresh tokens of clients are warned of`() {
        var change = RegistrationChange()
        change.versions = [ApplicationVersion()]
        #expect(change.warnings(for: ClientID(rawValue: "shop"), among: []).isEmpty)
        change.versions = [ApplicationVersion(), ApplicationVersion(version: "2", refreshTokens: true)]
        #expect(
            change.warnings(for: ClientID(rawValue: "shop"), among: []).first?.hasPrefix("shop has refresh tokens")
                == true)
        let api = Resource(uri: "https://api.example", scopes: [])
        var asking = RegistrationChange()
        asking.resources = ["https://api.example", "https://apy.example"]
        #expect(
            asking.warnings(for: ClientID(rawValue: "shop"), among: [api]).map { $0.prefix(35) }
                == ["There is no API https://apy.example"])
    }

    @Test func `A picture of a user is an https address, also where users may set none`() async throws {
        try await TestServer.with { server in
            _ = try await AddUser(email: "ada@example.com", id: "ada").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            func set(_ picture: String) async throws -> String? {
                try await SetUser(user: "ada", picture: picture).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator
                ).user.picture
            }
            for text in ["http://a.example/a.png", "javascript:alert(1)", "https://ada@a.example/", "https://"] {
                let refused = await #expect(throws: AdministrationError.self) { try await set(text) }
                #expect(refused?.code == .invalid, "\(text)")
            }
            #expect(try await set("https://a.example/a.png") == "https://a.example/a.png")
            #expect(try await set("") == nil)
        }
    }

    @Test func `Another address of a user ends the sessions, is told to the former one and is confirmed anew`()
        async throws
    {
        try await TestServer.with { server in
            let (realm, id) = (server.realm, UserID(rawValue: "ada"))
            for name in ["ada", "bob"] {
                _ = try await AddUser(email: "\(name)@example.com", emailVerified: true, id: name).perform(
                    on: realm, as: .commandLine, by: .testAdministrator)
            }
            func set(_ email: String, verified: Bool? = nil, dryRun: Bool? = nil) async throws -> UserSummary {
                try await SetUser(user: "ada", email: email, emailVerified: verified, dryRun: dryRun).perform(
                    on: realm, as: .commandLine, by: .testAdministrator
                ).user
            }
            func epoch() async throws -> Int { try #require(try await realm.accounts.user(id)).tokenEpoch }
            let before = try await epoch()
            for (text, dryRun, code) in [
                ("none", nil, .invalid), ("", nil, .invalid), ("BOB@example.com", nil, .conflict),
                ("BOB@example.com", true, .conflict),
            ] as [(String, Bool?, AdministrationError.Code)] {
                let refused = await #expect(throws: AdministrationError.self) { try await set(text, dryRun: dryRun) }
                #expect(refused?.code == code, "\(text)")
            }
            #expect(try await set("new@example.com", dryRun: true).email == "ada@example.com")
            let same = try await set("ADA@example.com")
            #expect(same.email == "ada@example.com" && same.emailVerified)
            #expect(try await epoch() == before, "Nobody is signed out by the same address.")
            let moved = try await set("ada@new.example")
            #expect(moved.email == "ada@new.example" && !moved.emailVerified)
            #expect(try await epoch() > before)
            let mail = try #require(
                try await realm.outbox.messages().last { $0.content.template == "email-changed" })
            #expect(mail.content.values["newEmail"] == "ada@new.example" && mail.content.values["link"] == nil)
            #expect(try await realm.auditLog.events(of: id, limit: 9).contains { $0.kind == .emailChanged })
            // The user confirms it by a link that is mailed to it.
            func mailed() async throws -> UserSummary {
                try await MailConfirmation(user: "ada").perform(
                    on: realm, as: .user(UserID(rawValue: "support"), .support), by: .testAdministrator
                ).user
            }
            #expect(try await mailed().email == "ada@new.example")
            let link = try #require(try await realm.outbox.messages().last { $0.content.values["link"] != nil })
            #expect(link.message.recipient == "ada@new.example")
            #expect(try await set("ada@other.example", verified: true).emailVerified)
            let refused = await #expect(throws: AdministrationError.self) { try await mailed() }
            #expect(refused?.code == .refused && refused?.message.contains("confirmed already") == true)
        }
    }

    /// Names are in scripts.
    @Test func `Every operation has a name of its own`() {
        let names = AdministrationOperations.all.map { $0.name }
        #expect(Set(names).count == names.count)
        #expect(
            names == [
                "users:add", "users:invite", "users:list", "users:search", "users:names", "users:show", "users:disable",
                "users:enable", "users:set-locale", "users:set", "users:delete", "users:bulk", "users:reset-password",
                "users:reset-mfa", "users:mail-recovery-code", "users:invite-to-enrol",
                "users:mail-confirmation", "users:remove-factor",
                "users:import", "users:export", "users:data", "users:sessions", "users:end-session",
                "users:end-sessions", "users:applications", "users:revoke-application", "applications:add",
                "applications:set", "applications:set-logo",
                "applications:list", "applications:show", "applications:remove", "applications:test-redirect",
                "applications:sessions", "applications:ending-secrets", "registration-tokens:add",
                "registration-tokens:list",
                "registration-tokens:remove", "registrations:list", "registrations:approve",
                "documents:list", "documents:forget", "documents:block",
                "resources:put", "resources:list", "resources:remove", "clients:list", "clients:show",
                "clients:list-checks", "clients:list-open-checks", "clients:set-status", "clients:unblock",
                "clients:remove", "checks:list",
                "extensions:add",
                "extensions:list", "extensions:show",
                "extensions:remove", "extensions:check", "groups:add", "groups:list", "groups:show", "groups:set",
                "groups:remove", "groups:add-member",
                "groups:remove-member", "administrators:invite", "administrators:grant",
                "administrators:revoke", "administrators:list", "tokens:add", "tokens:list", "tokens:revoke",
                "hooks:add", "hooks:list", "hooks:show", "hooks:set", "hooks:rotate-secret", "hooks:remove",
                "hooks:test", "hooks:replay", "figures:show", "keys:rotate", "keys:retire", "keys:list", "audit:list",
                "audit:search", "audit:show", "audit:seals", "audit:verify", "audit:accept", "limits:list",
                "delivery:show", "delivery:retry", "delivery:test-mail",
                "delivery:test-push", "delivery:templates", "delivery:preview", "limits:lift", "settings:show",
                "settings:preview", "settings:set", "settings:start", "doctor",
            ])
    }
}
