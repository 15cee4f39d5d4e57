import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Every endpoint of administrators, with a body that none of them chokes on.
private let methods: [(HTTPRequest.Method, String)] = [
    (.post, "/accounts"), (.post, "/accounts:lookup"), (.post, "/accounts:update"), (.post, "/accounts:delete"),
    (.post, "/accounts:batchCreate"), (.post, "/accounts:batchDelete"), (.get, "/accounts:batchGet"),
    (.post, "/accounts:query"), (.post, "/accounts:sendOobCode"), (.post, ":createSessionCookie"),
]
private let scopes = ["/v1/projects/countersign", "/v1/projects/countersign/tenants/some-tenant"]
private let endpoints: [(HTTPRequest.Method, String)] =
    scopes.flatMap { scope in methods.map { ($0.0, scope + $0.1) } } + [
        (.post, "/v1/projects/countersign:queryAccounts"), (.post, "/identitytoolkit/v3/relyingparty/uploadAccount"),
        (.post, "/identitytoolkit/v3/relyingparty/downloadAccount"),
    ]

@Suite("Administration: who may, and malformed requests")
struct AdminAccessTests {
    private static let json: HTTPFields = [.contentType: "application/json"]

    @Test(arguments: TestServer.Mode.allCases)
    func `An API key is not enough, nor is a wrong bearer`(mode: TestServer.Mode) async throws {
        try await TestServer.with(mode) { server in
            for (method, path) in endpoints {
                let body: [UInt8]? = method == .get ? nil : Array("{}".utf8)
                let without = try await server.send(method, "\(path)?key=\(server.key)", headers: Self.json, body: body)
                #expect(without.status == 401, "\(path)")
                #expect(without.json["error"]["errors"] != .null, "\(path) answers in the form of version 1")
                for bearer in ["Bearer \(server.key)", "Bearer ", "Basic b3duZXI6", "owner"] {
                    var headers = Self.json
                    headers[.authorization] = bearer
                    #expect(try await server.send(method, path, headers: headers, body: body).status == 403, "\(path)")
                }
                var owner = Self.json
                owner[.authorization] = "Bearer owner"
                let status = try await server.send(method, path, headers: owner, body: body).status
                #expect(mode == .development ? [200, 400].contains(status) : status == 403, "\(path): \(status)")
            }
        }
    }

    @Test(arguments: TestServer.Mode.allCases)
    func `Another project is not found, but under --dev`(mode: TestServer.Mode) async throws {
        try await TestServer.with(mode) { server in
            for (method, path) in endpoints where path.contains("/projects/") {
                let other = path.replacing("/projects/countersign", with: "/projects/another")
                let reply = try await server.send(
                    method, other, headers: Self.json.adding(server.administrator),
                    body: method == .get ? nil : Array("{}".utf8))
                #expect((reply.message == "PROJECT_NOT_FOUND") == (mode == .production), "\(other): \(reply.text)")
            }
        }
    }

    @Test
    func `Hosts in front, an escaped colon and a slash at the end of the host mean the same`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "a"])
            for path in [
                "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:lookup",
                "/v1/projects/countersign/accounts%3Alookup", "/v1/projects/countersign/tenants/t/accounts%3alookup",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo", "/v1/accounts:lookup",
            ] {
                let reply = try await server.post(path, ["localId": ["a"]], headers: server.administrator)
                #expect(reply.json["users"][0]["localId"] == "a", "\(path): \(reply.text)")
            }
        }
    }

    @Test
    func `The legacy and unscoped names serve administrators who bring no ID token`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "a"])
            let headers = server.administrator
            let update = try await server.post(
                "/identitytoolkit/v3/relyingparty/setAccountInfo", ["localId": "a", "displayName": "A"],
                headers: headers)
            #expect(update.status == 200 && update.json["displayName"] == "A")
            let delete = try await server.post("/v1/accounts:delete", ["localId": "a"], headers: headers)
            #expect(delete.status == 200)
            // Without the bearer they are what they were.
            #expect(try await server.post("/v1/accounts:update", ["localId": "a"]).message == "MISSING_ID_TOKEN")
            #expect(try await server.post("/v1/accounts:delete", ["localId": "a"]).message == "MISSING_ID_TOKEN")
            #expect(try await server.post("/v1/accounts:lookup", ["localId": ["a"]]).message == "MISSING_ID_TOKEN")
        }
    }

    @Test
    func `A tenant shares the users, and its name is in what it answers`() async throws {
        try await TestServer.with { server in
            let scope = "/v1/projects/countersign/tenants/some-tenant"
            let created = try await server.administer("", ["localId": "a", "email": "a@example.com"], scope: scope)
            #expect(created.json["localId"] == "a")
            #expect(try await server.record(of: "a")["tenantId"] == .null)
            let found = try await server.administer(":lookup", ["email": ["a@example.com"]], scope: scope)
            #expect(found.json["users"][0]["tenantId"] == "some-tenant")
            let imported = try await server.administer(
                ":batchCreate", ["users": [["localId": "b", "tenantId": "some-tenant"]]], scope: scope)
            #expect(imported.json["error"] == .null)
            let link = try await server.administer(
                ":sendOobCode", ["requestType": "VERIFY_EMAIL", "email": "a@example.com", "returnOobLink": true],
                scope: scope)
            #expect(link.json["oobLink"].text?.contains("mode=verifyEmail") == true, "\(link.text)")
            #expect(try await server.administer(":delete", ["localId": "b"], scope: scope).status == 200)
        }
    }

    @Test
    func `No body makes the server fail, at any door`() async throws {
        let bodies: [String] = [
            "", "{", "[]", "null", "1", "\"x\"", "{}", #"{"localId":1}"#, #"{"localId":{}}"#, #"{"localId":[1,{}]}"#,
            #"{"localId":["a"],"email":"b"}"#, #"{"users":{}}"#, #"{"users":[1]}"#, #"{"users":[null]}"#,
            #"{"users":[{"localId":["a"]}]}"#, #"{"users":[{"localId":"a","createdAt":"x"}]}"#,
            #"{"users":[{"localId":"a","mfaInfo":[{"totpInfo":{"digits":1e99}}]}]}"#, #"{"mfa":[]}"#,
            #"{"localId":"a","validSince":1.5}"#, #"{"localId":"a","validSince":"9999999999999999999999"}"#,
            #"{"localId":"a","localId":"b"}"#, #"{"local_id":"a","localId":"b"}"#, #"{"localIds":"a"}"#,
            #"{"localIds":[{}]}"#, #"{"limit":"x"}"#, #"{"expression":[1]}"#, #"{"idToken":{}}"#,
            #"{"validDuration":"x"}"#, #"{"idToken":"x","validDuration":-9223372036854775808}"#,
            #"{"requestType":7}"#, #"{"requestType":"VERIFY_EMAIL","email":["x"]}"#, "{\"localId\":\"\u{0}\"}",
            String(repeating: #"{"a":"#, count: 40), #"{"customAttributes":{}}"#, #"{"mfaInfo":{}}"#,
        ]
        try await TestServer.with { server in
            for (method, path) in endpoints where method == .post {
                for body in bodies {
                    let reply = try await server.send(
                        .post, path, headers: Self.json.adding(server.administrator), body: Array(body.utf8))
                    #expect(reply.status < 500, "\(path) \(body): \(reply.text)")
                    #expect(reply.status == 200 || reply.message != nil, "\(path) \(body): \(reply.text)")
                }
                let bytes = try await server.send(
                    .post, path, headers: Self.json.adding(server.administrator), body: [0xFF, 0xFE, 0x00])
                #expect(bytes.status == 400, "\(path)")
                var form = server.administrator
                form[.contentType] = "application/x-www-form-urlencoded"
                let asForm = try await server.send(.post, path, headers: form, body: Array("localId=a".utf8))
                #expect(asForm.status == 400, "\(path)")
            }
            #expect(try await server.send(.put, endpoints[0].1, headers: server.administrator).status < 500)
        }
    }
}

extension HTTPFields {
    fileprivate func adding(_ others: HTTPFields) -> HTTPFields {
        var all = self
        all.append(contentsOf: others)
        return all
    }
}
