import ClientHTTP
import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Sign-in by code and by password. Source: MSAL for iOS.
@MainActor
@Suite struct SignInTests {
    private let app: TestApp
    private let recorder = Recorder()
    private var server: ScriptedServer { app.server }

    init() throws {
        app = try TestApp()
        server.on(.initiate, .token("t1"))
        server.on(.challenge, .code("t2"))
        server.on(.token, .tokens("first"))
    }

    private func signIn(_ username: String = "ada@example.com", password: String? = nil) async -> DelegateCall {
        let parameters = MSALNativeAuthSignInParameters(username: username)
        parameters.password = password
        return await recorder.told { app.nativeAuth.signIn(parameters: parameters, delegate: $0) }
    }

    private func codeState() async throws -> SignInCodeRequiredState { try await signIn().state() }

    private func passwordState() async throws -> SignInPasswordRequiredState {
        server.on(.challenge, .password("t2"))
        return try await signIn().state()
    }

    @Test func `A code signs in, by three requests with these fields`() async throws {
        let told = await signIn()
        #expect(told.line == "onSignInCodeRequired")
        #expect(told.contact == "a***@b.c")
        #expect(told.channel?.isEmailType == true)
        #expect(told.channel?.isSMSType == false)
        #expect(told.codeLength == 8)
        let state: SignInCodeRequiredState = try told.state()
        let done = await recorder.told { state.submitCode(code: "12345678", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(done.result?.account.username == "ada@example.com")
        #expect(server.paths == ["/oauth2/v2.0/initiate", "/oauth2/v2.0/challenge", "/oauth2/v2.0/token"])
        #expect(
            server.form(.initiate) == [
                "client_id": "app", "username": "ada@example.com", "challenge_type": "oob password redirect",
            ])
        #expect(
            server.form(.challenge) == [
                "client_id": "app", "continuation_token": "t1", "challenge_type": "oob password redirect",
            ])
        #expect(
            server.form(.token) == [
                "client_id": "app", "continuation_token": "t2", "grant_type": "oob", "oob": "12345678",
                "scope": "openid profile offline_access", "client_info": "true",
            ])
    }

    @Test func `A password that comes along signs in at once`() async throws {
        server.on(.challenge, .password("t2"))
        #expect(await signIn(password: "p&=+ ä").line == "onSignInCompleted")
        #expect(
            server.form(.token) == [
                "client_id": "app", "continuation_token": "t2", "grant_type": "password", "username": "ada@example.com",
                "password": "p&=+ ä", "scope": "openid profile offline_access", "client_info": "true",
                "challenge_type": "oob password redirect",
            ])
    }

    @Test func `A password is not used where a code is asked for`() async throws {
        #expect(await signIn(password: "p").line == "onSignInCodeRequired")
        #expect(server.requests(to: .token).isEmpty)
    }

    @Test func `A password is asked for where none came along`() async throws {
        let state = try await passwordState()
        let done = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(server.form(.token)["password"] == "p")
    }

    @Test func `Scopes come before the usual ones, each once, and claims are forwarded in every step`() async throws {
        let parameters = MSALNativeAuthSignInParameters(username: "a@b.c")
        parameters.scopes = ["User.Read", "profile", "User.Read", ""]
        parameters.claimsRequest = try MSALClaimsRequest(jsonString: #"{"id_token":{"acrs":{"value":"c1"}}}"#)
        let state: SignInCodeRequiredState = try await recorder.told {
            app.nativeAuth.signIn(parameters: parameters, delegate: $0)
        }.state()
        let error = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(error.line == "onSignInCompleted")
        #expect(server.form(.token)["scope"] == "User.Read profile openid offline_access")
        #expect(server.form(.token)["claims"] == #"{"id_token":{"acrs":{"value":"c1"}}}"#)
    }

    @Test func `What is empty is refused without a request`() async throws {
        #expect(await signIn("").line == "onSignInStartError InvalidUsername")
        #expect(await signIn(password: "").line == "onSignInStartError InvalidCredentials")
        #expect(server.requests.isEmpty)
        let state = try await codeState()
        let code = await recorder.told { state.submitCode(code: "", delegate: $0) }
        #expect(code.line == "onSignInVerifyCodeError InvalidCode +state")
        #expect(code.error?.errorDescription == "Invalid code")
        #expect(try code.state(as: SignInCodeRequiredState.self) === state)
        let password = try await passwordState()
        let told = await recorder.told { password.submitPassword(password: "", delegate: $0) }
        #expect(told.line == "onSignInPasswordRequiredError InvalidPassword +state")
        #expect(server.requests(to: .token).isEmpty)
    }

    typealias Answer = ScriptedServer.Answer

    @Test(arguments: [
        (Answer.redirect, "BrowserRequired", "REASON"),
        (.refusal("user_not_found"), "UserNotFound", "TEXT"),
        (.refusal("unauthorized_client"), "general", "TEXT"),
        (.refusal("unsupported_challenge_type"), "general", "TEXT"),
        (.refusal("brand_new", text: nil), "general", "General error"),
        ("{}", "general", "Unexpected response body received"),
        (Answer("{", status: 400), "general", "Unexpected response body received"),
        (Answer(#"{"error_codes":[1]}"#, status: 400), "general", "Unexpected response body received"),
        (Answer(#"{"error":"user_not_found"}"#, status: 404), "general", "Unexpected response body received"),
        (Answer(#"{"error":"user_not_found"}"#, status: 401), "UserNotFound", "User does not exist"),
        (Answer("", status: 500), "general", "Unexpected response body received"),
        // A redirect counts, whatever else there is.
        (
            #"{"challenge_type":"redirect","continuation_token":"t"}"#, "BrowserRequired",
            "Browser required. Use acquireTokenInteractively instead"
        ),
    ])
    func `What initiate answers becomes this error`(answer: Answer, flag: String, text: String) async throws {
        server.on(.initiate, answer)
        let told = await signIn()
        #expect(told.line == "onSignInStartError \(flag)")
        #expect(told.error?.errorDescription == text)
    }

    @Test(arguments: [
        (Answer.redirect, "BrowserRequired", "REASON"),
        (.refusal("expired_token"), "general", "TEXT"),
        (.token("t"), "general", "Unexpected challenge type"),
        (#"{"challenge_type":"preverified","continuation_token":"t"}"#, "general", "Unexpected challenge type"),
        (#"{"challenge_type":"fax","continuation_token":"t"}"#, "general", "Unexpected response body received"),
        (#"{"challenge_type":"password"}"#, "general", "Unexpected response body received"),
        (
            #"{"challenge_type":"oob","continuation_token":"t","challenge_channel":"email","code_length":8}"#,
            "general",
            "Unexpected response body received"
        ),
        (
            #"{"challenge_type":"oob","continuation_token":"t","challenge_target_label":"x","code_length":8}"#,
            "general",
            "Unexpected response body received"
        ),
        (
            #"{"challenge_type":"oob","continuation_token":"t","challenge_target_label":"x","challenge_channel":"email"}"#,
            "general", "Unexpected response body received"
        ),
    ])
    func `What challenge answers becomes this error`(answer: Answer, flag: String, text: String) async throws {
        server.on(.challenge, answer)
        let told = await signIn()
        #expect(told.line == "onSignInStartError \(flag)")
        #expect(told.error?.errorDescription == text)
    }

    /// What the token endpoint refuses: as the start, the password step and the code step tell it.
    nonisolated private static let refusals: [(Answer, start: String, password: String, code: String)] = [
        (.redirect, "BrowserRequired", "BrowserRequired", "BrowserRequired"),
        (.refusal("invalid_grant", codes: [50126]), "InvalidCredentials", "InvalidPassword", "general"),
        (.refusal("invalid_grant", codes: [50034]), "UserNotFound", "general", "general"),
        (.refusal("user_not_found"), "UserNotFound", "general", "general"),
        // Only the first number counts.
        (.refusal("invalid_grant", codes: [1, 50126]), "general", "general", "general"),
        (.refusal("invalid_grant", codes: [50126, 1, 2]), "InvalidCredentials", "InvalidPassword", "general"),
        (.refusal("invalid_grant", codes: []), "general", "general", "general"),
        (.refusal("invalid_grant", "invalid_oob_value"), "general", "general", "InvalidCode"),
        (.refusal("invalid_grant", "mfa_required"), "general", "general", "general"),
        (.refusal("invalid_grant", "registration_required"), "general", "general", "general"),
        (.refusal("invalid_request"), "general", "general", "general"),
        (.refusal("invalid_client"), "general", "general", "general"),
        (.refusal("unauthorized_client"), "general", "general", "general"),
        (.refusal("expired_token"), "general", "general", "general"),
        (.refusal("invalid_scope"), "general", "general", "general"),
        (.refusal("authorization_pending"), "general", "general", "general"),
        (.refusal("slow_down"), "general", "general", "general"),
        (Answer("", status: 429), "general", "general", "general"),
        ("{}", "general", "general", "general"),
    ]

    @Test(arguments: refusals) func `What token refuses becomes this error at the start`(
        row: (Answer, start: String, password: String, code: String)
    ) async throws {
        server.on(.challenge, .password("t2"))
        server.on(.token, row.0)
        #expect(await signIn(password: "p").line == "onSignInStartError \(row.start)")
    }

    @Test(arguments: refusals) func `What token refuses becomes this error after a password, which can be given again`(
        row: (Answer, start: String, password: String, code: String)
    ) async throws {
        let state = try await passwordState()
        server.on(.token, row.0, .tokens("later"))
        let told = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(told.line == "onSignInPasswordRequiredError \(row.password) +state")
        #expect(try told.state(as: SignInPasswordRequiredState.self) === state)
        if row.password == "InvalidPassword" { #expect(told.error?.errorDescription == "Invalid password") }
        let again = await recorder.told { state.submitPassword(password: "q", delegate: $0) }
        #expect(again.line == "onSignInCompleted")
        #expect(server.form(.token)["continuation_token"] == "t2")
    }

    @Test(arguments: refusals) func `What token refuses becomes this error after a code, which can be given again`(
        row: (Answer, start: String, password: String, code: String)
    ) async throws {
        let state = try await codeState()
        server.on(.token, row.0, .tokens("later"))
        let told = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(told.line == "onSignInVerifyCodeError \(row.code) +state")
        #expect(try told.state(as: SignInCodeRequiredState.self) === state)
        let again = await recorder.told { state.submitCode(code: "2", delegate: $0) }
        #expect(again.line == "onSignInCompleted")
        #expect(server.form(.token)["continuation_token"] == "t2")
    }

    @Test func `A password that must be reset first says so before the server's text`() async throws {
        server.on(.challenge, .password("t2"))
        server.on(.token, .refusal("invalid_request", codes: [7, 50142]))
        let told = await signIn(password: "p")
        #expect(told.line == "onSignInStartError general")
        #expect(told.error?.errorDescription?.hasPrefix("User password change is required") == true)
        #expect(told.error?.errorDescription?.hasSuffix("TEXT") == true)
    }

    @Test(arguments: [
        (Answer.code("t3"), "onSignInResendCodeCodeRequired"),
        (.refusal("expired_token"), "onSignInResendCodeError general +state"),
        (.redirect, "onSignInResendCodeError BrowserRequired +state"),
        (Answer("", status: 404), "onSignInResendCodeError general +state"),
        (.password("t3"), "onSignInResendCodeError general"),
    ])
    func `Another code is sent, or not, and the state is this`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.challenge, answer)
        let told = await recorder.told { state.resendCode(delegate: $0) }
        #expect(told.line == line)
        #expect(server.form(.challenge)["continuation_token"] == "t2")
        guard let next = told.state as? SignInCodeRequiredState else { return }
        #expect((next === state) == (told.error != nil))
        let done = await recorder.told { next.submitCode(code: "1", delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(server.form(.token)["continuation_token"] == (told.error == nil ? "t3" : "t2"))
        // The state from before is good too.
        #expect(await recorder.told { state.submitCode(code: "1", delegate: $0) }.line == "onSignInCompleted")
        #expect(server.form(.token)["continuation_token"] == "t2")
    }

    @Test(arguments: [
        (#"{"access_token":"a","id_token":"ID"}"#), (#"{"access_token":"a","client_info":"INFO"}"#),
        (#"{"id_token":"ID","client_info":"INFO"}"#), (#"{"access_token":"a","id_token":"x.y","client_info":"INFO"}"#),
        (#"{"access_token":"a","id_token":"NONAME","client_info":"INFO"}"#),
        (#"{"access_token":"a","id_token":"ID","client_info":"?"}"#),
    ])
    func `Tokens that do not say whose they are are none`(body: String) async throws {
        let state = try await codeState()
        let body =
            body.replacingOccurrences(of: "INFO", with: ClientInfo(uid: "u", utid: "t").text)
            .replacingOccurrences(of: "NONAME", with: jwt(#"{"name":"x"}"#))
            .replacingOccurrences(of: #""ID""#, with: #""\#(jwt(#"{"sub":"s"}"#))""#)
        server.on(.token, Answer(body))
        let told = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(told.line == "onSignInVerifyCodeError general +state")
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
    }

    @Test func `One correlation id stands in all requests of a flow, and the server's in an error`() async throws {
        let id = UUID()
        let parameters = MSALNativeAuthSignInParameters(username: "a@b.c")
        parameters.correlationId = id
        let state: SignInCodeRequiredState = try await recorder.told {
            app.nativeAuth.signIn(parameters: parameters, delegate: $0)
        }.state()
        let other = UUID()
        var refusal = Answer.refusal("invalid_grant", "invalid_oob_value")
        refusal.headers = ["Client-Request-Id": other.uuidString]
        server.on(.token, refusal, .tokens("first"))
        server.on("openid-configuration", #"{"token_endpoint":"http://127.0.0.1:8080/contoso/oauth2/v2.0/token"}"#)
        let error = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(error.error?.correlationId == other)
        let resent: SignInCodeRequiredState = try await recorder.told { state.resendCode(delegate: $0) }.state()
        let result = try #require(await recorder.told { resent.submitCode(code: "1", delegate: $0) }.result)
        let refresh = MSALNativeAuthGetAccessTokenParameters()
        refresh.forceRefresh = true
        #expect(
            await recorder.told { result.getAccessToken(parameters: refresh, delegate: $0) }.line
                == "onAccessTokenRetrieveCompleted")
        #expect(server.requests.count == 7)
        #expect(server.requests.allSatisfy { $0.headers["client-request-id"] == id.uuidString })
    }
}
