import Foundation
import MSAL
import NativeAuthWire
import Testing

/// A new password, after a code. Source: MSAL for iOS.
@MainActor
@Suite struct ResetPasswordTests {
    typealias Answer = ScriptedServer.Answer

    private let app: TestApp
    private let recorder = Recorder()
    private var server: ScriptedServer { app.server }

    init() throws {
        app = try TestApp()
        server.on(.resetPasswordStart, .token("t1"))
        server.on(.resetPasswordChallenge, .code("t2"))
        server.on(.resetPasswordContinue, #"{"continuation_token":"t3","expires_in":600}"#)
        server.on(.resetPasswordSubmit, #"{"continuation_token":"t4","poll_interval":3}"#)
        server.on(.resetPasswordPoll, #"{"status":"succeeded","continuation_token":"t5"}"#)
        server.on(.token, .tokens("first"))
    }

    private func start(_ username: String = "ada@example.com") async -> DelegateCall {
        let parameters = MSALNativeAuthResetPasswordParameters(username: username)
        return await recorder.told { app.nativeAuth.resetPassword(parameters: parameters, delegate: $0) }
    }

    private func codeState() async throws -> ResetPasswordCodeRequiredState { try await start().state() }

    private func passwordState() async throws -> ResetPasswordRequiredState {
        let state = try await codeState()
        return try await recorder.told { state.submitCode(code: "1", delegate: $0) }.state()
    }

    @Test func `A code, a new password, two questions, and signed in: with these fields`() async throws {
        let told = await start()
        #expect(told.line == "onResetPasswordCodeRequired")
        let code: ResetPasswordCodeRequiredState = try told.state()
        let verified = await recorder.told { code.submitCode(code: "123", delegate: $0) }
        #expect(verified.line == "onPasswordRequired")
        server.on(
            .resetPasswordPoll, #"{"status":"in_progress"}"#, #"{"status":"succeeded","continuation_token":"t5"}"#)
        let state: ResetPasswordRequiredState = try verified.state()
        let reset = await recorder.told { state.submitPassword(password: "new", delegate: $0) }
        #expect(reset.line == "onResetPasswordCompleted")
        #expect(app.clock.pauses == [3])
        let after: SignInAfterResetPasswordState = try reset.state()
        let parameters = MSALNativeAuthSignInAfterResetPasswordParameters()
        #expect(
            await recorder.told { after.signIn(parameters: parameters, delegate: $0) }.line == "onSignInCompleted")
        #expect(
            server.form(.resetPasswordStart) == [
                "client_id": "app", "username": "ada@example.com", "challenge_type": "oob password redirect",
            ])
        #expect(
            server.form(.resetPasswordContinue) == [
                "client_id": "app", "continuation_token": "t2", "grant_type": "oob", "oob": "123",
            ])
        #expect(
            server.form(.resetPasswordSubmit) == [
                "client_id": "app", "continuation_token": "t3", "new_password": "new",
            ])
        #expect(
            server.requests(to: .resetPasswordPoll).map(\.form)
                == Array(repeating: ["client_id": "app", "continuation_token": "t4"], count: 2))
        #expect(server.form(.token)["continuation_token"] == "t5")
        #expect(server.form(.token)["username"] == "ada@example.com")
    }

    @Test func `What is empty is refused without a request`() async throws {
        #expect(await start("").line == "onResetPasswordStartError InvalidUsername")
        #expect(server.requests.isEmpty)
        let code = try await codeState()
        #expect(
            await recorder.told { code.submitCode(code: "", delegate: $0) }.line
                == "onResetPasswordVerifyCodeError InvalidCode +state")
        let password = try await passwordState()
        #expect(
            await recorder.told { password.submitPassword(password: "", delegate: $0) }.line
                == "onResetPasswordRequiredError InvalidPassword +state")
        #expect(server.requests(to: .resetPasswordSubmit).isEmpty)
    }

    @Test(arguments: [
        (Endpoint.resetPasswordStart, Answer.redirect, "BrowserRequired"),
        (.resetPasswordStart, .refusal("invalid_request", codes: [500_222]), "UserDoesNotHavePassword"),
        (.resetPasswordStart, .refusal("invalid_request", codes: [1, 500_222]), "general"),
        (.resetPasswordStart, .refusal("user_not_found"), "UserNotFound"),
        (.resetPasswordStart, .refusal("unauthorized_client"), "general"), (.resetPasswordStart, "{}", "general"),
        (.resetPasswordChallenge, .redirect, "BrowserRequired"), (.resetPasswordChallenge, .password("t"), "general"),
        (.resetPasswordChallenge, .token("t"), "general"),
        (.resetPasswordChallenge, .refusal("expired_token"), "general"),
    ])
    func `A reset that cannot begin says why`(endpoint: Endpoint, answer: Answer, flag: String) async throws {
        server.on(endpoint, answer)
        let told = await start()
        #expect(told.line == "onResetPasswordStartError \(flag)")
        if endpoint == .resetPasswordChallenge, told.error?.cause?.isUnexpectedAnswer == true {
            #expect(told.error?.errorDescription == "Unexpected challenge type")
        }
    }

    @Test(arguments: [
        (Answer.refusal("invalid_grant", "invalid_oob_value"), "onResetPasswordVerifyCodeError InvalidCode +state"),
        (.refusal("invalid_grant", "password_too_weak"), "onResetPasswordVerifyCodeError general"),
        (.refusal("invalid_grant"), "onResetPasswordVerifyCodeError general"),
        (.refusal("verification_required"), "onResetPasswordVerifyCodeError general"),
        (.redirect, "onResetPasswordVerifyCodeError BrowserRequired"),
        // Unlike in a sign-up, a token must be there.
        (#"{"expires_in":600}"#, "onResetPasswordVerifyCodeError general"),
    ])
    func `What continue answers becomes this`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.resetPasswordContinue, answer)
        let told = await recorder.told { state.submitCode(code: "1", delegate: $0) }
        #expect(told.line == line)
        if line.hasSuffix("+state") { #expect(try told.state(as: ResetPasswordCodeRequiredState.self) === state) }
    }

    @Test(arguments: [
        (Answer.code("t9"), "onResetPasswordResendCodeRequired"),
        (.refusal("expired_token"), "onResetPasswordResendCodeError general"),
        (.redirect, "onResetPasswordResendCodeError BrowserRequired"),
        (.password("t"), "onResetPasswordResendCodeError general"),
    ])
    func `Another code is sent, or the reset is over`(answer: Answer, line: String) async throws {
        let state = try await codeState()
        server.on(.resetPasswordChallenge, answer)
        #expect(await recorder.told { state.resendCode(delegate: $0) }.line == line)
    }

    @Test(
        arguments: [
            (Answer.refusal("expired_token"), "general"), (.redirect, "BrowserRequired"), ("{}", "general"),
            (.refusal("invalid_grant"), "general"),
        ]
            + [
                "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid",
                "password_recently_used", "password_banned",
            ].map { (.refusal("invalid_grant", $0), "InvalidPassword +state") })
    func `A new password that is refused can be chosen again`(answer: Answer, outcome: String) async throws {
        let state = try await passwordState()
        server.on(.resetPasswordSubmit, answer)
        let told = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(told.line == "onResetPasswordRequiredError \(outcome)")
        if outcome.hasSuffix("+state") { #expect(try told.state(as: ResetPasswordRequiredState.self) === state) }
        #expect(server.requests(to: .resetPasswordPoll).isEmpty)
    }

    @Test(
        arguments: [
            (Answer(#"{"status":"failed"}"#), "general", 1), (.redirect, "BrowserRequired", 1),
            (.refusal("expired_token"), "general", 1), (.refusal("user_not_found"), "general", 1),
            (#"{"status":"odd"}"#, "general", 1), (#"{"status":"in_progress"}"#, "general", 6),
            (#"{"status":"not_started"}"#, "general", 6),
            (.refusal("invalid_grant", "password_banned"), "InvalidPassword +state", 1),
        ] as [(Answer, String, Int)])
    func `A reset that does not come to its end is asked about five times more`(
        answer: Answer, outcome: String, polls: Int
    ) async throws {
        let state = try await passwordState()
        server.on(.resetPasswordPoll, answer)
        let told = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(told.line == "onResetPasswordRequiredError \(outcome)")
        #expect(server.requests(to: .resetPasswordPoll).count == polls)
        #expect(app.clock.pauses == Array(repeating: 3, count: polls - 1))
        guard let next = told.state as? ResetPasswordRequiredState else { return }
        _ = await recorder.told { next.submitPassword(password: "q", delegate: $0) }
        #expect(server.form(.resetPasswordSubmit)["continuation_token"] == "t4")
    }

    @Test(arguments: [("0", 2.0), ("-7", 2), ("999999", 60), ("1", 1)])
    func `Senseless intervals are mended`(interval: String, pause: TimeInterval) async throws {
        let state = try await passwordState()
        server.on(.resetPasswordSubmit, Answer(#"{"continuation_token":"t4","poll_interval":\#(interval)}"#))
        server.on(.resetPasswordPoll, #"{"status":"not_started"}"#, #"{"status":"succeeded"}"#)
        let told = await recorder.told { state.submitPassword(password: "p", delegate: $0) }
        #expect(told.line == "onResetPasswordCompleted")
        #expect(app.clock.pauses == [pause])
        let after: SignInAfterResetPasswordState = try told.state()
        let parameters = MSALNativeAuthSignInAfterResetPasswordParameters()
        let signedIn = await recorder.told { after.signIn(parameters: parameters, delegate: $0) }
        #expect(signedIn.line == "onSignInAfterResetPasswordError general")
    }
}
