import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

@testable import AdminServer

/// Who may do what: every operation against every kind of caller. An operation without a row fails.
@Suite struct AuthorizationMatrixTests {
    /// The roles that may call an operation, and the scope that opens it to a machine.
    private struct Row {
        let scope: String
        let roles: Set<AdministratorRole>

        /// Scopes that open it too, each for some of what it does.
        var otherScopes: Set<String> = []

        init(_ scope: String, _ roles: AdministratorRole...) {
            self.scope = scope
            // The owner may do everything.
            self.roles = Set(roles + [.owner])
        }

        func or(_ scopes: String...) -> Row {
            var row = self
            row.otherScopes = Set(scopes)
            return row
        }
    }

    /// Written by hand, beside the program's own table.
    private static let rows: [String: Row] = [
        "users:add": Row("users:write", .operator),
        "users:invite": Row("users:write", .operator),
        "users:list": Row("users:read", .operator, .support, .auditor),
        "users:search": Row("users:read", .operator, .support, .auditor),
        "users:names": Row("users:read", .operator, .support, .auditor),
        "users:show": Row("users:read", .operator, .support, .auditor),
        "users:disable": Row("users:write", .operator),
        "users:enable": Row("users:write", .operator),
        "users:set-locale": Row("users:write", .operator),
        "users:set": Row("users:write", .operator),
        "users:bulk": Row("users:sessions", .operator, .support).or("users:write", "users:reset", "groups:write"),
        "users:mail-recovery-code": Row("users:reset", .operator, .support),
        "users:invite-to-enrol": Row("users:reset", .operator, .support),
        "users:mail-confirmation": Row("users:reset", .operator, .support),
        "users:delete": Row("users:write", .operator),
        "users:reset-password": Row("users:reset", .operator, .support),
        "users:reset-mfa": Row("users:write", .operator),
        "users:import": Row("users:transfer"),
        "users:export": Row("users:transfer"),
        "users:data": Row("users:read", .operator, .support, .auditor),
        "users:sessions": Row("users:read", .operator, .support, .auditor),
        "users:end-session": Row("users:sessions", .operator, .support),
        "users:end-sessions": Row("users:sessions", .operator, .support),
        "users:applications": Row("users:read", .operator, .support, .auditor),
        "users:revoke-application": Row("users:sessions", .operator, .support),
        "users:remove-factor": Row("users:write", .operator),
        "applications:add": Row("applications:write", .operator),
        "applications:set": Row("applications:write", .operator),
        "applications:set-logo": Row("applications:write", .operator),
        "applications:list": Row("applications:read", .operator, .auditor),
        "applications:show": Row("applications:read", .operator, .auditor),
        "applications:ending-secrets": Row("applications:read", .operator, .auditor),
        "applications:test-redirect": Row("applications:read", .operator, .auditor),
        "applications:sessions": Row("users:read", .operator, .support, .auditor),
        "applications:remove": Row("applications:write", .operator),
        "registration-tokens:add": Row("applications:write", .operator),
        "registration-tokens:list": Row("applications:read", .operator, .auditor),
        "registration-tokens:remove": Row("applications:write", .operator),
        "registrations:list": Row("applications:read", .operator, .auditor),
        "registrations:approve": Row("applications:write", .operator),
        "documents:list": Row("applications:read", .operator, .auditor),
        "documents:forget": Row("applications:write", .operator),
        "documents:block": Row("applications:write", .operator),
        "resources:put": Row("applications:write", .operator),
        "resources:list": Row("applications:read", .operator, .auditor),
        "resources:remove": Row("applications:write", .operator),
        "checks:list": Row("applications:read", .operator, .auditor),
        "clients:list": Row("clients:read", .operator, .auditor),
        "clients:list-checks": Row("clients:read", .operator, .auditor),
        "clients:list-open-checks": Row("clients:read", .operator, .auditor),
        "clients:show": Row("clients:read", .operator, .auditor),
        "clients:set-status": Row("clients:write", .operator),
        "clients:unblock": Row("clients:write", .operator),
        "clients:remove": Row("clients:write", .operator),
        "extensions:add": Row("extensions:write"),
        "extensions:list": Row("extensions:read", .auditor),
        "extensions:show": Row("extensions:read", .auditor),
        "extensions:remove": Row("extensions:write"),
        "extensions:check": Row("extensions:write"),
        "groups:add": Row("groups:write", .operator),
        "groups:list": Row("groups:read", .operator, .support, .auditor),
        "groups:show": Row("groups:read", .operator, .support, .auditor),
        "groups:set": Row("groups:write", .operator),
        "groups:remove": Row("groups:write", .operator),
        "groups:add-member": Row("groups:write", .operator),
        "groups:remove-member": Row("groups:write", .operator),
        "administrators:invite": Row("administrators:write"),
        "administrators:grant": Row("administrators:write"),
        "administrators:revoke": Row("administrators:write"),
        "administrators:list": Row("administrators:read", .auditor),
        "tokens:add": Row("administrators:write"),
        "tokens:list": Row("administrators:read", .auditor),
        "tokens:revoke": Row("administrators:write"),
        "hooks:add": Row("hooks:write"),
        "hooks:list": Row("hooks:read", .auditor),
        "hooks:show": Row("hooks:read", .auditor),
        "hooks:set": Row("hooks:write"),
        "hooks:rotate-secret": Row("hooks:write"),
        "hooks:remove": Row("hooks:write"),
        "hooks:test": Row("hooks:write"),
        "hooks:replay": Row("hooks:write"),
        "figures:show": Row("figures:read", .operator, .support, .auditor),
        "delivery:test-push": Row("delivery:write", .operator),
        "delivery:templates": Row("delivery:read", .operator, .auditor),
        "delivery:preview": Row("delivery:read", .operator, .auditor),
        "keys:rotate": Row("keys:write"),
        "keys:retire": Row("keys:write"),
        "keys:list": Row("keys:read", .auditor),
        "audit:list": Row("audit:read", .operator, .auditor),
        "audit:search": Row("audit:read", .operator, .auditor),
        "audit:show": Row("audit:read", .operator, .auditor),
        "audit:seals": Row("audit:read", .operator, .auditor),
        "audit:verify": Row("audit:read", .operator, .auditor),
        "audit:accept": Row("settings:write"),
        "delivery:show": Row("delivery:read", .operator, .auditor),
        "delivery:retry": Row("delivery:write", .operator),
        "delivery:test-mail": Row("delivery:write", .operator),
        "limits:list": Row("limits:read", .operator, .support, .auditor),
        "limits:lift": Row("limits:write", .operator),
        "settings:show": Row("settings:read", .auditor),
        "settings:start": Row("settings:read", .auditor),
        "settings:set": Row("settings:write"),
        "settings:preview": Row("settings:read", .auditor),
        "doctor": Row("settings:read", .auditor),
    ]

    @Test func `Each role may do what its row says, and nothing else`() throws {
        #expect(Set(Self.rows.keys) == Set(AdministrationOperations.all.map { $0.name }), "An operation has no row.")
        for type in AdministrationOperations.all {
            let row = try #require(Self.rows[type.name], "\(type.name) has no row.")
            for role in AdministratorRole.allCases {
                let caller = AdministrationCaller.user(UserID(rawValue: "u"), role)
                #expect(Self.admits(type, caller) == row.roles.contains(role), "\(type.name) for \(role)")
            }
            #expect(Self.admits(type, .commandLine) && Self.admits(type, .adminToken), "\(type.name)")
        }
    }

    private static func admits(_ type: any AdministrationOperation.Type, _ caller: AdministrationCaller) -> Bool {
        do {
            try type.requireRight(of: caller)
            return true
        } catch {
            return false
        }
    }

    @Test func `Each operation over HTTP takes a token of its scope alone`() async throws {
        try await TestServer.with { server in
            func token(_ scopes: Set<AdministrationScope>) async throws -> String {
                try await server.realm.machineTokens.add(
                    name: "", scopes: scopes, lifetime: 86_400, by: .commandLine
                ).get().text.reveal()
            }
            let everything = try await token([.all])
            var own: [AdministrationRight: String] = [:]
            var others: [AdministrationRight: String] = [:]
            for right in AdministrationRight.allCases {
                own[right] = try await token([.right(right)])
                others[right] = try await token(
                    Set(AdministrationRight.allCases.filter { $0 != right }.map { .right($0) }))
            }
            /// The body has a member that no operation knows: nothing is done, and who may call is told what is wrong with it.
            func status(_ name: String, _ bearer: String?) async throws -> Int {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: bearer.map { [.authorization: "Bearer \($0)", .contentType: "application/json"] }
                        ?? [.contentType: "application/json"],
                    body: Array(#"{"no-such-member":1}"#.utf8)
                ).status
            }
            for (name, row) in Self.rows.sorted(by: { $0.key < $1.key }) {
                let right = try #require(AdministrationRight(rawValue: row.scope))
                #expect(try await status(name, nil) == 401, "\(name) for nobody")
                #expect(try await status(name, "csadm_" + String(repeating: "A", count: 43)) == 401, "\(name)")
                #expect(try await status(name, own[right]) == 400, "\(name) with its scope")
                let other = row.otherScopes.isEmpty ? 403 : 400
                #expect(try await status(name, others[right]) == other, "\(name) with all other scopes")
                #expect(try await status(name, everything) == 400, "\(name) with *")
                #expect(try await status(name, server.adminToken) == 400, "\(name) with the first token")
            }
            server.clock.advance(86_401)
            for name in Self.rows.keys.sorted() { #expect(try await status(name, everything) == 401, "\(name)") }
            #expect(try await status("users:list", server.adminToken) == 400, "The first token does not end.")
        }
    }

    @Test func `Each action on many users takes its own right and no other`() async throws {
        try await TestServer.with { server in
            _ = try await AddUser(email: "ada@example.com", id: "ada").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            func status(_ action: String, _ scopes: Set<AdministrationRight>) async throws -> Int {
                let token = try await server.realm.machineTokens.add(
                    name: "", scopes: Set(scopes.map { .right($0) }), lifetime: 86_400, by: .commandLine
                ).get()
                var members: [String: JSON] = ["action": .string(action), "users": ["ada"]]
                if action.hasSuffix("-group") { members["group"] = "staff" }
                let body = JSON.object(members)
                return try await server.send(
                    .post, "/admin/v1/users:bulk",
                    headers: [.authorization: "Bearer \(token.text.reveal())", .contentType: "application/json"],
                    body: body.bytes
                ).status
            }
            _ = try await AddGroup(group: "staff").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            let rights: [(String, AdministrationRight)] = [
                ("add-to-group", .changeGroups), ("remove-from-group", .changeGroups),
                ("end-sessions", .endSessions), ("reset-password", .mailResets), ("disable", .changeUsers),
                ("enable", .changeUsers), ("reset-mfa", .changeUsers), ("delete", .changeUsers),
            ]
            #expect(Set(rights.map(\.0)) == Set(ChangeUsers.Action.allCases.map(\.rawValue)))
            for (action, right) in rights {
                let others = Set(AdministrationRight.allCases).subtracting([right])
                #expect(try await status(action, others) == 403, "\(action)")
                #expect(try await status(action, [right]) == 200, "\(action)")
            }
            #expect(
                try await status(
                    "disable", Set(AdministrationRight.allCases).subtracting(rights.map(\.1))) == 403)
        }
    }

    /// Operations that name a user and are not of a right of users, with what else they take.
    private static let naming: [String: JSON] = [
        "clients:list-checks": [:], "audit:list": [:], "audit:search": [:], "groups:list": [:],
        "groups:add-member": ["group": "staff"], "groups:remove-member": ["group": "staff"],
    ]

    @Test func `An address names a user to those alone who have a right of users, and an id to all`() async throws {
        try await TestServer.with { server in
            let realm = server.realm
            _ = try await AddUser(email: "ada@example.com", id: "ada").perform(
                on: realm, as: .commandLine, by: .testAdministrator)
            _ = try await AddGroup(group: "staff").perform(on: realm, as: .commandLine, by: .testAdministrator)
            func reply(_ name: String, _ user: String, _ rights: [AdministrationRight]) async throws -> Reply {
                let token = try await realm.machineTokens.add(
                    name: "", scopes: Set(rights.map { .right($0) }), lifetime: 86_400, by: .commandLine
                ).get()
                guard case .object(var body)? = Self.naming[name] else { throw CancellationError() }
                body["user"] = .string(user)
                return try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [
                        .authorization: "Bearer \(token.text.reveal())", .contentType: "application/json",
                    ], body: JSON.object(body).bytes)
            }
            for type in AdministrationOperations.all where Self.namesUser(type) {
                // Whoever gives roles and tokens names the users who get them.
                if type.right.rawValue.hasPrefix("users:") || type.right == .changeAdministrators { continue }
                // By id alone.
                if type.name == "clients:list" { continue }
                _ = try #require(Self.naming[type.name], "\(type.name) names a user and has no row.")
                let taken = try await reply(type.name, "ada@example.com", [type.right])
                let free = try await reply(type.name, "nobody@example.com", [type.right])
                #expect(
                    taken.status == 403 && taken.json["error"]["code"] == "forbidden", "\(type.name): \(taken.text)")
                #expect(taken.status == free.status && taken.text == free.text, "\(type.name): \(free.text)")
                #expect(try await reply(type.name, "ada", [type.right]).status == 200, "\(type.name)")
                for right in [AdministrationRight.readUsers, .mailResets] {
                    let known = try await reply(type.name, "ada@example.com", [type.right, right])
                    #expect(known.status == 200, "\(type.name): \(known.text)")
                    let unknown = try await reply(type.name, "nobody@example.com", [type.right, right])
                    #expect(unknown.status == 404, "\(type.name): \(unknown.text)")
                }
            }
        }
    }

    private static func namesUser<Operation: AdministrationOperation>(_ type: Operation.Type) -> Bool {
        JSONSchema(of: type).value["properties"]?["user"] != nil
    }

    @Test func `A machine's token is shown once, used to the hour, named in the log and ended at once`() async throws {
        try await TestServer.with { server in
            func post(_ name: String, _ body: JSON, _ bearer: String) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"], body: body.bytes)
            }
            let made = try await post(
                "tokens:add", ["label": "backup", "scopes": ["users:read", "groups:write"], "lifetime": 3600],
                server.adminToken)
            #expect(made.status == 200, "\(made.text)")
            let secret = try #require(made.json["secret"].text)
            let id = try #require(made.json["token"]["id"].text)
            #expect(secret.hasPrefix("csadm_") && made.json["token"]["scopes"] == ["groups:write", "users:read"])

            #expect(try await post("users:list", [:], secret).status == 200)
            let first = try await server.realm.machineTokens.list()
            #expect(first.map(\.lastUsedAt) == [server.now])
            server.clock.advance(1800)
            #expect(try await post("users:list", [:], secret).status == 200)
            #expect(try await server.realm.machineTokens.list() == first, "Half an hour later nothing is written.")

            #expect(try await post("groups:add", ["group": "staff"], secret).status == 200)
            let event = try #require(try await server.realm.auditLog.events(limit: 10).first { $0.kind == .groupAdded })
            #expect(event.details == ["group": "staff", "by": .string("token:\(id)")])
            // The first token is named too, and the command line has no name.
            #expect(try await post("groups:add", ["group": "first"], server.adminToken).status == 200)
            _ = try await AddGroup(group: "here").perform(on: server.realm, as: .commandLine, by: .commandLine)
            let added = try await server.realm.auditLog.events(limit: 10).filter { $0.kind == .groupAdded }
            #expect(added.first { $0.details["group"] == "first" }?.details["by"] == "admin-token")
            #expect(added.first { $0.details["group"] == "here" }.map { $0.details["by"] == nil } == true)
            let refused = try await post("users:delete", ["user": "x"], secret)
            #expect(refused.status == 403 && refused.json["error"]["code"] == "forbidden", "\(refused.text)")
            #expect(refused.message?.contains("users:write") == true)

            let list = try await post("tokens:list", [:], server.adminToken)
            #expect(list.json["tokens"][0]["id"].text == id && !list.text.contains(secret))
            #expect(try await post("tokens:revoke", ["id": .string(id)], secret).status == 403)
            #expect(try await post("tokens:revoke", ["id": .string(id)], server.adminToken).status == 200)
            #expect(try await post("users:list", [:], secret).status == 401)
            #expect(try await post("tokens:revoke", ["id": .string(id)], server.adminToken).status == 404)
        }
    }

    @Test func `A token that a user made opens what the user may do, and nothing while the user does not administer`()
        async throws
    {
        try await TestServer.with { server in
            let realm = server.realm
            func post(_ name: String, _ body: JSON, _ bearer: String) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"], body: body.bytes)
            }
            func status(_ bearer: String, _ name: String = "users:list") async throws -> Int {
                try await post(name, [:], bearer).status
            }
            for (name, role) in [("olga", AdministratorRole.owner), ("otto", .owner)] {
                let user = try await realm.accounts.create(
                    id: UserID(rawValue: name), email: EmailAddress("\(name)@example.com"), password: nil,
                    by: .testAdministrator
                ).get()
                _ = try await realm.administrators.grant(role, to: user.id, by: .testAdministrator)
            }
            let olga = UserID(rawValue: "olga")
            let add = AddMachineToken(label: "of olga", scopes: ["*"], lifetime: 86_400)
            let made = try await add.perform(on: realm, as: .user(olga, .owner), by: .testAdministrator)
            let own = made.secret.secret.reveal()
            // What is made with it is hers, too; what is made with another's is not.
            let body: JSON = ["scopes": ["users:read", "settings:read"], "lifetime": 86_400]
            let second = try await post("tokens:add", body, own)
            #expect(second.json["token"]["createdBy"] == "user:olga", "\(second.text)")
            let child = try #require(second.json["secret"].text)
            let events = try await realm.auditLog.events(limit: 10)
            let id = second.json["token"]["id"].text
            let event = events.first { $0.kind == .machineTokenAdded && $0.details["token"]?.stringValue == id }
            #expect(event?.details["by"] == .string("token:\(made.token.id)"))
            let third = try await post("tokens:add", body, server.adminToken)
            let free = try #require(third.json["secret"].text)
            let ids = [made.token.id, second.json["token"]["id"].text, third.json["token"]["id"].text]
            func standings() async throws -> [String?] {
                let tokens = try await post("tokens:list", [:], server.adminToken).json["tokens"].elements
                return ids.map { id in tokens.first { $0["id"].text == id }?["standing"].text }
            }
            #expect(try await [status(own), status(child), status(free)] == [200, 200, 200])
            #expect(try await standings() == ["open", "open", "open"])

            // A lesser role lessens them.
            let demoted = try await post(
                "administrators:grant", ["user": "olga", "role": "support"], server.adminToken)
            #expect(demoted.status == 200, "\(demoted.text)")
            #expect(try await [status(own), status(child), status(free)] == [200, 200, 200])
            #expect(try await [status(own, "settings:show"), status(child, "settings:show")] == [403, 403])
            #expect(try await status(free, "settings:show") == 200)
            #expect(try await standings() == ["limited", "limited", "open"])

            let revoked = try await post("administrators:revoke", ["user": "olga"], server.adminToken)
            #expect(revoked.json["tokens"] == 2, "\(revoked.text)")
            let log = try await realm.auditLog.events(limit: 10).first { $0.kind == .administratorRevoked }
            guard case .array(let named)? = log?.details["tokens"] else { throw Unexpected(what: "\(log as Any)") }
            #expect(named.count == 2 && named.contains(.string(made.token.id)))
            let refused = try await post("users:list", [:], own)
            #expect(refused.status == 401 && refused.message?.contains("does not administer") == true)
            #expect(try await [status(child), status(free)] == [401, 200])
            #expect(try await standings() == ["dormant", "dormant", "open"])

            // Nothing is lost: with the role they open again, and not while the user is disabled. Whoever enables the user may keep them.
            _ = try await realm.administrators.grant(.owner, to: olga, by: .testAdministrator)
            #expect(try await status(own, "settings:show") == 200)
            #expect(try await post("users:disable", ["user": "olga"], server.adminToken).status == 200)
            #expect(try await [status(own), status(child)] == [401, 401])
            let kept = try await post("users:enable", ["user": "olga", "keepTokens": true], server.adminToken)
            #expect(kept.status == 200 && kept.json["tokens"] == 2, "\(kept.text)")
            #expect(try await status(own) == 200)
            // Another user of the id did not make them.
            try await server.advance(1)
            #expect(try await post("users:delete", ["user": "olga"], server.adminToken).status == 200)
            #expect(try await status(own) == 401)
            _ = try await realm.accounts.create(
                id: olga, email: EmailAddress("olga@example.com"), password: nil, by: .testAdministrator
            ).get()
            _ = try await realm.administrators.grant(.owner, to: olga, by: .testAdministrator)
            #expect(try await status(own) == 401)
        }
    }

    @Test func `Tokens, groups and roles that cannot be are refused in words`() async throws {
        try await TestServer.with { server in
            func post(_ name: String, _ body: String) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: Array(body.utf8))
            }
            _ = try await post("users:add", #"{"email":"ada@example.com","id":"ada"}"#)
            _ = try await post("groups:add", #"{"group":"staff"}"#)
            // An operator, who may not change settings, would change this one.
            _ = try await post("groups:add", #"{"group":"guarded"}"#)
            let setting = try await post(
                "settings:set", #"{"key":"secondFactors.requiredGroups","value":["guarded"]}"#)
            #expect(setting.status == 200, "\(setting.text)")
            let long = String(repeating: "x", count: 201)
            let cases: [(name: String, body: String, status: Int, message: String)] = [
                ("tokens:add", #"{"scopes":[],"lifetime":60}"#, 400, "needs scopes"),
                ("tokens:add", #"{"scopes":["users:raed"],"lifetime":60}"#, 400, "Did you mean users:read?"),
                ("tokens:add", #"{"scopes":["*"],"lifetime":59}"#, 400, "out of range"),
                ("tokens:add", #"{"scopes":["*"],"lifetime":-1}"#, 400, "out of range"),
                ("tokens:add", #"{"scopes":["*"]}"#, 400, "lifetime"),
                ("tokens:add", #"{"scopes":["*"],"lifetime":60,"label":"\#(long)"}"#, 400, "characters"),
                ("tokens:add", #"{"scopes":["*"],"lifetime":60,"label":"a\nb"}"#, 400, "The label is one line"),
                ("tokens:add", #"{"scopes":["*"],"lifetime":60,"label":" "}"#, 400, "The label is one line"),
                ("registration-tokens:add", #"{"lifetime":60,"label":"a\u0085b"}"#, 400, "The label is one line"),
                ("hooks:add", #"{"url":"https://a.example/","events":["*"],"label":"\u2028"}"#, 400, "one line"),
                ("tokens:add", #"{"scopes":"*","lifetime":60}"#, 400, "scopes"),
                ("tokens:revoke", #"{"id":"none"}"#, 404, "There is no token"),
                ("groups:add", #"{"group":"staff"}"#, 409, "already"),
                ("groups:add", #"{"group":""}"#, 400, "is no name"),
                ("groups:add", #"{"group":"a b"}"#, 400, "is no name"),
                ("groups:add", #"{"group":"\u202eb"}"#, 400, "is no name"),
                ("groups:add", #"{"group":"other","summary":"\#(long)"}"#, 400, "characters"),
                ("groups:add", #"{"group":"other","summary":"a\u007fb"}"#, 400, "The summary is one line"),
                ("groups:set", #"{"group":"staff","summary":"a\u0085b"}"#, 400, "The summary is one line"),
                ("groups:list", #"{"nope":null}"#, 400, "has no member"),
                ("groups:show", #"{"group":"none"}"#, 404, "There is no group"),
                ("groups:remove", #"{"group":"none"}"#, 404, "There is no group"),
                ("groups:remove", #"{"group":"guarded"}"#, 400, "requiredGroups names the group guarded"),
                ("groups:add-member", #"{"group":"none","user":"ada"}"#, 404, "There is no group"),
                ("groups:add-member", #"{"group":"staff","user":"bob"}"#, 404, "There is no user"),
                ("groups:remove-member", #"{"group":"staff","user":"bob"}"#, 404, "There is no user"),
                ("groups:list", #"{"limit":0}"#, 400, "out of range"),
                ("administrators:grant", #"{"user":"ada","role":"ownr"}"#, 400, "Did you mean owner?"),
                ("administrators:grant", #"{"user":"bob","role":"owner"}"#, 404, "There is no user"),
                ("administrators:revoke", #"{"user":"bob"}"#, 404, "There is no user"),
            ]
            for (name, body, status, message) in cases {
                let reply = try await post(name, body)
                #expect(reply.status == status, "\(name) \(body): \(reply.text)")
                #expect(reply.message?.contains(message) == true, "\(name) \(body): \(reply.text)")
            }
            #expect(try await server.realm.machineTokens.list().isEmpty)
        }
    }

    @Test func `The last owner who can sign in is neither demoted, disabled, removed nor imported as disabled`()
        async throws
    {
        try await TestServer.with { server in
            func post(_ name: String, _ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            for id in ["ada", "bob"] {
                _ = try await post("users:add", ["email": .string("\(id)@example.com"), "id": .string(id)])
            }
            #expect(try await post("administrators:grant", ["user": "ada", "role": "owner"]).status == 200)
            let bodies: [(String, JSON)] = [
                ("administrators:grant", ["user": "ada", "role": "support"]),
                ("administrators:revoke", ["user": "ada"]),
                ("users:disable", ["user": "ada"]), ("users:delete", ["user": "ada"]),
            ]
            func refuseAll() async throws {
                for (name, body) in bodies {
                    let reply = try await post(name, body)
                    #expect(reply.status == 400 && reply.message?.contains("last owner") == true, "\(reply.text)")
                }
                let imported = try await post(
                    "users:import",
                    [
                        "lines": [#"{"localId":"ada","email":"ada@example.com","disabled":true}"#], "overwrite": true,
                    ])
                #expect(imported.json["refused"][0]["reason"].text?.contains("last owner") == true, "\(imported.text)")
                #expect(try await server.realm.administrators.role(of: UserID(rawValue: "ada")) == .owner)
            }
            try await refuseAll()
            #expect(try await post("administrators:grant", ["user": "bob", "role": "owner"]).status == 200)
            #expect(try await post("users:disable", ["user": "bob"]).status == 200)
            try await refuseAll()
            #expect(try await post("administrators:grant", ["user": "bob", "role": "auditor"]).status == 400)
            #expect(try await post("users:enable", ["user": "bob"]).status == 200)
            #expect(try await post("administrators:revoke", ["user": "ada"]).json["role"] == "owner")
            #expect(try await post("administrators:revoke", ["user": "ada"]).json["role"] == .null)
            #expect(try await post("users:delete", ["user": "bob"]).status == 400, "bob is the last one now.")
            #expect(try await post("users:delete", ["user": "ada"]).status == 200)
            let kinds = try await server.realm.auditLog.events(limit: 50).map(\.kind)
            #expect(kinds.count { $0 == .administratorGranted } == 2)
            #expect(kinds.count { $0 == .administratorRevoked } == 1)
        }
    }

    @Test func `Users with a role are changed by owners alone, and support hands out no secret`() async throws {
        try await TestServer.with { server in
            let realm = server.realm
            func user(_ id: String) async throws -> UserID {
                let result = try await realm.accounts.create(
                    id: UserID(rawValue: id), email: EmailAddress("\(id)@example.com"), password: nil,
                    profile: UserProfile(), by: .commandLine)
                return try result.get().id
            }
            let ada = try await user("ada")
            let bob = try await user("bob")
            _ = try await realm.administrators.grant(.owner, to: ada, by: .commandLine)
            _ = try await realm.administrators.grant(.operator, to: bob, by: .commandLine)
            _ = try await user("carol")
            func outcome(
                _ operation: some AdministrationOperation, _ role: AdministratorRole
            ) async throws -> AdministrationError.Code? {
                do {
                    _ = try await operation.perform(on: realm, as: .user(bob, role), by: .commandLine)
                    return nil
                } catch let error as AdministrationError {
                    return error.code
                }
            }
            for target in ["ada", "bob"] {
                #expect(try await outcome(ResetPassword(user: target, method: .generate), .operator) == .forbidden)
                #expect(try await outcome(ResetPassword(user: target, method: .link), .operator) == .forbidden)
                #expect(try await outcome(ResetSecondFactors(user: target), .operator) == .forbidden)
                #expect(try await outcome(DisableUser(user: target), .operator) == .forbidden)
                #expect(try await outcome(EnableUser(user: target), .operator) == .forbidden)
                #expect(try await outcome(DeleteUser(user: target), .operator) == .forbidden)
                #expect(try await outcome(ResetPassword(user: target), .operator) == nil, "A mail is the user's own.")
            }
            #expect(try await outcome(ResetPassword(user: "bob", method: .generate), .owner) == nil)
            #expect(try await outcome(ResetPassword(user: "carol", method: .generate), .operator) == nil)
            for method in [ResetPassword.Method.generate, .link] {
                #expect(try await outcome(ResetPassword(user: "carol", method: method), .support) == .forbidden)
            }
            #expect(try await outcome(ResetPassword(user: "carol"), .support) == nil)

            // An application that acts with its users' roles is made by those who may give roles.
            var change = RegistrationChange()
            change.scopes = ["openid", "admin"]
            #expect(try await outcome(AddApplication(id: "console", registration: change), .operator) == .forbidden)
            #expect(try await outcome(AddApplication(id: "console", registration: change), .owner) == nil)
            #expect(
                try await outcome(
                    ChangeApplication(id: "console", registration: RegistrationChange()), .operator) == .forbidden)
            let log = try await realm.auditLog.events(limit: 1000)
            #expect(log.contains { $0.details["by"] == .string("user:bob") })
        }
    }

    @Test func `Groups are listed with their members, by user and page by page`() async throws {
        try await TestServer.with { server in
            func post(_ name: String, _ body: JSON) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/\(name)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: body.bytes)
            }
            for id in ["ada", "bob"] {
                _ = try await post("users:add", ["email": .string("\(id)@example.com"), "id": .string(id)])
            }
            for name in ["staff", "eng/core"] {
                #expect(try await post("groups:add", ["group": .string(name), "summary": "s"]).status == 200)
            }
            func add(_ user: String, _ group: String) async throws -> Reply {
                try await post("groups:add-member", ["group": .string(group), "user": .string(user)])
            }
            #expect(try await add("ada@example.com", "staff").json["isChanged"] == true)
            #expect(try await add("ada", "staff").json["isChanged"] == false)
            #expect(try await add("bob", "staff").json["isChanged"] == true)
            #expect(try await add("ada", "eng/core").json["isChanged"] == true)
            let page = try await post("groups:show", ["group": "staff", "limit": 1])
            let next = try #require(page.json["next"].text)
            #expect(page.json["members"][0]["id"] == "ada", "\(page.text)")
            let rest = try await post("groups:show", ["group": "staff", "after": .string(next)])
            #expect(rest.json["members"][0]["id"] == "bob" && rest.json["next"] == .null)
            let own = try await post("groups:list", ["user": "ada"])
            #expect(own.json["groups"].elements.compactMap { $0["name"].text } == ["eng/core", "staff"])
            let found = try await post("groups:list", ["text": "ENG"])
            #expect(found.json["groups"].elements.compactMap { $0["name"].text } == ["eng/core"], "\(found.text)")
            #expect(found.json["isPartial"] == false && own.json["isPartial"] == .null)
            #expect(try await post("groups:list", ["text": "eng", "user": "ada"]).status == 400)
            #expect(
                try await post("groups:list", ["text": .string(String(repeating: "e", count: 257))]).status == 400)
            let names = [".", "..", "../x", "a/..", "a//b", "/a", "a/", "a/./b", "\u{202E}x", "a\u{0}", "a b", "ä", ""]
            for name in names {
                for rehearses in [true, false] {
                    let body: JSON = ["group": .string(name), "dryRun": .bool(rehearses)]
                    #expect(try await post("groups:add", body).status == 400, "\(name)")
                }
                let line: JSON = [
                    "localId": "eve", "email": "eve@example.com", "groups": .array([.string(name)]),
                ]
                let imported = try await post(
                    "users:import", ["lines": [.string(String(decoding: line.bytes, as: UTF8.self))]])
                #expect(imported.json["imported"] == 0, "\(name): \(imported.text)")
            }
            #expect(try await post("groups:add", ["group": "sales/emea..eu", "dryRun": true]).status == 200)
            #expect(try await post("groups:list", [:]).json["groups"].elements.count == 2)
            #expect(
                try await post("groups:remove-member", ["group": "staff", "user": "bob"]).json["isChanged"] == true)
            #expect(try await post("groups:remove", ["group": "staff"]).status == 200)
            #expect(
                try await post("groups:list", ["user": "ada"]).json["groups"].elements.count == 1,
                "The group's members were let go.")
            #expect(try await post("users:show", ["user": "bob"]).status == 200, "They stay users.")
        }
    }
}
