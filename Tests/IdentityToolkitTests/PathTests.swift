import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Where endpoints are found (discovery documents of Identity Toolkit, and firebase-tools' Authentication emulator).
@Suite struct PathTests {
    struct Endpoint: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.post
        let path: String
        /// Below `identitytoolkit/v3/relyingparty/`.
        var legacy: String?
        /// What an empty body is answered with; nil for success.
        let message: String?
        var host = "identitytoolkit.googleapis.com"

        var testDescription: String { path }

        /// Every spelling under which the endpoint has to be found.
        var spellings: [String] {
            let escaped = [path, path.replacing(":", with: "%3A"), path.replacing(":", with: "%3a")]
            var all = escaped.map { "/\($0)" } + escaped.map { "/\(host)/\($0)" }
            if let legacy {
                all += ["", "www.googleapis.com/"].map { "/\($0)identitytoolkit/v3/relyingparty/\(legacy)" }
            }
            return Array(Set(all)).sorted()
        }
    }

    /// The server of these tests has no domain.
    static let passkeysNotEnabled = "OPERATION_NOT_ALLOWED : Passkeys are not enabled."
    static let notEnabled = "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."

    static let endpoints: [Endpoint] = [
        Endpoint(path: "v1/accounts:signUp", legacy: "signupNewUser", message: "ADMIN_ONLY_OPERATION"),
        Endpoint(path: "v1/accounts:signInWithPassword", legacy: "verifyPassword", message: "MISSING_EMAIL"),
        Endpoint(path: "v1/accounts:signInWithEmailLink", legacy: "emailLinkSignin", message: "MISSING_EMAIL"),
        Endpoint(
            path: "v1/accounts:signInWithCustomToken", legacy: "verifyCustomToken", message: "MISSING_CUSTOM_TOKEN"),
        Endpoint(path: "v1/accounts:lookup", legacy: "getAccountInfo", message: "MISSING_ID_TOKEN"),
        Endpoint(path: "v1/accounts:update", legacy: "setAccountInfo", message: "MISSING_ID_TOKEN"),
        Endpoint(path: "v1/accounts:delete", legacy: "deleteAccount", message: "MISSING_ID_TOKEN"),
        Endpoint(path: "v1/accounts:sendOobCode", legacy: "getOobConfirmationCode", message: "MISSING_REQ_TYPE"),
        Endpoint(path: "v1/accounts:resetPassword", legacy: "resetPassword", message: "MISSING_OOB_CODE"),
        Endpoint(path: "v1/accounts:createAuthUri", legacy: "createAuthUri", message: "MISSING_IDENTIFIER"),
        Endpoint(path: "v1/accounts:signInWithIdp", legacy: "verifyAssertion", message: notEnabled),
        Endpoint(path: "v1/accounts:signInWithPhoneNumber", legacy: "verifyPhoneNumber", message: notEnabled),
        Endpoint(path: "v1/accounts:sendVerificationCode", legacy: "sendVerificationCode", message: notEnabled),
        Endpoint(path: "v1/accounts:signInWithGameCenter", legacy: "signInWithGameCenter", message: notEnabled),
        Endpoint(path: "v1/accounts:verifyIosClient", legacy: "verifyClient", message: notEnabled),
        Endpoint(method: .get, path: "v1/projects", legacy: "getProjectConfig", message: nil),
        Endpoint(method: .get, path: "v1/recaptchaParams", legacy: "getRecaptchaParam", message: nil),
        Endpoint(path: "v2/accounts/mfaEnrollment:start", message: "Request contains an invalid argument."),
        Endpoint(path: "v2/accounts/mfaEnrollment:finalize", message: "INVALID_ID_TOKEN"),
        Endpoint(path: "v2/accounts/mfaEnrollment:withdraw", message: "INVALID_ID_TOKEN"),
        Endpoint(path: "v2/accounts/mfaSignIn:start", message: "Request contains an invalid argument."),
        Endpoint(path: "v2/accounts/mfaSignIn:finalize", message: "Request contains an invalid argument."),
        Endpoint(path: "v2/accounts:revokeToken", message: "INVALID_ID_TOKEN"),
        Endpoint(path: "v2/accounts/passkeyEnrollment:start", message: "MISSING_ID_TOKEN"),
        Endpoint(path: "v2/accounts/passkeyEnrollment:finalize", message: "MISSING_ID_TOKEN"),
        Endpoint(path: "v2/accounts/passkeySignIn:start", message: passkeysNotEnabled),
        Endpoint(path: "v2/accounts/passkeySignIn:finalize", message: "MISSING_AUTHENTICATOR_RESPONSE"),
        Endpoint(method: .get, path: "v2/defaultSupportedIdps", message: nil),
        Endpoint(method: .get, path: "v2/recaptchaConfig", message: nil),
        Endpoint(method: .get, path: "v2/passwordPolicy", message: nil),
        Endpoint(path: "v1/token", message: "MISSING_GRANT_TYPE", host: "securetoken.googleapis.com"),
    ]

    @Test func `Every endpoint answers under all its paths`() async throws {
        try await TestServer.with { server in
            for endpoint in Self.endpoints {
                for path in endpoint.spellings {
                    let reply =
                        endpoint.method == .get ? try await server.get(path) : try await server.post(path)
                    if let message = endpoint.message {
                        expectRefused(reply, message, EnvelopeForm("/\(endpoint.path)"))
                    } else {
                        #expect(reply.status == 200, "\(path): \(reply.text)")
                    }
                }
            }
        }
    }

    @Test(arguments: ["v2", "admin/v2"])
    func `The configuration answers under both prefixes`(prefix: String) async throws {
        try await TestServer.with { server in
            for path in [
                "/\(prefix)/projects/countersign/config",
                "/identitytoolkit.googleapis.com/\(prefix)/projects/countersign/config",
            ] {
                let read = try await server.send(.get, path, headers: server.administrator)
                #expect(read.status == 200)
                #expect(read.json["mfa"]["state"] == "ENABLED")
                let written = try await server.changeConfig(
                    mask: "mfa.state", ["mfa": ["state": "DISABLED"]], path: path)
                #expect(written.json["mfa"]["state"] == "DISABLED", "\(written.text)")
                _ = try await server.changeConfig(mask: "mfa.state", ["mfa": ["state": "ENABLED"]], path: path)
            }
        }
    }

    @Test(
        arguments: [
            "/v1/accounts%253AsignUp", "/v1/accounts:signup", "/v1/accounts", "/v1/accounts:signUp/x",
            "/v3/accounts:signUp",
            "/identitytoolkit.googleapis.com/identitytoolkit.googleapis.com/v1/accounts:signUp",
            "/evil.example.com/v1/accounts:signUp", "/identitytoolkit/v3/relyingparty/nothing", "/v1/x",
            "/v2/accounts/mfaEnrollment:begin", "/admin/v2/accounts/mfaEnrollment:start", "/v2/token",
            "/v1/../v1/token", "/V1/TOKEN",
        ])
    func `What only looks like an endpoint is not found`(path: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.post(path)
            #expect(reply.status == 404, "\(reply.text)")
            #expect(reply.headers[.contentType] == "application/json; charset=UTF-8")
            #expect(reply.json["error"] != .null)
        }
    }

    @Test func `Members may be in snake case`() async throws {
        try await TestServer.with { server in
            let email = "snake@example.com"
            let signUp = try await server.post(
                "/v1/accounts:signUp",
                [
                    "email": .string(email), "password": .string(TestServer.password), "display_name": "Snake",
                    "return_secure_token": true, "client_type": "CLIENT_TYPE_WEB",
                ])
            #expect(signUp.json["displayName"] == "Snake", "\(signUp.text)")
            let idToken = try #require(signUp.json["idToken"].text)
            let lookup = try await server.post("/v1/accounts:lookup", ["id_token": .string(idToken)])
            #expect(lookup.json["users"][0]["email"] == .string(email))

            let sent = try await server.post(
                "/v1/accounts:sendOobCode",
                ["request_type": "VERIFY_EMAIL", "email": .string(email), "return_oob_link": true],
                headers: server.administrator)
            let verified = try await server.post(
                "/v1/accounts:update", ["oob_code": sent.json["oobCode"], "photo_url": "ignored"])
            #expect(verified.json["emailVerified"] == true, "\(verified.text)")

            let started = try await server.post(
                "/v2/accounts/mfaEnrollment:start", ["id_token": .string(idToken), "totp_enrollment_info": [:]])
            let session = started.json["totpSessionInfo"]["sessionInfo"]
            #expect(session.text != nil, "\(started.text)")
            let finished = try await server.post(
                "/v2/accounts/mfaEnrollment:finalize",
                [
                    "id_token": .string(idToken), "display_name": "TOTP",
                    "totp_verification_info": ["session_info": session, "verification_code": "000000"],
                ])
            #expect(finished.message == "INVALID_CODE", "\(finished.text)")
            let signIn = try await server.post(
                "/v2/accounts/mfaSignIn:finalize",
                [
                    "mfa_pending_credential": "nothing", "mfa_enrollment_id": "nothing",
                    "totp_verification_info": ["verification_code": "000000"],
                ])
            #expect(signIn.message == "INVALID_PENDING_TOKEN", "\(signIn.text)")
            let withdrawn = try await server.post(
                "/v2/accounts/mfaEnrollment:withdraw", ["id_token": .string(idToken), "mfa_enrollment_id": "x"])
            #expect(withdrawn.message == "MFA_ENROLLMENT_NOT_FOUND", "\(withdrawn.text)")
        }
    }

    @Test(
        arguments: [
            ("application/json", #"{"grantType":"refresh_token","refreshToken":"%"}"#),
            ("application/json", #"{"grant_type":"refresh_token","refresh_token":"%"}"#),
            ("application/json; charset=UTF-8", #"{"grantType":"refresh_token","refresh_token":"%"}"#),
            ("application/x-www-form-urlencoded", "grant_type=refresh_token&refresh_token=%"),
            ("application/x-www-form-urlencoded;charset=utf-8", "grantType=refresh_token&refreshToken=%&extra=1"),
        ])
    func `The token service takes JSON and forms`(type: String, template: String) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            for path in ["/v1/token", "/securetoken.googleapis.com/v1/token"] {
                let reply = try await server.send(
                    .post, "\(path)?key=\(server.key)", headers: [.contentType: type],
                    body: Array(template.replacing("%", with: person.refreshToken).utf8))
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.json["user_id"] == .string(person.localID))
            }
        }
    }

    @Test func `A number is taken for a string and a word for a boolean`() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                "/v1/accounts:signUp",
                ["email": "number@example.com", "password": 918_273_645, "displayName": 7, "returnSecureToken": "true"])
            #expect(reply.json["displayName"] == "7", "\(reply.text)")
            let signIn = try await server.post(
                "/v1/accounts:signInWithPassword", ["email": "number@example.com", "password": "918273645"])
            #expect(signIn.json["idToken"].text != nil, "\(signIn.text)")
        }
    }
}
