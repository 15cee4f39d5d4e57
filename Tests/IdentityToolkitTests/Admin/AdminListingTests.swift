import CountersignCore
import DialectTestSupport
import Foundation
import Testing

@Suite("Administration: many accounts")
struct AdminListingTests {
    private func fill(_ server: TestServer, _ count: Int) async throws {
        let users = (0..<count).map { number -> JSON in
            [
                "localId": .string("u\(String(1000 + number).dropFirst())"),
                "email": .string("\(String(2000 - number))@example.com"), "displayName": .string("N\(number % 3)"),
                "createdAt": .string("\(1_600_000_000_000 + (number * 7 % count) * 1000)"),
            ]
        }
        let reply = try await server.administer(":batchCreate", ["users": .array(users)])
        try #require(reply.json["error"] == .null, "\(reply.text)")
    }

    private func page(_ server: TestServer, _ query: String) async throws -> Reply {
        try await server.get("/v1/projects/countersign/accounts:batchGet?\(query)", headers: server.administrator)
    }

    // MARK: batchGet

    @Test(arguments: [1, 7, 45, 46, 1000])
    func `Every user is on one page, in order, and the last page has no token`(size: Int) async throws {
        try await TestServer.with { server in
            try await fill(server, 45)
            var ids: [String?] = []
            var token: String?
            repeat {
                let reply = try await page(
                    server, "maxResults=\(size)" + (token.map { "&nextPageToken=\($0)" } ?? ""))
                #expect(reply.json["kind"] == "identitytoolkit#DownloadAccountResponse")
                #expect(reply.json["users"].elements.count <= size)
                ids += reply.json["users"].elements.map { $0["localId"].text }
                token = reply.json["nextPageToken"].text
            } while token != nil && ids.count < 100
            #expect(ids == (0..<45).map { "u\(String(1000 + $0).dropFirst())" })
        }
    }

    @Test
    func `A page has twenty where nothing is said, a thousand at most; neither hashes nor secrets are on it`()
        async throws
    {
        try await TestServer.with { server in
            try await fill(server, 25)
            let (person, _) = try await server.enrolledPerson()
            #expect(try await page(server, "").json["users"].elements.count == 20)
            let all = try await page(server, "maxResults=99999")
            #expect(all.json["users"].elements.count == 26)
            #expect(!all.text.contains("argon2") && !all.text.contains("sharedSecretKey"))
            let found = all.json["users"].elements.first { $0["localId"].text == person.localID }
            #expect(found?["passwordHash"] == "UkVEQUNURUQ=" && found?["salt"] == .null)
            #expect(found?["mfaInfo"][0]["totpInfo"] == [:])
        }
    }

    @Test
    func `A full last page has no token`() async throws {
        try await TestServer.with { server in
            try await fill(server, 6)
            let first = try await page(server, "maxResults=3")
            #expect(first.json["nextPageToken"] == "u002")
            let last = try await page(server, "maxResults=3&nextPageToken=u002")
            #expect(last.json["users"].elements.map { $0["localId"].text } == ["u003", "u004", "u005"])
            #expect(last.json["nextPageToken"] == .null)
        }
    }

    @Test
    func `A listing begins after any id, whether a user has it or not`() async throws {
        try await TestServer.with { server in
            try await fill(server, 4)
            try await server.create(["localId": "ü +/&=%"])
            for (token, ids) in [
                ("u001", ["u002", "u003", "ü +/&=%"]), ("u0015", ["u002", "u003", "ü +/&=%"]),
                ("u003", ["ü +/&=%"]), ("%C3%BC%20%2B%2F%26%3D%25", []),
                ("a", ["u000", "u001", "u002", "u003", "ü +/&=%"]),
            ] {
                let reply = try await page(server, "nextPageToken=\(token)")
                #expect(reply.json["users"].elements.map { $0["localId"].text } == ids, "\(token): \(reply.text)")
            }
        }
    }

    @Test(arguments: ["%00", "a%01", String(repeating: "x", count: 129)])
    func `A token that cannot be an id is refused`(token: String) async throws {
        try await TestServer.with { server in
            expectRefused(try await page(server, "nextPageToken=\(token)"), "INVALID_PAGE_SELECTION", .errors)
        }
    }

    @Test(arguments: ["x", "-1", "1.5", "99999999999999999999"])
    func `A size that is none is refused`(size: String) async throws {
        try await TestServer.with { server in
            let reply = try await page(server, "maxResults=\(size)")
            #expect(reply.status == 400)
            #expect(reply.message == #"Invalid value at 'max_results' (TYPE_INT32), "\#(size)""#)
        }
    }

    @Test
    func `The legacy name lists too`() async throws {
        try await TestServer.with { server in
            try await fill(server, 3)
            let path = "/identitytoolkit/v3/relyingparty/downloadAccount"
            let first = try await server.post(
                path, ["maxResults": 2, "targetProjectId": "countersign"], headers: server.administrator)
            #expect(first.json["users"].elements.count == 2)
            let rest = try await server.post(
                path, ["maxResults": 2, "nextPageToken": first.json["nextPageToken"]], headers: server.administrator)
            #expect(rest.json["users"].elements.map { $0["localId"].text } == ["u002"])
            #expect(
                try await server.post(path, ["targetProjectId": "x"], headers: server.administrator).message
                    == "PROJECT_NOT_FOUND")
        }
    }

    // MARK: query

    @Test
    func `A query sorts by any key, in both directions, and cuts out a part`() async throws {
        try await TestServer.with { server in
            try await fill(server, 9)
            func ids(_ body: JSON) async throws -> [Int] {
                let reply = try await server.administer(":query", body)
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.json["recordsCount"] == .string("\(reply.json["userInfo"].elements.count)"))
                return reply.json["userInfo"].elements.compactMap { $0["localId"].text }.compactMap {
                    Int($0.dropFirst())
                }
            }
            #expect(try await ids([:]) == Array(0..<9))
            #expect(try await ids(["order": "DESC"]) == Array((0..<9).reversed()))
            #expect(try await ids(["sortBy": "USER_EMAIL"]) == Array((0..<9).reversed()))
            #expect(try await ids(["sortBy": "NAME"]) == [0, 3, 6, 1, 4, 7, 2, 5, 8])
            #expect(try await ids(["sortBy": "CREATED_AT", "order": "ASC"]) == [0, 4, 8, 3, 7, 2, 6, 1, 5])
            #expect(try await ids(["sortBy": "CREATED_AT", "order": "DESC", "limit": "2", "offset": 1]) == [1, 6])
            #expect(try await ids(["sortBy": "LAST_LOGIN_AT", "limit": "3"]) == [0, 1, 2])
            #expect(try await ids(["offset": "8", "limit": "500"]) == [8])
            // By the numbers of the enumerations.
            #expect(try await ids(["sortBy": 2]) == [0, 3, 6, 1, 4, 7, 2, 5, 8])
            #expect(try await ids(["sortBy": 3, "order": 2, "limit": 2, "offset": 1]) == [1, 6])
            #expect(try await ids(["sortBy": 0, "order": 0]) == Array(0..<9))
            #expect(try await ids(["offset": "9"]) == [])
        }
    }

    @Test
    func `A query counts, and finds by one of the identifiers`() async throws {
        try await TestServer.with { server in
            try await fill(server, 9)
            try await server.create(["localId": "x", "phoneNumber": "+15555550100"])
            func query(_ body: JSON) async throws -> JSON { try await server.administer(":query", body).json }
            expectGolden(try await query(["returnUserInfo": false]), ["recordsCount": "10"])
            expectGolden(
                try await query(["returnUserInfo": false, "expression": [["email": "1999@EXAMPLE.com"]]]),
                ["recordsCount": "1"])
            #expect(
                try await query(["expression": [["userId": "u003"], ["userId": "x"]]])["userInfo"][0]["localId"]
                    == "u003")
            #expect(
                try await query(["expression": [["phoneNumber": "+1 555 555 0100"]]])["userInfo"][0]["localId"] == "x")
            expectGolden(try await query(["expression": [["email": "nobody"]]]), ["recordsCount": "0"])
            let other = try await server.post(
                "/v1/projects/countersign:queryAccounts", ["returnUserInfo": false], headers: server.administrator)
            expectGolden(other.json, ["recordsCount": "10"])
        }
    }

    @Test(
        arguments: [
            Refused(["limit": "-1"], #"Invalid value at 'limit' (TYPE_INT64), "-1""#),
            Refused(["limit": "501"], #"Invalid value at 'limit' (TYPE_INT64), "501""#),
            Refused(["offset": "10001"], #"Invalid value at 'offset' (TYPE_INT64), "10001""#),
            Refused(
                ["sortBy": "SHOE_SIZE"],
                #"Invalid value at 'sort_by' (type.googleapis.com/google.cloud.identitytoolkit.v1.QueryUserInfoRequest.SortByField), "SHOE_SIZE""#
            ),
            Refused(
                ["order": "UP"],
                #"Invalid value at 'order' (type.googleapis.com/google.cloud.identitytoolkit.v1.QueryUserInfoRequest.Order), "UP""#
            ),
            Refused(
                ["order": 3],
                "Invalid value at 'order' (type.googleapis.com/google.cloud.identitytoolkit.v1.QueryUserInfoRequest.Order), 3"
            ),
            Refused(["expression": [[:]]], "Request contains an invalid argument."),
            Refused(["expression": [["email": "a@b", "userId": "c"]]], "Request contains an invalid argument."),
        ])
    func `A query that makes no sense is refused`(row: Refused) async throws {
        try await TestServer.with { server in
            let reply = try await server.administer(":query", row.body)
            #expect(reply.status == 400)
            #expect(reply.message == row.message)
        }
    }

    // MARK: batchDelete

    @Test
    func `Only disabled accounts go where it is not forced; those that are not there are no error`() async throws {
        try await TestServer.with { server in
            try await fill(server, 4)
            _ = try await server.administer(":update", ["localId": "u001", "disableUser": true])
            let reply = try await server.administer(":batchDelete", ["localIds": ["u000", "u001", "nobody", "u002"]])
            let message = "NOT_DISABLED : Disable the account before batch deletion."
            expectGolden(
                reply.json,
                [
                    "errors": [
                        ["index": 0, "localId": "u000", "message": .string(message)],
                        ["index": 3, "localId": "u002", "message": .string(message)],
                    ]
                ])
            #expect(try await server.realm.accounts.count() == 3)
            let forced = try await server.administer(
                ":batchDelete", ["localIds": ["u000", "u002", "u002", "u003"], "force": true])
            expectGolden(forced.json, [:])
            #expect(try await server.realm.accounts.count() == 0)
        }
    }

    @Test(arguments: [0, 1000, 1001])
    func `None and more than a thousand are refused, a thousand are not`(count: Int) async throws {
        try await TestServer.with { server in
            let ids = JSON.array((0..<count).map { .string(String(repeating: "x", count: 100) + "\($0)") })
            let reply = try await server.administer(":batchDelete", ["localIds": ids, "force": true])
            if count == 1000 {
                expectGolden(reply.json, [:])
            } else {
                expectRefused(reply, "LOCAL_ID_LIST_EXCEEDS_LIMIT", .errors)
            }
        }
    }
}
