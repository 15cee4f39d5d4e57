import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Sign-up with a code, a password and attributes. Source: MSAL for iOS.
@MainActor
@Suite struct SignUpTests {
    typealias Answer = ScriptedServer.Answer

    private let app: TestApp
    private let recorder = Recorder()
    private var server: ScriptedServer { app.server }

    nonisolated private static let attributes =
        #","required_attributes":[{"name":"city","type":"string","required":true,"options":{"regex":"^[a-z]+$"}},"#
        + #"{"name":"age","type":"string","required":false}]"#
    nonisolated private static let attributesRequired = Answer.refusal(
        "attributes_required", codes: [55106], more: #","continuation_token":"ta"\#(attributes)"#)
    nonisolated private static let credentialRequired = Answer.refusal(
        "credential_required", codes: [55103], more: #","continuation_token":"tc""#)
    nonisolated private static let invalidAttributes = Answer.refusal(
        "invalid_grant", "attribute_validation_failed",
        more: #","invalid_attributes":[{"name":"city"},{"name":"age"}]"#)
    nonisolated private static let passwordSuberrors = [
        "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid", "password_recently_used",
        "password_banned",
    ]

    init() throws {
        app = try TestApp { $0.capabilities = [.registrationRequired, .mfaRequired] }
        server.on(.signUpStart, .token("t1"))
        server.on(.signUpChallenge, .code("t2"))
        server.on(.signUpContinue, .token("t3"))
        server.on(.token, .tokens("first"))
    }

    private func signUp(
        _ username: String = "ada@example.com", password: String? = nil, attributes: [String: Any]? = nil
    ) async -> DelegateCall {
        let parameters = MSALNativeAuthSignUpParameters(username: username)
        parameters.password = password
        parameters.attributes = attributes
        return await recorder.told { app.nativeAuth.signUp(parameters: parameters, delegate: $0) }
    }

    private func codeState() async throws -> SignUpCodeRequiredState { try await signUp().state() }

    private func passwordState() async throws -> SignUpPasswordRequiredState {
        let state = try await codeState()
        server.on(.signUpContinue, Self.credentialRequired)
        server.on(.signUpChallenge, .password("tp"))
        return try await recorder.told { state.submitCode(code: "1", delegate: $0) }.state()
    }

    private func attributesState() async throws -> SignUpAttributesRequiredState {
        let state = try await codeState()
        server.on(.signUpContinue, Self.attributesRequired)
        return try await recorder.told { state.submitCode(code: "1", delegate: $0) }.state()
    }

    @Test func `Everything at the start, then a code, then signed in: with these fields`() async throws {
        let told = await signUp(password: "p", attributes: ["city": "Paris & co", "age": 36])
        #expect(told.line == "onSignUpCodeRequired")
        #expect(told.contact == "a***@b.c")
        #expect(
            server.form(.signUpStart) == [
                "client_id": "app", "username": "ada@example.com", "password": "p",
                "attributes": #"{"age":36,"city":"Paris & co"}"#, "challenge_type": "oob password redirect",
                "capabilities": "mfa_required registration_required",
            ])
        #expect(
            server.form(.signUpChallenge) == [
                "client_id": "app", "continuation_token": "t1", "challenge_type": "oob password redirect",
            ])
        let code: SignUpCodeRequiredState = try told.state()
        let made = await recorder.told { code.submitCode(code: "123", delegate: $0) }
        #expect(made.line == "onSignUpCompleted")
        #expect(
            server.form(.signUpContinue) == [
                "client_id": "app", "continuation_token": "t2", "grant_type": "oob", "oob": "123",
            ])
        let after: SignInAfterSignUpState = try made.state()
        let parameters = MSALNativeAuthSignInAfterSignUpParameters()
        parameters.scopes = ["api"]
        let done = await recorder.told { after.signIn(parameters: parameters, delegate: $0) }
        #expect(done.line == "onSignInCompleted")
        #expect(
            server.form(.token) == [
                "client_id": "app", "continuation_token": "t3", "grant_type": "continuation_token",
                "username": "ada@example.com", "scope": "api openid profile offline_access", "client_info": "true",
                "challenge_type": "oob password redirect",
            ])
    }

    @Test func `What is empty, or no JSON, is refused without a request`() async throws {
        #expect(await signUp("").line == "onSignUpStartError InvalidUsername")
        #expect(await signUp(password: "").line == "onSignUpStartError InvalidPassword")
        let odd = await signUp(attributes: ["city": Date()])
        #expect(odd.line == "onSignUpStartError general")
        #expect(odd.error?.cause?.isInvalidRequest == true)
        #expect(server.requests.isEmpty)
        let code = try await codeState()
        #expect(
            await recorder.told { code.submitCode(code: "", delegate: $0) }.line
                == "onSignUpVerifyCodeError InvalidCode +state")
        let password = try await passwordState()
        #expect(
            await recorder.told { password.submitPassword(password: "", delegate: $0) }.line
                == "onSignUpPasswordRequiredError InvalidPassword +state")
    }

    @Test(
        arguments: [
            (Answer.redirect, "onSignUpStartError BrowserRequired"),
            (.refusal("user_already_exists", codes: [1_003_037]), "onSignUpStartError UserAlreadyExists"),
            (
                .refusal(
                    "invalid_request", codes: [90100], text: "AADSTS90100: username parameter is empty or not valid."),
                "onSignUpStartError InvalidUsername"
            ),
            (
                .refusal("invalid_request", codes: [90100], text: "client_id parameter is empty or not valid"),
                "onSignUpStartError general"
            ),
            (
                .refusal("invalid_request", codes: [1, 90100], text: "username parameter is empty or not valid"),
                "onSignUpStartError general"
            ),
            (invalidAttributes, "onSignUpAttributesInvalid"),
            (.refusal("invalid_grant", "attribute_validation_failed"), "onSignUpStartError general"),
            (
                .refusal("invalid_grant", "attribute_validation_failed", more: #","invalid_attributes":[]"#),
                "onSignUpStartError general"
            ),
            (attributesRequired, "onSignUpStartError general"),
            (.refusal("unsupported_auth_method"), "onSignUpStartError general"),
            (.refusal("unauthorized_client"), "onSignUpStartError general"), ("{}", "onSignUpStartError general"),
        ] + passwordSuberrors.map { (.refusal("invalid_grant", $0), "onSignUpStartError InvalidPassword") })
    func `What start answers becomes this`(answer: Answer, line: String) async throws {
        server.on(.signUpStart, answer)
        let told = await signUp(password: "p")
        #expect(told.line == line)
        if line == "onSignUpAttributesInvalid" { #expect(told.names == ["city", "age"]) }
        #expect(server.requests(to: .signUpChallenge).isEmpty)
    }

    @Test(arguments: [
        (Answer.redirect, "BrowserRequired"), (.password("t"), "general"), (.refusal("expired_token"), "general"),
        (.token("t"), "general"),
    ])
    func `A sign-up that cannot send a code does not begin`(answer: Answer, flag: String) async throws {
        server.on(.signUpChallenge, answer)
        #expect(await signUp().line == "onSignUpStartError \(flag)")
    }

    @Test(
        arguments: [
            (Answer.refusal("invalid_grant", "invalid_oob_value"), "onSignUpVerifyCodeError InvalidCode +state"),
            (.refusal("invalid_grant"), "onSignUpVerifyCodeError general"),
            (.refusal("invalid_grant", "brand_new"), "onSignUpVerifyCodeError general"),
            (invalidAttributes, "onSignUpVerifyCodeError general"),
            (.refusal("expired_token"), "onSignUpVerifyCodeError general"),
            (.refusal("user_already_exists"), "onSignUpVerifyCodeError general"),
            (.refusal("verification_required"), "onSignUpVerifyCodeError general"),
            (.redirect, "onSignUpVerifyCodeError BrowserRequired"),
            (Answer("", status: 503), "onSignUpVerifyCodeError general"),
            (.refusal("credential_required"), "onSignUpVerifyCodeError general"),
            (.refusal("attributes_required", more: attributes), "onSignUpVerifyCodeError general"),
            (
                .refusal("attributes_required", more: #","continuation_token":"t","required_attributes":[]"#),
                "onSignUpVerifyCodeError general"
            ),
            (attributesRequired, "onSignUpAttributesRequired"), ("{}", "onSignUpCompleted"),
        ] + passwordSuberrors.map { (.refusal("invalid_grant", $0), "onSignUpVerifyCodeError InvalidCode +state") })
    func `What continue answers to a code becomes this`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.signUpContinue, answer)
        let told = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(told.line == line)
        if line.hasSuffix("+state") { #expect(try told.state(as: SignUpCodeRequiredState.self) === state) }
    }

    @Test(arguments: [
        (Answer.password("tp"), "onSignUpPasswordRequired"), (.code("t"), "onSignUpVerifyCodeError general"),
        (.redirect, "onSignUpVerifyCodeError BrowserRequired"),
        (.refusal("expired_token"), "onSignUpVerifyCodeError general"),
    ])
    func `A missing password is asked for by another challenge`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.signUpContinue, Self.credentialRequired)
        server.on(.signUpChallenge, answer)
        let told = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(told.line == line)
        #expect(server.form(.signUpChallenge)["continuation_token"] == "tc")
    }

    @Test(
        arguments: [
            (Answer.token("t4"), "onSignUpCompleted"), (attributesRequired, "onSignUpAttributesRequired"),
            (.redirect, "onSignUpPasswordRequiredError BrowserRequired"),
            (credentialRequired, "onSignUpPasswordRequiredError general"),
            (.refusal("invalid_grant"), "onSignUpPasswordRequiredError general"),
            (.refusal("invalid_grant", "invalid_oob_value"), "onSignUpPasswordRequiredError general"),
            (.refusal("expired_token"), "onSignUpPasswordRequiredError general"),
        ]
            + passwordSuberrors.map {
                (.refusal("invalid_grant", $0), "onSignUpPasswordRequiredError InvalidPassword +state")
            })
    func `What continue answers to a password becomes this`(answer: Answer, line: String) async throws {
        let state = try await passwordState()
        server.on(.signUpContinue, answer)
        let told = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(told.line == line)
        #expect(
            server.form(.signUpContinue) == [
                "client_id": "app", "continuation_token": "tp", "grant_type": "password", "password": "p",
            ])
        if line.hasSuffix("+state") { #expect(try told.state(as: SignUpPasswordRequiredState.self) === state) }
    }

    @Test func `Attributes are asked for with what they have to be, again and again`() async throws {
        let code = try await codeState()
        server.on(.signUpContinue, Self.attributesRequired)
        let told = await recorder.told { code.submitCode(code: "1", delegate: $0) }
        #expect(told.attributes.map(\.name) == ["city", "age"])
        #expect(told.attributes.map(\.required) == [true, false])
        #expect(told.attributes.map(\.regex) == ["^[a-z]+$", nil])
        #expect(told.attributes.first?.type == "string")
        let first: SignUpAttributesRequiredState = try told.state()
        let again: SignUpAttributesRequiredState = try await recorder.told {
            first.submitAttributes(attributes: ["city": "x"], delegate: $0)
        }.state()
        server.on(.signUpContinue, .token("t4"))
        let made = await recorder.told { again.submitAttributes(attributes: ["age": "1"], delegate: $0) }
        #expect(made.line == "onSignUpCompleted")
        #expect(
            server.form(.signUpContinue) == [
                "client_id": "app", "continuation_token": "ta", "grant_type": "attributes",
                "attributes": #"{"age":"1"}"#,
            ])
    }

    @Test(
        arguments: [
            (invalidAttributes, "onSignUpAttributesInvalid"),
            (.redirect, "onSignUpAttributesRequiredError BrowserRequired"),
            (.refusal("invalid_grant"), "onSignUpAttributesRequiredError general"),
            (.refusal("verification_required"), "onSignUpAttributesRequiredError general"),
            (.refusal("expired_token"), "onSignUpAttributesRequiredError general"),
        ] as [(Answer, String)])
    func `What continue answers to attributes becomes this`(answer: Answer, line: String) async throws {
        let state = try await attributesState()
        server.on(.signUpContinue, answer)
        let told = await recorder.told { state.submitAttributes(attributes: ["city": "x"], delegate: $0) }
        #expect(told.line == line)
        guard let next = told.state as? SignUpAttributesRequiredState else { return }
        #expect(told.names == ["city", "age"])
        server.on(.signUpContinue, .token("t4"))
        #expect(
            await recorder.told { next.submitAttributes(attributes: [:], delegate: $0) }.line == "onSignUpCompleted")
        #expect(server.form(.signUpContinue)["continuation_token"] == "ta")
    }

    @Test(arguments: [
        (Answer.code("t5", channel: "sms"), "onSignUpResendCodeCodeRequired"),
        (.refusal("expired_token"), "onSignUpResendCodeError general +state"),
        (.redirect, "onSignUpResendCodeError BrowserRequired"), (.password("t"), "onSignUpResendCodeError general"),
        (.token("t"), "onSignUpResendCodeError general"), (Answer("", status: 404), "onSignUpResendCodeError general"),
    ])
    func `Another code is sent, or not, and the state is this`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.signUpChallenge, answer)
        let told = await recorder.told { state.resendCode(delegate: $0) }
        #expect(told.line == line)
        #expect(server.form(.signUpChallenge)["continuation_token"] == "t2")
    }

    @Test(arguments: [
        (Answer.tokens("x"), "onSignInCompleted"), (.redirect, "onSignInAfterSignUpError BrowserRequired"),
        (.refusal("invalid_grant", codes: [50126]), "onSignInAfterSignUpError general"),
        (
            .refusal("invalid_grant", "mfa_required", more: #","continuation_token":"t""#),
            "onSignInAfterSignUpError general"
        ),
        (
            .refusal("invalid_grant", "registration_required", more: #","continuation_token":"t""#),
            "onSignInStrongAuthMethodRegistration"
        ),
    ])
    func `The new account is signed in, or not`(answer: Answer, line: String) async throws {
        let code = try await codeState()
        let after: SignInAfterSignUpState = try await recorder.told { code.submitCode(code: "1", delegate: $0) }.state()
        server.on(.token, answer)
        server.on(.registerIntrospect, .methods("t9"))
        let told = await recorder.told {
            after.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: $0)
        }
        #expect(told.line == line)
    }

    @Test func `Without a token the new account has to sign in by itself`() async throws {
        server.on(.signUpContinue, "{}")
        let code = try await codeState()
        let after: SignInAfterSignUpState = try await recorder.told { code.submitCode(code: "1", delegate: $0) }.state()
        let told = await recorder.told {
            after.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: $0)
        }
        #expect(told.line == "onSignInAfterSignUpError general")
        #expect(told.error?.errorDescription?.hasPrefix("Sign In is not available at this point") == true)
        #expect(server.requests(to: .token).isEmpty)
    }
}
