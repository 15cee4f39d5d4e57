import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import AdminServer

/// The operations for those who keep a server running: the log, limits, deliveries.
@Suite struct RunningServerTests {
    private static func post(_ name: String, _ body: JSON, _ server: TestServer) async throws -> Reply {
        try await server.send(
            .post, "/admin/v1/\(name)",
            headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"], body: body.bytes
        )
    }

    /// Signs in with a password from an address, and answers the status.
    private static func signIn(
        _ email: String, _ password: String, from source: String = "192.0.2.7", _ server: TestServer
    ) async throws -> Int {
        try await server.send(
            .post, "/v1/accounts:signInWithPassword?key=\(server.key)", headers: [.contentType: "application/json"],
            body: (["email": .string(email), "password": .string(password), "returnSecureToken": true] as JSON).bytes,
            from: source
        ).status
    }

    @Test(
        arguments: [
            ("2026-11-23", "2026-11-23T00:00:00Z"), ("2026-11-23T08:30", "2026-11-23T08:30:00Z"),
            ("2026-11-23 08:30", "2026-11-23T08:30:00Z"), ("2026-11-23T08:30Z", "2026-11-23T08:30:00Z"),
            ("2026-11-23T08:30:15", "2026-11-23T08:30:15Z"), ("2026-11-23T08:30:15Z", "2026-11-23T08:30:15Z"),
            ("2026-11-23T08:30:15+01:00", "2026-11-23T07:30:15Z"), ("yesterday", nil), ("2026-11-23T", nil),
            ("2026-11-23T08", nil), ("2026-11-23 08:30 09:00", nil), ("T", nil), ("", nil), ("2026-11-23T٠٨:٣٠", nil),
        ] as [(String, String?)])
    func `A time of the log is a day, or a time in UTC where it names no zone`(text: String, time: String?) {
        #expect(SearchAuditEvents.instant(of: text).map { Timestamp($0).text } == time)
    }

    @Test func `The log is searched by kind, user, application, address and time, page by page`() async throws {
        try await TestServer.with { server in
            func ids(_ body: JSON) async throws -> [String] {
                let reply = try await Self.post("audit:search", body, server)
                #expect(reply.status == 200, "\(reply.text)")
                return reply.json["events"].elements.compactMap { $0["id"].text }
            }
            for id in ["ada", "bob"] {
                _ = try await Self.post(
                    "users:add",
                    ["email": .string("\(id)@example.com"), "id": .string(id), "password": "correct horse battery"],
                    server)
                server.clock.advance(60)
            }
            let middle = Timestamp(server.now).text
            for _ in 0..<3 { _ = try await Self.signIn("ada@example.com", "wrong", from: "192.0.2.8", server) }
            server.clock.advance(60)
            #expect(try await Self.signIn("ada@example.com", "correct horse battery", server) == 200)

            let all = try await server.realm.auditLog.events(limit: 1000)
            #expect(try await ids([:]) == all.map(\.id))
            func expected(_ admits: (AuditEvent) -> Bool) -> [String] { all.filter(admits).map(\.id) }
            #expect(try await ids(["kinds": ["user.created"]]) == expected { $0.kind == .userCreated })
            let signIns = expected { $0.kind.rawValue.hasPrefix("sign-in.") || $0.kind == .answerRefused }
            #expect(try await ids(["kinds": ["sign-in", "answer.refused"]]) == signIns && signIns.count == 4)
            let letters = try await Self.post("audit:search", ["kinds": ["sign"]], server)
            #expect(letters.status == 400, "A kind is named by its words, not by its letters.")
            #expect(try await ids(["user": "bob@example.com"]) == expected { $0.userID?.rawValue == "bob" })
            #expect(try await ids(["source": "192.0.2.8"]).count == 3)
            #expect(try await ids(["application": .string(server.key)]).count == 4)
            #expect(try await ids(["since": .string(middle)]) == expected { $0.at >= server.now - 60 })
            #expect(try await ids(["until": .string(middle)]) == expected { $0.at < server.now - 60 })
            #expect(try await ids(["since": "2026-09-24", "until": "2026-09-25"]) == all.map(\.id))
            #expect(try await ids(["since": "2026-09-25"]) == [])
            // A time without a zone is UTC, as the console's form sends it.
            let bare = middle.replacing("Z", with: "")
            #expect(try await ids(["since": .string(bare)]) == expected { $0.at >= server.now - 60 })
            let spaced = bare.replacing("T", with: " ")
            #expect(try await ids(["until": .string(spaced)]) == expected { $0.at < server.now - 60 })
            #expect(try await Self.post("audit:search", ["since": "2026-09-24T8"], server).status == 400)

            var paged: [String] = []
            var before: JSON = .null
            repeat {
                let reply = try await Self.post("audit:search", ["limit": 2, "before": before], server)
                paged += reply.json["events"].elements.compactMap { $0["id"].text }
                before = reply.json["next"]
            } while before != .null
            #expect(paged == all.map(\.id))
            // Of some kinds and of a time: on to the end, and back to the beginning.
            let wrong = expected { $0.kind == .answerRefused }
            #expect(wrong.count == 3)
            func page(_ place: [String: JSON]) async throws -> JSON {
                let asked: [String: JSON] = ["kinds": ["answer"], "since": .string(middle), "limit": 1]
                return try await Self.post("audit:search", .object(asked.merging(place) { $1 }), server).json
            }
            var pages = [try await page([:])]
            while let next = pages.last?["next"], next != .null, pages.count < 9 {
                pages.append(try await page(["before": next]))
            }
            #expect(pages.flatMap { $0["events"].elements }.compactMap { $0["id"].text } == wrong)
            #expect(pages.count == 3 && pages[0]["previous"] == .null)
            var back = Array(pages.suffix(1))
            while let previous = back.last?["previous"], previous != .null, back.count < 9 {
                back.append(try await page(["after": previous]))
            }
            #expect(back.reversed().map { $0["events"].elements } == pages.map { $0["events"].elements })
            // Behind both ends of the log there is nothing but the way back.
            let (oldest, newest) = (String(repeating: "0", count: 24), String(repeating: "f", count: 24))
            let behind = try await Self.post("audit:search", ["before": .string(oldest)], server).json
            #expect(behind["events"].elements.isEmpty && behind["next"] == .null && behind["previous"].text == oldest)
            let end = try await Self.post("audit:search", ["after": .string(oldest), "limit": 1], server).json
            #expect(end["events"][0]["id"].text == all.last?.id && end["next"] == .null)
            let ahead = try await Self.post("audit:search", ["after": .string(newest)], server).json
            #expect(ahead["events"].elements.isEmpty && ahead["previous"] == .null && ahead["next"].text == newest)

            let first = try #require(all.first)
            let shown = try await Self.post("audit:show", ["id": .string(first.id)], server)
            #expect(shown.json["event"]["kind"].text == first.kind.rawValue)
            for id in ["", "zzz", String(first.id.dropLast()), first.id + "0"] {
                #expect(try await Self.post("audit:show", ["id": .string(id)], server).status == 404, "\(id)")
            }
            #expect(try await Self.post("audit:search", ["since": "yesterday"], server).status == 400)
            #expect(try await Self.post("audit:search", ["user": "eve"], server).status == 404)
            #expect(try await Self.post("audit:search", ["limit": 1001], server).status == 400)
        }
    }

    @Test func `What an application has of a session ends when its protocol says, and is ended once`() async throws {
        try await TestServer.with(.development) { server in
            let realm = server.realm
            let user = try await realm.accounts.create(
                id: UserID(rawValue: "ada"), email: EmailAddress("ada@example.com"), password: nil,
                profile: UserProfile(), by: .testAdministrator
            ).get()
            let start = server.now
            func session(_ id: String, browser: Bool, _ grants: [(String, Dialect)]) async throws {
                let session = Session(
                    id: SessionID(rawValue: id), userID: user.id, dialect: .oauth, tokenEpoch: user.tokenEpoch,
                    createdAt: start, expiresAt: start + 400 * 86_400, proofs: [Proof(kind: .password, at: start)],
                    origin: SessionOrigin(address: "192.0.2.1", userAgent: "Test/1"),
                    browserDigest: browser ? Data(id.utf8) : nil)
                try await realm.store.write { transaction in
                    _ = try transaction.insert(session)
                    for (name, dialect) in grants {
                        _ = try transaction.insert(
                            Grant(
                                id: GrantID(rawValue: "\(id)-\(name)"), sessionID: session.id, userID: user.id,
                                clientID: ClientID(rawValue: name), dialect: dialect, createdAt: start,
                                expiresAt: start + 400 * 86_400,
                                refresh: RefreshTokenState(currentDigest: Data("\(id)\(name)".utf8)),
                                terms: GrantTerms(scopes: ["openid"])))
                    }
                }
            }
            _ = try await Self.post("applications:add", ["id": "web"], server)
            try await session("one", browser: false, [("web", .oauth), ("app", .identityToolkit)])
            try await session("two", browser: false, [("web", .oauth)])
            try await session("three", browser: true, [])
            func days(_ json: JSON) throws -> Double {
                let end = try #require(json["expiresAt"].text.flatMap { Timestamp(rfc3339: $0) })
                // Times are told in milliseconds.
                return (end.date.timeIntervalSince(start) / 86.4).rounded() / 1000
            }
            let all = try await Self.post("users:sessions", ["user": "ada"], server).json["sessions"].elements
            func listed(_ id: String) throws -> JSON { try #require(all.first { $0["id"].text == id }) }
            #expect(try days(listed("one")) == 400, "Firebase's tokens count as long as the session.")
            for grant in try listed("one")["grants"].elements {
                #expect(try days(grant) == (grant["application"] == "web" ? 30 : 400))
            }
            #expect(try days(listed("two")) == 30 && days(listed("three")) == 30)
            let seen = try await Self.post("applications:sessions", ["id": "web"], server).json["sessions"].elements
            #expect(seen.count == 2)
            for found in seen { #expect(try days(found["session"]["grants"][0]) == 30, "\(found)") }

            func end(_ id: String, _ application: String?) async throws -> JSON {
                var body: [String: JSON] = ["user": "ada", "session": .string(id)]
                if let application { body["application"] = .string(application) }
                return try await Self.post("users:end-session", .object(body), server).json["wasLiving"]
            }
            #expect(try await end("one", "web") == true)
            #expect(try await end("one", "web") == false, "Nothing was left.")
            server.clock.advance(31 * 86_400)
            #expect(try await end("two", "web") == false, "It was too old to be used.")
            let later = try await Self.post("users:sessions", ["user": "ada"], server).json["sessions"].elements
            #expect(later.first { $0["id"] == "two" }?["grants"][0]["isLiving"] == false)
            #expect(try await end("one", nil) == true)
            #expect(try await end("one", nil) == false)
        }
    }

    @Test func `Users are named by their ids, as many at once as a page of a list has`() async throws {
        try await TestServer.with { server in
            for id in ["ada", "bob"] {
                _ = try await Self.post(
                    "users:add", ["email": .string("\(id)@example.com"), "id": .string(id)], server)
            }
            let found = try await Self.post("users:names", ["ids": ["bob", "gone", "ada", "ada", "", "\u{0}"]], server)
            #expect(found.json["users"].elements.map { $0["email"] } == ["ada@example.com", "bob@example.com"])
            let many = JSON.array((0..<201).map { .string("u\($0)") })
            for ids in [many, []] {
                let refused = try await Self.post("users:names", ["ids": ids], server)
                #expect(refused.status == 400 && refused.message?.contains("1 to 200") == true, "\(refused.text)")
            }
        }
    }

    /// A page that is counted from the beginning costs more the further it is, and moves with what comes before it.
    @Test func `Pages after the first begin at a place, whatever comes before it, and none is long: keycloak#44860`()
        async throws
    {
        try await TestServer.with { server in
            func add(_ id: String) async throws {
                let reply = try await Self.post(
                    "users:add", ["email": .string("\(id)@example.com"), "id": .string(id)], server)
                #expect(reply.status == 200, "\(reply.text)")
            }
            func page(_ after: JSON) async throws -> JSON {
                try await Self.post("users:list", ["limit": 5, "after": after], server).json
            }
            func ids(_ page: JSON) -> [String?] { page["users"].elements.map { $0["id"].text } }
            let names = (10..<30).map { "m-\($0)" }
            for name in names { try await add(name) }
            let first = try await page(.null)
            #expect(ids(first) == names[..<5].map(Optional.some))
            for number in 1...7 { try await add("a-\(number)") }
            for name in names[..<2] {
                #expect(try await server.realm.accounts.delete(UserID(rawValue: name), by: .testAdministrator))
            }
            let second = try await page(first["next"])
            #expect(ids(second) == names[5..<10].map(Optional.some))
            #expect(try await ids(page(second["next"])) == names[10..<15].map(Optional.some))
            // Nobody has a page made that takes the server's memory (authentik#25683).
            for name in ["users:list", "groups:list", "applications:list", "administrators:list", "audit:search"] {
                let reply = try await Self.post(name, ["limit": 1001], server)
                #expect(reply.status == 400, "\(name): \(reply.text)")
            }
        }
    }

    /// A caller with a broken place would otherwise believe to have seen everything.
    @Test func `Each list refuses a place that it did not give in one way and goes on from those that it gave`()
        async throws
    {
        try await TestServer.with(.development) { server in
            for id in ["ada", "bob", "eve"] {
                _ = try await Self.post(
                    "users:add", ["email": .string("\(id)@example.com"), "id": .string(id)], server)
                _ = try await Self.post("groups:add", ["group": .string(id)], server)
                _ = try await Self.post("groups:add-member", ["group": "ada", "user": .string(id)], server)
                _ = try await Self.post("administrators:grant", ["user": .string(id), "role": "owner"], server)
                _ = try await Self.post("applications:add", ["id": .string("app-\(id)")], server)
            }
            // What an operation asks for beside the place.
            let needed: [String: [String: JSON]] = [
                "groups:show": ["group": "ada"], "applications:sessions": ["id": "app-ada"],
                "users:sessions": ["user": "ada"],
            ]
            let description = try await server.send(.get, "/openapi.json").json
            guard case .object(let paths) = description["paths"] else {
                Issue.record("no paths: \(description)")
                return
            }
            var places: [(name: String, member: String)] = []
            for (path, item) in paths where path.hasPrefix("/admin/v1/") {
                var schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
                if let name = schema["$ref"].text?.split(separator: "/").last {
                    schema = description["components"]["schemas"][String(name)]
                }
                for member in ["after", "before"] where schema["properties"][member] != .null {
                    places.append((String(path.dropFirst("/admin/v1/".count)), member))
                }
            }
            #expect(places.count >= 26, "\(places)")
            // A place of another list is none of this one.
            let ofUsers = try #require(try await Self.post("users:list", ["limit": 1], server).json["next"].text)
            for (name, member) in places {
                for wrong in ["zzz", "", "../", ofUsers + "x", "\u{0}", name == "users:list" ? "ada" : ofUsers] {
                    let body = (needed[name] ?? [:]).merging([member: .string(wrong)]) { $1 }
                    let reply = try await Self.post(name, .object(body), server)
                    #expect(reply.status == 400, "\(name) \(member) \(wrong): \(reply.text)")
                    #expect(reply.text.contains("This is no place in the list"), "\(name): \(reply.text)")
                }
            }
            let list = try await Self.post("users:search", ["limit": 1], server).json
            let all = try await Self.post("users:list", ["limit": 1000], server).json["users"].elements.count
            #expect(list["estimate"] == ["users": .integer(all), "precision": "exact"], "\(list)")
            for narrowing: JSON in [["text": "a"], ["filter": "disabled"], ["filter": "owner"]] {
                #expect(try await Self.post("users:search", narrowing, server).json["estimate"] == .null)
            }
            for (name, rows) in [
                ("users:list", "users"), ("groups:list", "groups"), ("groups:show", "members"),
                ("administrators:list", "administrators"), ("applications:list", "applications"),
                ("users:export", "lines"), ("audit:search", "events"), ("users:search", "users"),
            ] {
                let own = needed[name] ?? [:]
                let whole = try await Self.post(name, .object(own.merging(["limit": 200]) { $1 }), server)
                func page(_ member: String, _ place: JSON) async throws -> JSON {
                    let page = try await Self.post(
                        name, .object(own.merging(["limit": 2, member: place]) { $1 }), server)
                    #expect(page.status == 200, "\(name): \(page.text)")
                    return page.json
                }
                // In the log the words are about time.
                let (on, back) = name == "audit:search" ? ("before", "after") : ("after", "before")
                var there = [try await page(on, .null)]
                #expect(there[0]["previous"] == .null, "\(name): the first page")
                while let next = there.last?["next"], next != .null, there.count < 1000 {
                    there.append(try await page(on, next))
                }
                let found = there.flatMap { $0[rows].elements }
                #expect(found == whole.json[rows].elements && found.count >= 3, "\(name): \(found.count)")
                guard name != "users:export" else { continue }
                var pages = [there[there.count - 1]]
                while let previous = pages.last?["previous"], previous != .null, pages.count < 1000 {
                    pages.append(try await page(back, previous))
                }
                #expect(
                    pages.reversed().map { $0[rows].elements } == there.map { $0[rows].elements },
                    "\(name): the way back")
                if there.count > 1 {
                    let both = try await Self.post(
                        name, .object(own.merging(["after": there[0]["next"], "before": there[0]["next"]]) { $1 }),
                        server)
                    #expect(both.status == 400 && both.text.contains("not both"), "\(name): \(both.text)")
                }
            }
        }
    }

    @Test func `A password that is blocked is listed until when, and lifted for its owner`() async throws {
        try await TestServer.with { server in
            let password = "correct horse battery"
            _ = try await Self.post(
                "users:add", ["email": "ada@example.com", "id": "ada", "password": .string(password)], server)
            #expect(try await Self.post("limits:list", [:], server).json["limits"].elements.isEmpty)
            for _ in 0..<10 { #expect(try await Self.signIn("ada@example.com", "wrong", server) == 400) }
            #expect(try await Self.signIn("ada@example.com", password, server) != 200, "It waits.")

            let list = try await Self.post("limits:list", [:], server)
            let limit = list.json["limits"][0]
            #expect(list.json["limits"].elements.count == 1 && list.json["next"] == .null, "\(list.text)")
            #expect(limit["kind"] == "password" && limit["userID"] == "ada" && limit["count"] == 10)
            let until = try #require(limit["until"].text.flatMap { Timestamp(rfc3339: $0) })
            #expect(until.date > server.now && until.date <= server.now + 30)

            let lifted = try await Self.post(
                "limits:lift", ["kind": "password", "subject": limit["subject"]], server)
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await Self.signIn("ada@example.com", password, server) == 200)
            #expect(try await Self.post("limits:list", [:], server).json["limits"].elements.isEmpty)
            let event = try #require(
                try await server.realm.auditLog.events(limit: 50).first { $0.kind == .limitLifted })
            #expect(event.userID?.rawValue == "ada" && event.details["limit"] == "password")
            #expect(
                try await Self.post("limits:lift", ["kind": "password", "subject": limit["subject"]], server).status
                    == 404)
            let unknown = try await Self.post("limits:lift", ["kind": "pasword", "subject": "x"], server)
            #expect(unknown.status == 400 && unknown.message?.contains("Did you mean password?") == true)
        }
    }

    @Test func `The sealed log is verified in parts, and what does not hold is told until it is accepted`() async throws
    {
        try await TestServer.with { server in
            let (realm, seals) = (server.realm, server.realm.auditSeals)
            _ = try await Self.post(
                "users:add", ["email": "ada@example.com", "id": "ada", "password": "correct horse battery"], server)
            #expect(try await Self.post("audit:verify", [:], server).json["seals"] == 0)
            server.clock.advance(200)
            #expect(try await seals.seal() == 1)
            let standing = try await Self.post("audit:seals", [:], server)
            #expect(standing.json["seal"] == 1 && standing.json["fault"] == .null, "\(standing.text)")
            let digest = try #require(standing.json["digest"].text)
            let whole = try await Self.post("audit:verify", ["seal": 1, "digest": .string(digest)], server)
            #expect(whole.json["seals"] == 1 && whole.json["next"] == .null && whole.json["fault"] == .null)
            #expect(whole.json["through"] == standing.json["sealedThrough"])
            #expect(try await Self.post("audit:verify", ["afterSeal": 1], server).json["seals"] == 0)
            let other = String(repeating: "0", count: 64)
            let cut = try await Self.post("audit:verify", ["seal": 1, "digest": .string(other)], server)
            #expect(cut.json["fault"]["kind"] == "cut-off", "\(cut.text)")
            for body: JSON in [
                ["afterSeal": -1], ["seal": 1], ["digest": .string(digest)], ["seal": 1, "digest": "x"],
                ["seal": 0, "digest": .string(digest)],
            ] {
                #expect(try await Self.post("audit:verify", body, server).status == 400)
            }

            try await realm.store.write {
                try $0.replaceAuditDetails(of: UserID(rawValue: "ada"), .userCreated, with: ["x": "y"])
            }
            try await seals.check()
            let broken = try await Self.post("audit:seals", [:], server).json["fault"]
            #expect(broken["kind"] == "changed" && broken["seal"] == 1)
            #expect(try await Self.post("audit:verify", [:], server).json["fault"] == broken)
            #expect(try await Self.post("audit:accept", ["seal": 2], server).status == 409)
            #expect(try await Self.post("audit:accept", ["seal": 1], server).status == 200)
            #expect(try await seals.check() == nil)
            #expect(try await Self.post("audit:seals", [:], server).json["fault"] == .null)
        }
    }

    @Test func `A source that used up all parts of its answers is one limit, and is lifted with all of them`()
        async throws
    {
        try await TestServer.with { server in
            for number in 0..<100 {
                _ = try await Self.signIn("nobody\(number)@example.com", "wrong", from: "192.0.2.9", server)
            }
            let list = try await Self.post("limits:list", [:], server)
            let limits = list.json["limits"].elements
            #expect(limits.map { $0["kind"] } == ["answers"], "\(list.text)")
            #expect(limits.first?["subject"] == "192.0.2.9" && limits.first?["count"] == 100)
            func refusals() async throws -> Int {
                _ = try await Self.signIn("other@example.com", "wrong", from: "192.0.2.9", server)
                return try await server.realm.auditLog.events(limit: 1000).count { $0.kind == .answerRefused }
            }
            let before = try await refusals()
            #expect(try await refusals() == before, "What it sends is not looked at.")
            let lifted = try await Self.post("limits:lift", ["kind": "answers", "subject": "192.0.2.9"], server)
            #expect(lifted.status == 200, "\(lifted.text)")
            #expect(try await Self.post("limits:list", [:], server).json["limits"].elements.isEmpty)
            #expect(try await refusals() == before + 1, "It may answer again.")
        }
    }

    @Test func `What waits is shown without what it says, and is tried again at once`() async throws {
        try await TestServer.with { server in
            let sent = try await Self.post(
                "delivery:test-mail", ["address": "ada@example.com", "locale": "de"], server)
            #expect(sent.status == 200, "\(sent.text)")
            #expect(try await Self.post("delivery:test-mail", ["address": "ada"], server).status == 400)
            let opened = try await server.realm.outbox.messages()
            #expect(opened.map(\.content.template) == ["test-mail"] && opened.first?.content.locale == "de")

            let later = server.now + 3600
            try await server.realm.store.write { transaction in
                var message = try #require(try transaction.outboxMessages(limit: 1).first)
                message.attempts = 1
                message.nextAttemptAt = later
                _ = try transaction.update(message, after: 0)
            }
            let before = try await Self.post("delivery:show", [:], server)
            #expect(before.json["channels"].elements.map { $0["channel"] } == ["email", "push", "otp", "logout"])
            let email = before.json["channels"][0]
            #expect(email["waiting"] == 1 && email["next"][0]["recipient"] == "ada@example.com")
            #expect(email["next"][0]["nextAttemptAt"].text == Timestamp(later).rfc3339)

            // What no server has said of its start is not known.
            #expect(email["isSetUp"] == .null && before.json["channels"][1]["isSetUp"] == false)
            try await server.realm.note(
                PublicAddress(url: "https://login.example.com", isConfigured: true),
                Deployment(isDevelopment: false, isEncrypted: true, mail: .none, hashMemory: 19_456, hashPasses: 2))

            let retried = try await Self.post("delivery:retry", ["channel": "email"], server)
            #expect(retried.json["count"] == 1, "\(retried.text)")
            let after = try await Self.post("delivery:show", [:], server)
            #expect(after.json["channels"][0]["isSetUp"] == false)
            #expect(after.json["channels"][0]["next"][0]["nextAttemptAt"].text == Timestamp(server.now).rfc3339)
            #expect(try await Self.post("delivery:retry", ["channel": "email"], server).json["count"] == 0)
            #expect(try await Self.post("delivery:retry", ["channel": "pigeon"], server).status == 400)
            let kinds = try await server.realm.auditLog.events(limit: 10).map(\.kind)
            #expect(kinds.contains(.mailTested) && kinds.contains(.deliveryRetried))

            let unsent = try await Self.post("delivery:test-mail", ["address": "ada@example.com"], server)
            #expect(unsent.status == 400 && unsent.message?.contains("Set mail.smtp.url") == true, "\(unsent.text)")
            try await server.realm.note(
                PublicAddress(url: "https://login.example.com", isConfigured: true),
                Deployment(isDevelopment: false, isEncrypted: true, mail: .plain, hashMemory: 19_456, hashPasses: 2))
            for _ in 0..<19 {
                #expect(
                    try await Self.post("delivery:test-mail", ["address": "ada@example.com"], server).status == 200)
            }
            let limited = try await Self.post("delivery:test-mail", ["address": "ada@example.com"], server)
            #expect(limited.status == 400 && limited.message?.contains("too many mails") == true, "\(limited.text)")
        }
    }
}
