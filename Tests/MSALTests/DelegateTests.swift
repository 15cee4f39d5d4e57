import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Methods that a delegate may leave out. Source: MSAL for iOS.
@MainActor
@Suite struct DelegateTests {
    typealias Answer = ScriptedServer.Answer

    /// Has what must be there, of all protocols, and nothing else.
    @MainActor
    private final class Bare: SignInStartDelegate, SignInPasswordRequiredDelegate, SignInVerifyCodeDelegate,
        SignInResendCodeDelegate, CredentialsDelegate, SignUpStartDelegate, SignUpVerifyCodeDelegate,
        SignUpResendCodeDelegate, SignUpPasswordRequiredDelegate, SignUpAttributesRequiredDelegate,
        ResetPasswordStartDelegate, ResetPasswordVerifyCodeDelegate, ResetPasswordResendCodeDelegate,
        ResetPasswordRequiredDelegate, SignInAfterSignUpDelegate, SignInAfterResetPasswordDelegate,
        MFARequestChallengeDelegate, MFASubmitChallengeDelegate, RegisterStrongAuthChallengeDelegate,
        RegisterStrongAuthSubmitChallengeDelegate
    {
        private let (stream, continuation) = AsyncStream.makeStream(of: (String, MSALNativeAuthError).self)

        func error(_ call: (Bare) -> Void) async -> (method: String, error: MSALNativeAuthError)? {
            call(self)
            for await told in stream { return told }
            return nil
        }

        private func tell(_ error: MSALNativeAuthError, _ state: Any?, _ method: String = #function) {
            #expect(state == nil)
            continuation.yield((String(method.prefix { $0 != "(" }), error))
        }

        func onSignInStartError(error: SignInStartError) { tell(error, nil) }
        func onSignInPasswordRequiredError(error: PasswordRequiredError, newState: SignInPasswordRequiredState?) {
            tell(error, newState)
        }
        func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?) {
            tell(error, newState)
        }
        func onSignInResendCodeError(error: ResendCodeError, newState: SignInCodeRequiredState?) {
            tell(error, newState)
        }
        func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) { tell(error, nil) }
        func onSignUpStartError(error: SignUpStartError) { tell(error, nil) }
        func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
            tell(error, newState)
        }
        func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
            tell(error, newState)
        }
        func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?) {
            tell(error, newState)
        }
        func onSignUpAttributesRequiredError(error: AttributesRequiredError) { tell(error, nil) }
        func onResetPasswordStartError(error: ResetPasswordStartError) { tell(error, nil) }
        func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?) {
            tell(error, newState)
        }
        func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?) {
            tell(error, newState)
        }
        func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?) {
            tell(error, newState)
        }
        func onSignInAfterSignUpError(error: SignInAfterSignUpError) { tell(error, nil) }
        func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError) { tell(error, nil) }
        func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?) {
            tell(error, newState)
        }
        func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?) {
            tell(error, newState)
        }
        func onRegisterStrongAuthChallengeError(
            error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?
        ) { tell(error, newState) }
        func onRegisterStrongAuthSubmitChallengeError(
            error: RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?
        ) { tell(error, newState) }
    }

    private let app: TestApp
    private let bare = Bare()
    private let recorder = Recorder()
    private var server: ScriptedServer { app.server }

    init() throws {
        app = try TestApp()
        server.on(.initiate, .token("t"))
        server.on(.challenge, .code("t"))
        server.on(.token, .tokens("x"))
        server.on(.introspect, .methods("t"))
        server.on(.registerIntrospect, .methods("t"))
        server.on(.registerContinue, .token("t"))
        server.on(.signUpStart, .token("t"))
        server.on(.signUpChallenge, .code("t"))
        server.on(.signUpContinue, .token("t"))
        server.on(.resetPasswordStart, .token("t"))
        server.on(.resetPasswordChallenge, .code("t"))
        server.on(.resetPasswordContinue, .token("t"))
        server.on(.resetPasswordSubmit, .token("t"))
        server.on(.resetPasswordPoll, #"{"status":"succeeded","continuation_token":"t"}"#)
    }

    /// The call's one delegate method is missing, and this error method is called for it.
    private func misses(_ method: String, tells errorMethod: String, _ call: (Bare) -> Void) async throws {
        let answer = await bare.error(call)
        let told = try #require(answer)
        #expect(told.method == errorMethod)
        #expect(told.error.flags.isEmpty)
        #expect(
            told.error.errorDescription
                == "MSALNativeAuth has called the delegate method \(method) that has not been implemented")
        #expect(told.error.cause?.missingMethod == method)
    }

    private func signIn(_ delegate: any SignInStartDelegate, password: String? = nil) {
        let parameters = MSALNativeAuthSignInParameters(username: "a@b.c")
        parameters.password = password
        app.nativeAuth.signIn(parameters: parameters, delegate: delegate)
    }

    private static let mfa = Answer.refusal("invalid_grant", "mfa_required", more: #","continuation_token":"t""#)
    private static let registration = Answer.refusal(
        "invalid_grant", "registration_required", more: #","continuation_token":"t""#)

    @Test func `A sign-in's missing methods are reported`() async throws {
        try await misses("onSignInCodeRequired", tells: "onSignInStartError") { signIn($0) }
        let code: SignInCodeRequiredState = try await recorder.told { signIn($0) }.state()
        try await misses("onSignInResendCodeCodeRequired", tells: "onSignInResendCodeError") {
            code.resendCode(delegate: $0)
        }
        server.on(.challenge, .password("t"))
        try await misses("onSignInPasswordRequired", tells: "onSignInStartError") { signIn($0) }
        let password: SignInPasswordRequiredState = try await recorder.told { signIn($0) }.state()
        let tokens: [(Answer, String)] = [
            (.tokens("x"), "onSignInCompleted"), (Self.mfa, "onSignInAwaitingMFA"),
            (Self.registration, "onSignInStrongAuthMethodRegistration"),
        ]
        for (answer, method) in tokens {
            server.on(.token, answer)
            try await misses(method, tells: "onSignInStartError") { signIn($0, password: "p") }
            try await misses(method, tells: "onSignInVerifyCodeError") { code.submitCode(code: "1", delegate: $0) }
            try await misses(method, tells: "onSignInPasswordRequiredError") {
                password.submitPassword(password: "p", delegate: $0)
            }
        }
    }

    @Test func `A token's missing method is reported`() async throws {
        let result = try #require(await recorder.told { signInByPassword($0) }.result)
        try await misses("onAccessTokenRetrieveCompleted", tells: "onAccessTokenRetrieveError") {
            result.getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters(), delegate: $0)
        }
    }

    private func signInByPassword(_ delegate: any SignInStartDelegate) {
        server.on(.challenge, .password("t"))
        signIn(delegate, password: "p")
    }

    @Test func `A sign-up's missing methods are reported`() async throws {
        func signUp(_ delegate: any SignUpStartDelegate) {
            app.nativeAuth.signUp(parameters: MSALNativeAuthSignUpParameters(username: "a@b.c"), delegate: delegate)
        }
        try await misses("onSignUpCodeRequired", tells: "onSignUpStartError", signUp)
        let code: SignUpCodeRequiredState = try await recorder.told { signUp($0) }.state()
        try await misses("onSignUpResendCodeCodeRequired", tells: "onSignUpResendCodeError") {
            code.resendCode(delegate: $0)
        }
        try await misses("onSignUpCompleted", tells: "onSignUpVerifyCodeError") {
            code.submitCode(code: "1", delegate: $0)
        }
        let after: SignInAfterSignUpState = try await recorder.told { code.submitCode(code: "1", delegate: $0) }.state()
        try await misses("onSignInCompleted", tells: "onSignInAfterSignUpError") {
            after.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: $0)
        }
        server.on(
            .signUpContinue,
            .refusal(
                "attributes_required",
                more: #","continuation_token":"t","required_attributes":[{"name":"a","type":"string","required":true}]"#
            ))
        try await misses("onSignUpAttributesRequired", tells: "onSignUpVerifyCodeError") {
            code.submitCode(code: "1", delegate: $0)
        }
        let attributes: SignUpAttributesRequiredState = try await recorder.told {
            code.submitCode(code: "1", delegate: $0)
        }.state()
        try await misses("onSignUpAttributesRequired", tells: "onSignUpAttributesRequiredError") {
            attributes.submitAttributes(attributes: [:], delegate: $0)
        }
        server.on(.signUpContinue, .token("t"))
        try await misses("onSignUpCompleted", tells: "onSignUpAttributesRequiredError") {
            attributes.submitAttributes(attributes: [:], delegate: $0)
        }
        let invalid = Answer.refusal(
            "invalid_grant", "attribute_validation_failed", more: #","invalid_attributes":[{"name":"a"}]"#)
        server.on(.signUpContinue, invalid)
        try await misses("onSignUpAttributesInvalid", tells: "onSignUpAttributesRequiredError") {
            attributes.submitAttributes(attributes: [:], delegate: $0)
        }
        server.on(.signUpContinue, .refusal("credential_required", more: #","continuation_token":"t""#))
        server.on(.signUpChallenge, .password("t"))
        try await misses("onSignUpPasswordRequired", tells: "onSignUpVerifyCodeError") {
            code.submitCode(code: "1", delegate: $0)
        }
        let password: SignUpPasswordRequiredState = try await recorder.told {
            code.submitCode(code: "1", delegate: $0)
        }.state()
        server.on(.signUpContinue, .token("t"))
        try await misses("onSignUpCompleted", tells: "onSignUpPasswordRequiredError") {
            password.submitPassword(password: "p", delegate: $0)
        }
        server.on(.signUpStart, invalid)
        try await misses("onSignUpAttributesInvalid", tells: "onSignUpStartError", signUp)
    }

    @Test func `A reset's missing methods are reported`() async throws {
        func reset(_ delegate: any ResetPasswordStartDelegate) {
            app.nativeAuth.resetPassword(
                parameters: MSALNativeAuthResetPasswordParameters(username: "a@b.c"), delegate: delegate)
        }
        try await misses("onResetPasswordCodeRequired", tells: "onResetPasswordStartError", reset)
        let code: ResetPasswordCodeRequiredState = try await recorder.told { reset($0) }.state()
        try await misses("onResetPasswordResendCodeRequired", tells: "onResetPasswordResendCodeError") {
            code.resendCode(delegate: $0)
        }
        try await misses("onPasswordRequired", tells: "onResetPasswordVerifyCodeError") {
            code.submitCode(code: "1", delegate: $0)
        }
        let password: ResetPasswordRequiredState = try await recorder.told {
            code.submitCode(code: "1", delegate: $0)
        }.state()
        try await misses("onResetPasswordCompleted", tells: "onResetPasswordRequiredError") {
            password.submitPassword(password: "p", delegate: $0)
        }
        let after: SignInAfterResetPasswordState = try await recorder.told {
            password.submitPassword(password: "p", delegate: $0)
        }.state()
        try await misses("onSignInCompleted", tells: "onSignInAfterResetPasswordError") {
            after.signIn(parameters: MSALNativeAuthSignInAfterResetPasswordParameters(), delegate: $0)
        }
    }

    @Test func `A second factor's missing methods are reported`() async throws {
        server.on(.token, Self.mfa)
        let awaiting = await recorder.told { signInByPassword($0) }
        let state: AwaitingMFAState = try awaiting.state()
        let method = try #require(awaiting.methods.first)
        server.on(.challenge, .code("t"))
        try await misses("onMFARequestChallengeVerificationRequired", tells: "onMFARequestChallengeError") {
            state.requestChallenge(authMethod: method, delegate: $0)
        }
        let required: MFARequiredState = try await recorder.told {
            state.requestChallenge(authMethod: method, delegate: $0)
        }.state()
        server.on(.challenge, .refusal("invalid_request", "introspect_required"))
        try await misses("onMFARequestChallengeSelectionRequired", tells: "onMFARequestChallengeError") {
            required.requestChallenge(authMethod: method, delegate: $0)
        }
        server.on(.token, Self.registration)
        let registering = await recorder.told { signInByPassword($0) }
        let register: RegisterStrongAuthState = try registering.state()
        let parameters = MSALNativeAuthChallengeAuthMethodParameters(authMethod: method, verificationContact: "c")
        server.on(.registerChallenge, .code("t"))
        try await misses("onRegisterStrongAuthVerificationRequired", tells: "onRegisterStrongAuthChallengeError") {
            register.challengeAuthMethod(parameters: parameters, delegate: $0)
        }
        let verification: RegisterStrongAuthVerificationRequiredState = try await recorder.told {
            register.challengeAuthMethod(parameters: parameters, delegate: $0)
        }.state()
        server.on(.token, .tokens("x"))
        try await misses("onSignInCompleted", tells: "onMFASubmitChallengeError") {
            required.submitChallenge(challenge: "1", delegate: $0)
        }
        try await misses("onSignInCompleted", tells: "onRegisterStrongAuthSubmitChallengeError") {
            verification.submitChallenge(challenge: "1", delegate: $0)
        }
        server.on(.registerChallenge, #"{"challenge_type":"preverified","continuation_token":"t"}"#)
        try await misses("onSignInCompleted", tells: "onRegisterStrongAuthChallengeError") {
            register.challengeAuthMethod(parameters: parameters, delegate: $0)
        }
    }

    /// A delegate that belongs to no actor, as classes of older code do not.
    private final class OfNoActor: SignInStartDelegate {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        func onSignInStartError(error: SignInStartError) {
            MainActor.preconditionIsolated()
            continuation.yield(error.isInvalidUsername)
        }
    }

    @Test func `A delegate of no actor is called on the main one`() async throws {
        let delegate = OfNoActor()
        app.nativeAuth.signIn(parameters: MSALNativeAuthSignInParameters(username: ""), delegate: delegate)
        var calls = delegate.stream.makeAsyncIterator()
        #expect(await calls.next(isolation: MainActor.shared) == true)
    }
}
