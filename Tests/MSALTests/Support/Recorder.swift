import Foundation
import MSAL

/// What a delegate was told.
struct DelegateCall: Sendable {
    let method: String
    var error: MSALNativeAuthError?
    var state: (any Sendable)?
    var result: MSALNativeAuthUserAccountResult?
    var token: MSALNativeAuthTokenResult?
    var contact: String?
    var channel: MSALNativeAuthChannelType?
    var codeLength: Int?
    var methods: [MSALAuthMethod] = []
    var attributes: [MSALNativeAuthRequiredAttribute] = []
    var names: [String] = []

    /// Method, flags, and whether there is a state to go on with.
    var line: String {
        var parts = [method]
        if let error { parts += error.flags.isEmpty ? ["general"] : error.flags }
        if error != nil, state != nil { parts.append("+state") }
        return parts.joined(separator: " ")
    }

    func state<State>(as type: State.Type = State.self) throws -> State {
        guard let state = state as? State else { throw MemoryStorage.Broken() }
        return state
    }
}

/// The delegate of every step: keeps what it is told.
@MainActor
final class Recorder {
    private let (stream, continuation) = AsyncStream.makeStream(of: DelegateCall.self)

    nonisolated init() {}

    fileprivate func tell(_ told: DelegateCall) { continuation.yield(told) }

    /// What comes of a call to which this is given as the delegate.
    func told(_ call: (Recorder) -> Void) async -> DelegateCall {
        call(self)
        for await told in stream { return told }
        return DelegateCall(method: "nothing")
    }
}

extension Recorder: CredentialsDelegate, MFARequestChallengeDelegate, MFASubmitChallengeDelegate,
    RegisterStrongAuthChallengeDelegate, RegisterStrongAuthSubmitChallengeDelegate, ResetPasswordRequiredDelegate,
    ResetPasswordResendCodeDelegate, ResetPasswordStartDelegate, ResetPasswordVerifyCodeDelegate,
    SignInAfterResetPasswordDelegate, SignInAfterSignUpDelegate, SignInPasswordRequiredDelegate,
    SignInResendCodeDelegate, SignInStartDelegate, SignInVerifyCodeDelegate, SignUpAttributesRequiredDelegate,
    SignUpPasswordRequiredDelegate, SignUpResendCodeDelegate, SignUpStartDelegate, SignUpVerifyCodeDelegate
{
    func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        tell(DelegateCall(method: "onAccessTokenRetrieveCompleted", token: result))
    }

    func onAccessTokenRetrieveError(error: RetrieveAccessTokenError) {
        tell(DelegateCall(method: "onAccessTokenRetrieveError", error: error))
    }

    func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?) {
        tell(DelegateCall(method: "onMFARequestChallengeError", error: error, state: newState))
    }

    func onMFARequestChallengeSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState) {
        tell(DelegateCall(method: "onMFARequestChallengeSelectionRequired", state: newState, methods: authMethods))
    }

    func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onMFARequestChallengeVerificationRequired", state: newState, contact: sentTo,
                channel: channelTargetType, codeLength: codeLength))
    }

    func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?) {
        tell(DelegateCall(method: "onMFASubmitChallengeError", error: error, state: newState))
    }

    func onPasswordRequired(newState: ResetPasswordRequiredState) {
        tell(DelegateCall(method: "onPasswordRequired", state: newState))
    }

    func onRegisterStrongAuthChallengeError(error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?)
    {
        tell(DelegateCall(method: "onRegisterStrongAuthChallengeError", error: error, state: newState))
    }

    func onRegisterStrongAuthSubmitChallengeError(
        error: RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?
    ) {
        tell(DelegateCall(method: "onRegisterStrongAuthSubmitChallengeError", error: error, state: newState))
    }

    func onRegisterStrongAuthVerificationRequired(result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult) {
        tell(
            DelegateCall(
                method: "onRegisterStrongAuthVerificationRequired", state: result.newState, contact: result.sentTo,
                channel: result.channelTargetType, codeLength: result.codeLength))
    }

    func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onResetPasswordCodeRequired", state: newState, contact: sentTo, channel: channelTargetType,
                codeLength: codeLength))
    }

    func onResetPasswordCompleted(newState: SignInAfterResetPasswordState) {
        tell(DelegateCall(method: "onResetPasswordCompleted", state: newState))
    }

    func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?) {
        tell(DelegateCall(method: "onResetPasswordRequiredError", error: error, state: newState))
    }

    func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?) {
        tell(DelegateCall(method: "onResetPasswordResendCodeError", error: error, state: newState))
    }

    func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onResetPasswordResendCodeRequired", state: newState, contact: sentTo,
                channel: channelTargetType, codeLength: codeLength))
    }

    func onResetPasswordStartError(error: ResetPasswordStartError) {
        tell(DelegateCall(method: "onResetPasswordStartError", error: error))
    }

    func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?) {
        tell(DelegateCall(method: "onResetPasswordVerifyCodeError", error: error, state: newState))
    }

    func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError) {
        tell(DelegateCall(method: "onSignInAfterResetPasswordError", error: error))
    }

    func onSignInAfterSignUpError(error: SignInAfterSignUpError) {
        tell(DelegateCall(method: "onSignInAfterSignUpError", error: error))
    }

    func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
        tell(DelegateCall(method: "onSignInAwaitingMFA", state: newState, methods: authMethods))
    }

    func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onSignInCodeRequired", state: newState, contact: sentTo, channel: channelTargetType,
                codeLength: codeLength))
    }

    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        tell(DelegateCall(method: "onSignInCompleted", result: result))
    }

    func onSignInPasswordRequired(newState: SignInPasswordRequiredState) {
        tell(DelegateCall(method: "onSignInPasswordRequired", state: newState))
    }

    func onSignInPasswordRequiredError(error: PasswordRequiredError, newState: SignInPasswordRequiredState?) {
        tell(DelegateCall(method: "onSignInPasswordRequiredError", error: error, state: newState))
    }

    func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onSignInResendCodeCodeRequired", state: newState, contact: sentTo, channel: channelTargetType,
                codeLength: codeLength))
    }

    func onSignInResendCodeError(error: ResendCodeError, newState: SignInCodeRequiredState?) {
        tell(DelegateCall(method: "onSignInResendCodeError", error: error, state: newState))
    }

    func onSignInStartError(error: SignInStartError) {
        tell(DelegateCall(method: "onSignInStartError", error: error))
    }

    func onSignInStrongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState) {
        tell(DelegateCall(method: "onSignInStrongAuthMethodRegistration", state: newState, methods: authMethods))
    }

    func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?) {
        tell(DelegateCall(method: "onSignInVerifyCodeError", error: error, state: newState))
    }

    func onSignUpAttributesInvalid(attributeNames: [String]) {
        tell(DelegateCall(method: "onSignUpAttributesInvalid", names: attributeNames))
    }

    func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState) {
        tell(DelegateCall(method: "onSignUpAttributesInvalid", state: newState, names: attributeNames))
    }

    func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        tell(DelegateCall(method: "onSignUpAttributesRequired", state: newState, attributes: attributes))
    }

    func onSignUpAttributesRequiredError(error: AttributesRequiredError) {
        tell(DelegateCall(method: "onSignUpAttributesRequiredError", error: error))
    }

    func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onSignUpCodeRequired", state: newState, contact: sentTo, channel: channelTargetType,
                codeLength: codeLength))
    }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        tell(DelegateCall(method: "onSignUpCompleted", state: newState))
    }

    func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState) {
        tell(DelegateCall(method: "onSignUpPasswordRequired", state: newState))
    }

    func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?) {
        tell(DelegateCall(method: "onSignUpPasswordRequiredError", error: error, state: newState))
    }

    func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        tell(
            DelegateCall(
                method: "onSignUpResendCodeCodeRequired", state: newState, contact: sentTo, channel: channelTargetType,
                codeLength: codeLength))
    }

    func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?) {
        tell(DelegateCall(method: "onSignUpResendCodeError", error: error, state: newState))
    }

    func onSignUpStartError(error: SignUpStartError) {
        tell(DelegateCall(method: "onSignUpStartError", error: error))
    }

    func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) {
        tell(DelegateCall(method: "onSignUpVerifyCodeError", error: error, state: newState))
    }
}

extension MSALNativeAuthError {
    /// The flags that are set.
    var flags: [String] {
        let flags: [(String, Bool)] =
            switch self {
            case let error as SignInStartError:
                [
                    ("BrowserRequired", error.isBrowserRequired), ("UserNotFound", error.isUserNotFound),
                    ("InvalidCredentials", error.isInvalidCredentials), ("InvalidUsername", error.isInvalidUsername),
                ]
            case let error as SignUpStartError:
                [
                    ("BrowserRequired", error.isBrowserRequired), ("UserAlreadyExists", error.isUserAlreadyExists),
                    ("InvalidPassword", error.isInvalidPassword), ("InvalidUsername", error.isInvalidUsername),
                ]
            case let error as ResetPasswordStartError:
                [
                    ("BrowserRequired", error.isBrowserRequired),
                    ("UserDoesNotHavePassword", error.isUserDoesNotHavePassword),
                    ("UserNotFound", error.isUserNotFound), ("InvalidUsername", error.isInvalidUsername),
                ]
            case let error as VerifyCodeError:
                [("BrowserRequired", error.isBrowserRequired), ("InvalidCode", error.isInvalidCode)]
            case let error as PasswordRequiredError:
                [("BrowserRequired", error.isBrowserRequired), ("InvalidPassword", error.isInvalidPassword)]
            case let error as RetrieveAccessTokenError:
                [
                    ("BrowserRequired", error.isBrowserRequired), ("RefreshTokenExpired", error.isRefreshTokenExpired),
                    ("InvalidScope", error.isInvalidScope),
                ]
            case let error as MFARequestChallengeError:
                [("AuthMethodBlocked", error.isAuthMethodBlocked), ("BrowserRequired", error.isBrowserRequired)]
            case let error as MFASubmitChallengeError:
                [("InvalidChallenge", error.isInvalidChallenge), ("BrowserRequired", error.isBrowserRequired)]
            case let error as RegisterStrongAuthChallengeError:
                [
                    ("InvalidInput", error.isInvalidInput), ("BrowserRequired", error.isBrowserRequired),
                    ("VerificationContactBlocked", error.isVerificationContactBlocked),
                ]
            case let error as RegisterStrongAuthSubmitChallengeError:
                [("InvalidChallenge", error.isInvalidChallenge), ("BrowserRequired", error.isBrowserRequired)]
            case let error as MSALNativeAuthGenericError:
                [("BrowserRequired", error.isBrowserRequired)]
            default: []
            }
        return flags.filter(\.1).map(\.0)
    }
}
