import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import IdentityToolkitServer
import Testing

/// Thousands of requests that are almost right, at every route.
///
/// `COUNTERSIGN_FUZZ_SEED` replays a run, or makes another one.
@Suite(.serialized) struct FuzzTests {
    /// How often the requests are made again that others are made of: one that was taken may have ended what it was
    /// made of, for itself and for others.
    private static let rounds = 20

    private static let seed =
        ProcessInfo.processInfo.environment["COUNTERSIGN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260_924

    @Test func `Ten thousand mutated requests find no fault of ours`() async throws {
        let (sent, fewest) = try await fuzz(.development, perRound: 13)
        #expect(sent >= 10_000)
        #expect(fewest >= 200)
    }

    @Test func `Nor do they in production`() async throws {
        _ = try await fuzz(.production, perRound: 3)
    }

    /// Answers how many requests were sent, and how many at least to each route.
    private func fuzz(_ mode: TestServer.Mode, perRound: Int) async throws -> (sent: Int, fewest: Int) {
        try await TestServer.with(mode) { server in
            var mutator = RequestMutator(seed: Self.seed)
            var sent = 0
            var statuses: [Int: Int] = [:]
            for _ in 0..<Self.rounds {
                let samples = try await samples(server).shuffled(using: &mutator.random)
                for sample in samples {
                    for _ in 0..<perRound {
                        let reply = try await send(mutator.mutate(sample), to: server, number: sent)
                        sent += 1
                        statuses[reply.status, default: 0] += 1
                    }
                }
            }
            // What the clock moves is no longer valid, so the clock comes last.
            if mode == .development {
                let clock = SampleRequest(
                    path: "/dev/clock", headers: [.contentType: "application/json"],
                    body: .json(["advanceSeconds": 1]))
                for _ in 0..<perRound * Self.rounds {
                    _ = try await send(mutator.mutate(clock), to: server, number: sent)
                    sent += 1
                }
            }
            // Not everything was turned away at the door, and the server is as it was.
            #expect(statuses[200, default: 0] > sent / 20, "\(statuses)")
            // It says 503 where the store needs more than two seconds, as on a machine that does much else.
            var ready = 0
            for _ in 0..<100 where ready != 200 { ready = try await server.send(.get, "/health/ready").status }
            #expect(ready == 200)
            _ = try await server.changeConfig(
                mask: "emailPrivacyConfig", ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]])
            let person = try await server.signUp()
            #expect(try await server.signIn(person).status == 200)
            return (sent, perRound * Self.rounds)
        }
    }

    private func send(_ request: SampleRequest, to server: TestServer, number: Int) async throws -> Reply {
        var headers = request.headers
        headers[.xForwardedFor] =
            server.mode == .development ? TestServer.freshAddress() : "198.51.100.\(number % 250)"
        let reply = try await server.send(request.method, request.uri, headers: headers, body: request.body.bytes)
        let faults = faults(of: reply, to: request, server)
        #expect(
            faults.isEmpty,
            """
            \(faults.joined(separator: ", ")): seed \(Self.seed), request \(number): \
            \(request.method) \(request.uri.prefix(500).debugDescription) \(request.headers) \
            \(String(decoding: request.body.bytes?.prefix(2000) ?? [], as: UTF8.self).debugDescription) → \
            \(reply.status) \(reply.text.prefix(500))
            """)
        return reply
    }

    private func faults(of reply: Reply, to request: SampleRequest, _ server: TestServer) -> [String] {
        var faults: [String] = []
        let isHonest = reply.status == 503 && reply.headers[.retryAfter] != nil
        if reply.status >= 500 && !isHonest { faults.append("a fault of ours") }
        if reply.has(server.adminToken) { faults.append("the administrator's token") }
        let path = String(request.path.prefix { $0 != "?" })
        if request.method == .head {
            if !reply.bytes.isEmpty { faults.append("a body in answer to HEAD") }
        } else if reply.status >= 400, IdentityToolkit.owns(path: path) {
            if reply.json["error"]["code"] != .integer(reply.status) { faults.append("not the protocol's form") }
        }
        if !reply.bytes.isEmpty && reply.headers[.contentType] == nil { faults.append("no content type") }
        return faults
    }

    /// A valid request for every route there is.
    private func samples(_ server: TestServer) async throws -> [SampleRequest] {
        // What an earlier request changed, so that these are valid.
        try await server.changeSettings { $0 = RealmSettings() }
        let (person, app) = try await server.enrolledPerson()
        let fresh = try await server.verifiedPerson()
        let started = try await server.startEnrolment(fresh.idToken).json["totpSessionInfo"]
        let newApp = try AuthenticatorApp(base32: try #require(started["sharedSecretKey"].text))
        let credential = try await server.pendingCredential(person)
        let reset = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(fresh.email)])
        let verify = try await server.link(["requestType": "VERIFY_EMAIL", "email": .string(fresh.email)])
        let signIn = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(fresh.email)])
        let email = JSON.string(fresh.email)
        let idToken = JSON.string(fresh.idToken)
        let password = JSON.string(fresh.password)
        let custom =
            server.mode == .development
            ? forged(["alg": "none"], ["uid": "fuzz", "aud": .string(SigningKey.audience), "claims": ["a": 1]])
            : try await SigningKey.register(for: "b@example.com", at: server).token(uid: "fuzz", at: server.now)

        let key = "key=\(server.key)"
        let json: HTTPFields = [.contentType: "application/json"]
        func post(_ path: String, _ body: JSON) -> SampleRequest {
            SampleRequest(path: path, query: [key], headers: json, body: .json(body))
        }
        func get(_ path: String, _ query: [String] = []) -> SampleRequest {
            SampleRequest(method: .get, path: path, query: query)
        }
        var administrators = server.administrator
        administrators[.contentType] = "application/json"
        let config: JSON = [
            "mfa": [
                "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
                "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
            ],
            "signIn": ["anonymous": ["enabled": true]],
            "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
        ]
        let info: JSON = [
            "sessionInfo": started["sessionInfo"], "verificationCode": .string(newApp.code(at: server.now)),
        ]
        var samples = [
            post(
                "/v1/accounts:signUp", ["email": "new-\(UUID())@example.com", "password": password, "displayName": "x"]),
            post("/v1/accounts:signInWithPassword", ["email": email, "password": password, "returnSecureToken": true]),
            post("/v1/accounts:signInWithEmailLink", ["email": email, "oobCode": .string(signIn)]),
            post("/v1/accounts:signInWithCustomToken", ["token": .string(custom), "returnSecureToken": true]),
            post("/v1/accounts:lookup", ["idToken": idToken]),
            post(
                "/v1/accounts:update",
                [
                    "idToken": idToken, "displayName": "Ada", "photoUrl": "https://example.com/a.png",
                    "deleteAttribute": ["PHOTO_URL"], "deleteProvider": ["google.com"], "returnSecureToken": true,
                    "mfa": ["enrollments": []], "validSince": "1",
                ]),
            post("/v1/accounts:update", ["oobCode": .string(verify)]),
            post("/v1/accounts:delete", ["idToken": idToken, "localId": .string(fresh.localID)]),
            post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": "PASSWORD_RESET", "email": email, "continueUrl": "https://example.com/",
                    "canHandleCodeInApp": true, "iOSBundleId": "com.example",
                ]),
            post(
                "/v1/accounts:sendOobCode",
                ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": idToken, "newEmail": "other@example.com"]),
            post("/v1/accounts:resetPassword", ["oobCode": .string(reset), "newPassword": "another staple 8 horse"]),
            post("/v1/accounts:createAuthUri", ["identifier": email, "continueUri": "http://localhost"]),
            post("/v1/accounts:signInWithIdp", ["postBody": "x", "requestUri": "http://localhost"]),
            post("/v1/accounts:signInWithPhoneNumber", ["sessionInfo": "x", "code": "123456"]),
            post("/v1/accounts:sendVerificationCode", ["phoneNumber": "+491510000000"]),
            get("/v1/projects", [key]),
            get("/v1/recaptchaParams", [key]),
            post("/identitytoolkit/v3/relyingparty/verifyPassword", ["email": email, "password": password]),
            post("/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo", ["idToken": idToken]),
            post("/v2/accounts/mfaEnrollment:start", ["idToken": idToken, "totpEnrollmentInfo": [:]]),
            post(
                "/v2/accounts/mfaEnrollment:finalize",
                ["idToken": idToken, "displayName": "TOTP", "totpVerificationInfo": info]),
            post(
                "/v2/accounts/mfaEnrollment:withdraw",
                ["idToken": .string(person.idToken), "mfaEnrollmentId": .string(app.enrollmentID)]),
            post(
                "/v2/accounts/mfaSignIn:start",
                [
                    "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(app.enrollmentID),
                    "phoneSignInInfo": [:],
                ]),
            post(
                "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize",
                [
                    "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(app.enrollmentID),
                    "totpVerificationInfo": ["verificationCode": .string(app.code(at: server.now))],
                ]),
            get("/v2/recaptchaConfig", [key, "clientType=CLIENT_TYPE_IOS"]),
            get("/v2/passwordPolicy", [key]),
            post("/v1/token", ["grantType": "refresh_token", "refreshToken": .string(fresh.refreshToken)]),
            SampleRequest(
                path: "/securetoken.googleapis.com/v1/token", query: [key],
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: .bytes(Array("grant_type=refresh_token&refresh_token=\(fresh.refreshToken)".utf8))),
            get("/auth/action", ["mode=resetPassword", "oobCode=\(reset)", "continueUrl=https%3A%2F%2Fexample.com"]),
            SampleRequest(
                path: "/auth/action", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: .bytes(
                    Array(
                        "mode=resetPassword&oobCode=\(reset)&newPassword=another+staple+8&continueUrl=https://e.com"
                            .utf8))),
            get("/assets/countersign.css"),
            get("/.well-known/jwks.json"), get("/.well-known/openid-configuration"),
            get("/health/live"), get("/health/ready"),
        ]
        for prefix in ["/v2", "/admin/v2"] {
            let path = "\(prefix)/projects/countersign/config"
            samples.append(SampleRequest(method: .get, path: path, headers: administrators))
            samples.append(
                SampleRequest(
                    method: .patch, path: path, query: ["updateMask=mfa,signIn.anonymous.enabled,emailPrivacyConfig"],
                    headers: administrators, body: .json(config)))
        }
        if server.mode == .development {
            samples += [
                get("/"), get("/dev/inbox"), get("/dev/inbox.json"),
            ]
        }
        return samples
    }
}
