import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("Users of the Management API")
struct UserManagementTests {
    private func path(_ user: String) -> String { "users/\(user.replacingOccurrences(of: "|", with: "%7C"))" }

    private func query(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private func add(_ server: TestServer, _ email: String, name: String?) async throws -> String {
        let reply = try await server.management(
            .post, "users",
            JSON.object(["email": .string(email), "connection": "Username-Password-Authentication"])
                .with(["name": name.map { .string($0) }]))
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(reply.json["user_id"].text)
    }

    private func emails(_ server: TestServer, _ query: String) async throws -> [String] {
        let reply = try await server.management(.get, "users?\(query)")
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json.elements.compactMap { $0["email"].text }
    }

    @Test
    func `A user is made with what it can have, read, changed and removed`() async throws {
        try await TestServer.with { server in
            let made = try await server.management(
                .post, "users",
                [
                    "user_id": "ada", "email": "Ada@Example.org", "password": .string(TestServer.password),
                    "email_verified": true, "name": "Ada Lovelace", "picture": "https://example.org/ada.png",
                    "phone_number": "+15555550100", "blocked": false, "verify_email": false,
                    "connection": "Username-Password-Authentication",
                ])
            #expect(made.status == 201, "\(made.text)")
            let whole: JSON = [
                "user_id": "auth0|ada", "email": "ada@example.org", "email_verified": true, "name": "Ada Lovelace",
                "picture": "https://example.org/ada.png", "phone_number": "+15555550100", "blocked": false,
                "created_at": "2026-09-24T10:11:12.123Z", "last_password_reset": "2026-09-24T10:11:12.123Z",
                "identities": [
                    [
                        "connection": "Username-Password-Authentication", "provider": "auth0", "user_id": "ada",
                        "isSocial": false,
                    ]
                ],
            ]
            expectGolden(made.json, whole)
            let ada = path("auth0|ada")
            expectGolden(try await server.management(.get, ada).json, whole)
            #expect(
                try await server.management(.get, "\(ada)?fields=email,name").json
                    == ["email": "ada@example.org", "name": "Ada Lovelace"])
            let without = try await server.management(.get, "\(ada)?fields=identities&include_fields=false").json
            #expect(without == whole.with(["identities": nil]))

            let changed = try await server.management(
                .patch, ada, ["email": "countess@example.org", "name": .null, "phone_number": .null])
            #expect(changed.status == 200, "\(changed.text)")
            #expect(changed.json["email"] == "countess@example.org" && changed.json["email_verified"] == false)
            #expect(changed.json["name"] == .null && changed.json["phone_number"] == .null)
            #expect(changed.json["picture"] == whole["picture"], "What is not given stays.")
            #expect(try await server.management(.patch, ada, ["email_verified": true, "blocked": true]).status == 200)
            #expect(
                try await server.passwordGrant("countess@example.org").json["error"] == "unauthorized_client")
            #expect(try await server.management(.patch, ada, ["blocked": false]).json["blocked"] == false)
            #expect(try await server.management(.patch, ada, ["password": "difference engine"]).status == 200)
            #expect(try await server.passwordGrant("countess@example.org").json["error"] == "invalid_grant")
            #expect(
                try await server.passwordGrant("countess@example.org", password: "difference engine").status == 200)

            for _ in 0..<2 { #expect(try await server.management(.delete, ada).status == 204) }
            expectRefused(try await server.management(.get, ada), 404, "inexistent_user")
            expectRefused(try await server.management(.patch, ada, ["name": "x"]), 404, "inexistent_user")
        }
    }

    static let faults: [(member: String, value: JSON)] = [
        ("user_metadata", [:]), ("app_metadata", ["plan": "gold"]), ("nickname", "ada"), ("given_name", "Ada"),
        ("family_name", "L"), ("username", "ada"), ("phone_verified", true), ("verify_email", true), ("email", "ada"),
        ("email", .null), ("email_verified", "yes"), ("blocked", 1), ("password", 1), ("password", "short"),
        ("name", ""), ("name", 7), ("picture", ""), ("phone_number", "555"), ("connection", 1), ("unheard of", "x"),
    ]

    @Test
    func `What is not kept here, and what is no such value, is refused by name and changes nothing`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            _ = try await add(server, "eve@example.org", name: nil)
            let before = try await server.management(.get, path(user)).json
            for (member, value) in Self.faults {
                let change = JSON.object(["name": "changed"]).with([member: value])
                let patched = try await server.management(.patch, path(user), change)
                expectRefused(patched, 400, "invalid_body")
                if member != "password" || value != "short" {
                    #expect(patched.json["message"].text?.contains(member) == true, "\(patched.text)")
                }
                let made = JSON.object(["email": "new@example.org"]).with([member: value])
                expectRefused(try await server.management(.post, "users", made), 400, "invalid_body")
            }
            expectRefused(
                try await server.management(.patch, path(user), ["user_id": "other"]), 400, "invalid_body")
            expectRefused(
                try await server.management(.post, "users", ["email": "new@example.org", "user_id": ".."]), 400,
                "invalid_body")
            expectRefused(
                try await server.management(.patch, path(user), ["email": "eve@example.org"]), 409, "auth0_idp_error")
            expectRefused(
                try await server.management(
                    .post, "users",
                    ["email": "new@example.org", "user_id": .string(String(user.dropFirst("auth0|".count)))]), 409,
                "auth0_idp_error")
            #expect(try await server.management(.get, path(user)).json == before)
            #expect(try await emails(server, "").count == 2)
        }
    }

    @Test
    func `Users are listed in pages, with totals, in an order, and found by e-mail, id and name`() async throws {
        try await TestServer.with { server in
            for (number, name) in ["Ada Lovelace", "Bertha", "ada byron", "Adele"].enumerated() {
                _ = try await add(server, "\(number)@example.org", name: name)
            }
            let last = try await add(server, "last@example.org", name: nil)
            #expect(try await emails(server, "sort=email:1").first == "0@example.org")
            #expect(
                try await emails(server, "sort=email:-1") == ["last", "3", "2", "1", "0"].map { "\($0)@example.org" })
            let page = try await server.management(.get, "users?per_page=2&page=1&sort=email:1&include_totals=true")
                .json
            #expect(page.names == ["length", "limit", "start", "total", "users"])
            #expect(page["start"] == 2 && page["limit"] == 2 && page["length"] == 2 && page["total"] == 5)
            #expect(page["users"].elements.map { $0["email"] } == ["2@example.org", "3@example.org"])
            let beyond = try await server.management(.get, "users?per_page=2&page=9&include_totals=true").json
            #expect(beyond["length"] == 0 && beyond["total"] == 5 && beyond["users"] == [])
            let all = try await server.management(.get, "users").json
            #expect(all.elements.count == 5 && all.names.isEmpty)

            for (text, found) in [
                ("email:\"2@example.org\"", ["2"]), ("email:2@EXAMPLE.org", ["2"]), ("email:\"9@example.org\"", []),
                ("email:\"no address\"", []), ("user_id:\"\(last)\"", ["last"]), ("user_id:\(last)", ["last"]),
                ("user_id:\"auth0|nobody\"", []), ("user_id:nobody", []), ("name:\"Ada Lovelace\"", ["0"]),
                ("name:bertha", ["1"]), ("name:Ada*", ["0", "2"]), ("name:ad*", ["0", "2", "3"]), ("name:\"ad*\"", []),
                (" name:ADEL* ", ["3"]), ("", ["0", "1", "2", "3", "last"]),
            ] {
                #expect(
                    try await emails(server, "sort=email:1&q=\(query(text))") == found.map { "\($0)@example.org" },
                    "\(text)")
            }
            let named = try await server.management(
                .get, "users?q=\(query("name:ad*"))&per_page=1&page=1&include_totals=true&sort=email:1&fields=email"
            ).json
            #expect(named["total"] == 3 && named["users"] == [["email": "2@example.org"]])
        }
    }

    @Test
    func `A search or a page that is not there is refused, and says what is`() async throws {
        try await TestServer.with { server in
            for text in [
                "ada", "nickname:ada", "name:*da", "name:a*b", "name:", "name:*", "email:ada*", "email:a OR email:b",
                "NOT name:ada", "name:ada AND email:x", "_exists_:name", "user_metadata.x:1", "name:[a TO b]",
                "name:\"a\" \"b\"", "logins_count:[1 TO *]", "email.domain:\"example.org\"",
            ] {
                let reply = try await server.management(.get, "users?q=\(query(text))")
                expectRefused(reply, 400, "invalid_query_string")
                #expect(reply.json["message"].text?.contains("email:") == true)
            }
            for wrong in [
                "per_page=0", "per_page=101", "page=-1", "page=x", "include_totals=1", "include_fields=maybe",
                "sort=email", "sort=age:1", "sort=email:2", "per_page=100&page=101",
            ] {
                expectRefused(try await server.management(.get, "users?\(wrong)"), 400, "invalid_query_string")
            }
            expectRefused(try await server.management(.get, "users-by-email"), 400, "invalid_query_string")
            for (method, path) in [
                (HTTPRequest.Method.get, "users"), (.get, "users-by-email?email=a"), (.get, "users/auth0%7Cx"),
                (.patch, "users/auth0%7Cx"), (.delete, "users/auth0%7Cx"), (.get, "users/auth0%7Cx/logs"),
            ] {
                #expect(try await server.send(method, "/api/v2/\(path)").status == 401, "\(path)")
            }
        }
    }

    @Test
    func `Users are found by e-mail address, in any case, as a list`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let found = try await server.management(.get, "users-by-email?email=ADA%40example.org").json
            #expect(found.elements.count == 1 && found[0]["user_id"].text == user)
            #expect(try await server.management(.get, "users-by-email?email=bob%40example.org").json == [])
            #expect(try await server.management(.get, "users-by-email?email=nonsense").json == [])
            #expect(
                try await server.management(.get, "users-by-email?email=ada%40example.org&fields=user_id").json
                    == [["user_id": .string(user)]])
        }
    }

    @Test
    func `Logs and authentication methods come in pages and with totals too, a user's logs alone`() async throws {
        try await TestServer.with { server in
            let ada = try await server.addUser()
            let bob = try await server.addUser("bob@example.org")
            _ = try await server.enrolled(of: ada)
            _ = try await server.enrolled(of: bob)
            let all = try await server.management(.get, "logs").json
            #expect(all.elements.count == 4)
            let totals = try await server.management(.get, "logs?include_totals=true&per_page=3&page=1").json
            #expect(totals["start"] == 3 && totals["limit"] == 3 && totals["length"] == 1 && totals["total"] == 4)
            #expect(totals["logs"].elements == [all[3]])
            let own = try await server.management(.get, "\(path(ada))/logs?include_totals=true&sort=date:-1").json
            #expect(own["total"] == 2 && own["logs"].elements.allSatisfy { $0["user_id"].text == ada })
            #expect(try await server.management(.get, "\(path(bob))/logs?per_page=1").json.elements.count == 1)
            expectRefused(
                try await server.management(.get, "\(path(bob))/logs?sort=date:1"), 400, "invalid_query_string")
            expectRefused(try await server.management(.get, "users/auth0%7Cnobody/logs"), 404, "inexistent_user")

            let methods = try await server.management(
                .get, "\(path(ada))/authentication-methods?include_totals=true&per_page=1"
            ).json
            #expect(methods["total"] == 2 && methods["authenticators"].elements.count == 1)
            #expect(
                try await server.management(.get, "\(path(ada))/authentication-methods?page=1&per_page=1").json.elements
                    .count == 1)
            #expect(try await server.management(.get, "\(path(ada))/enrollments?page=1").json == [])
        }
    }

    @Test
    func `An enrolment is pending until it is used or has expired`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let ticket = try await server.ticket(for: user)
            let logged = try await server.management(.get, "logs?q=type:gd_start_enroll").json
            let id = try #require(logged[0]["details"]["device_id"].text)
            let pending = try await server.management(.get, "guardian/enrollments/\(id)")
            #expect(pending.status == 200, "\(pending.text)")
            #expect(
                pending.json == ["id": .string(id), "status": "pending", "type": "pn", "auth_method": "guardian"])
            #expect(try await server.management(.get, "\(path(user))/enrollments").json == [])
            #expect(try await server.enroll(Phone(), ticket: ticket).status == 201)
            #expect(try await server.management(.get, "guardian/enrollments/\(id)").json["status"] == "confirmed")

            try await server.advance(1)
            let later = try await server.ticket(for: user)
            let next = try #require(
                try await server.management(.get, "logs?q=type:gd_start_enroll").json[0]["details"]["device_id"].text)
            #expect(try await server.management(.get, "guardian/enrollments/\(next)").json["status"] == "pending")
            try await server.advance(5 * 86_400)
            expectRefused(
                try await server.management(.get, "guardian/enrollments/\(next)"), 404, "enrollment_not_found")
            #expect(try await server.enroll(Phone(), ticket: later).status == 401)
        }
    }
}
