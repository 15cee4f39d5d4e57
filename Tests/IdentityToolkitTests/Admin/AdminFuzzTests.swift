import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Requests of administrators that are almost right, at every one of their routes and at the emulator's.
@Suite(.serialized) struct AdminFuzzTests {
    private static let perRoute = 150

    @Test(arguments: [UInt64(31), 32])
    func `Thousands of mutated requests find no fault of ours`(seed: UInt64) async throws {
        try await TestServer.with(.development) { server in
            var mutator = RequestMutator(seed: seed)
            var taken = 0
            let samples = try await Self.samples(server)
            for sample in samples {
                for round in 0..<Self.perRoute {
                    let request = mutator.mutate(sample)
                    var headers = request.headers
                    headers[.xForwardedFor] = TestServer.freshAddress()
                    let reply = try await server.send(
                        request.method, request.uri, headers: headers, body: request.body.bytes)
                    taken += reply.status == 200 ? 1 : 0
                    let isHonest = reply.status == 503 && reply.headers[.retryAfter] != nil
                    #expect(
                        reply.status < 500 || isHonest,
                        """
                        seed \(seed), round \(round): \(request.method) \(request.uri.prefix(300)) \
                        \(String(decoding: request.body.bytes?.prefix(1000) ?? [], as: UTF8.self)) → \(reply.text.prefix(300))
                        """)
                    #expect(!reply.text.contains(server.adminToken))
                    #expect(!reply.text.contains("argon2id"))
                }
            }
            #expect(taken > samples.count * Self.perRoute / 20)
            // The remaining users can be listed and read.
            let page = try await server.get(
                "/v1/projects/countersign/accounts:batchGet?maxResults=1000", headers: server.administrator)
            #expect(page.status == 200)
        }
    }

    /// A valid request for every route of administrators.
    private static func samples(_ server: TestServer) async throws -> [SampleRequest] {
        let (person, app) = try await server.enrolledPerson()
        let id = JSON.string(person.localID)
        var headers = server.administrator
        headers[.contentType] = "application/json"
        func post(_ path: String, _ body: JSON) -> SampleRequest {
            SampleRequest(path: path, headers: headers, body: .json(body))
        }
        func get(_ path: String, _ query: [String] = [], _ method: HTTPRequest.Method = .get) -> SampleRequest {
            SampleRequest(method: method, path: path, query: query, headers: headers)
        }
        let scope = "/v1/projects/demo/tenants/t"
        let row: JSON = [
            "localId": "imported", "email": "i@example.com", "emailVerified": true, "phoneNumber": "+15555550100",
            "passwordHash": "6MNoYWU=", "salt": "c2FsdA==", "customAttributes": #"{"a":1}"#,
            "createdAt": "1600000000000",
            "providerUserInfo": [["providerId": "phone", "rawId": "+15555550100"]],
            "mfaInfo": [
                [
                    "mfaEnrollmentId": "m", "displayName": "n", "enrolledAt": "2025-01-02T03:04:05.6Z",
                    "totpInfo": [
                        "sharedSecretKey": "GEZDGNBVGY3TQOJQ", "algorithm": "SHA256", "digits": 8, "period": 60,
                    ],
                ]
            ],
        ]
        return [
            post(
                "\(scope)/accounts",
                [
                    "localId": "new", "email": "n@example.com", "phoneNumber": "+15555550101",
                    "password": "a good password",
                ]),
            post(
                "\(scope)/accounts:lookup",
                [
                    "localId": [id], "email": ["a@b"], "phoneNumber": ["+1555"],
                    "federatedUserId": [["providerId": "phone"]],
                ]),
            post(
                "\(scope)/accounts:update",
                [
                    "localId": id, "displayName": "x", "photoUrl": "y", "emailVerified": true, "disableUser": false,
                    "phoneNumber": "+15555550102", "customAttributes": #"{"b":[1,2,{"c":null}]}"#, "createdAt": "1",
                    "lastLoginAt": 2, "deleteAttribute": ["PHOTO_URL"], "deleteProvider": ["phone"],
                    "mfa": ["enrollments": [["mfaEnrollmentId": .string(app.enrollmentID), "displayName": "z"]]],
                ]),
            post("\(scope)/accounts:update", ["localId": id, "validSince": "1600000000"]),
            post("\(scope)/accounts:delete", ["localId": "imported"]),
            post(
                "\(scope)/accounts:batchCreate",
                ["hashAlgorithm": "HMAC_SHA256", "signerKey": "a2V5", "allowOverwrite": true, "users": [row]]),
            post(
                "\(scope)/accounts:batchCreate",
                [
                    "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 16, "blockSize": 1, "parallelization": 1,
                    "dkLen": 5,
                    "users": [row, ["localId": "second", "rawPassword": "x"]],
                ]),
            post(
                "\(scope)/accounts:batchCreate",
                [
                    "hashAlgorithm": "ARGON2", "users": [row],
                    "argon2Parameters": [
                        "hashType": "ARGON2_ID", "hashLengthBytes": 5, "parallelism": 1, "iterations": 1,
                        "memoryCostKib": 8, "version": "VERSION_13",
                    ],
                ]),
            post("\(scope)/accounts:batchDelete", ["localIds": ["imported", "second"], "force": true]),
            get(
                "\(scope)/accounts:batchGet",
                ["maxResults": "3", "nextPageToken": "AWE"].map { "\($0.key)=\($0.value)" }),
            post("\(scope)/accounts:query", ["sortBy": "NAME", "order": "DESC", "limit": "3", "offset": "1"]),
            post(
                "\(scope)/accounts:query", ["expression": [["email": .string(person.email)]], "returnUserInfo": true]),
            post(
                "\(scope)/accounts:sendOobCode",
                ["requestType": "PASSWORD_RESET", "email": .string(person.email), "returnOobLink": true]),
            post("\(scope):createSessionCookie", ["idToken": .string(person.idToken), "validDuration": "300"]),
            post("/v1/projects/demo:queryAccounts", ["returnUserInfo": false]),
            post("/identitytoolkit/v3/relyingparty/downloadAccount", ["maxResults": 2, "targetProjectId": "x"]),
            get("/v1/publicKeys"), get("/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"),
            get("/emulator/v1/projects/demo/oobCodes"), get("/emulator/v1/projects/demo/verificationCodes"),
            get("/emulator/v1/projects/demo/config"),
            SampleRequest(
                method: .patch, path: "/emulator/v1/projects/demo/config", headers: headers,
                body: .json(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]])),
            get(
                "/emulator/action",
                ["mode=resetPassword", "oobCode=x", "apiKey=y", "newPassword=z", "continueUrl=https%3A%2F%2Fa.b%2F"]),
            get(
                "/emulator/action",
                ["mode=signIn", "oobCode=x", "apiKey=y", "continueUrl=https%3A%2F%2Fa.b%2F%3Fc%3Dd"]),
            get("/emulator/v1/projects/demo/accounts", [], .delete),
        ]
    }
}
