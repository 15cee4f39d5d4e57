/// What all delegates are.
///
/// Their protocols have required and optional methods. Swift alone has no optional ones, so each has a default here that
/// only tells that it was called; then the required error method is called instead, and says which method is missing. They
/// are in one place because a class may be the delegate of several steps, which share some of them.
public protocol MSALNativeAuthDelegate: AnyObject {}

/// Whether the method that was called last is a default.
@MainActor
enum OptionalMethod {
    fileprivate(set) static var isMissing = false

    /// Calls one; false where it is not there.
    static func call(_ method: () -> Void) -> Bool {
        isMissing = false
        method()
        return !isMissing
    }
}

extension MSALNativeAuthDelegate {
    /// The default of ``SignInStartDelegate/onSignInCodeRequired(newState:sentTo:channelTargetType:codeLength:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignInStartDelegate/onSignInPasswordRequired(newState:)``: the step's error method is called in
    /// its place, and its cause names the missing one.
    @MainActor public func onSignInPasswordRequired(newState: SignInPasswordRequiredState) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignInStartDelegate/onSignInStrongAuthMethodRegistration(authMethods:newState:)`` and of the
    /// other delegates that have it: the step's error method is called in its place, and its cause names the missing
    /// one.
    @MainActor public func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignInStartDelegate/onSignInAwaitingMFA(authMethods:newState:)`` and of the other delegates
    /// that have it: the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignInStartDelegate/onSignInCompleted(result:)`` and of the other delegates that have it: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        OptionalMethod.isMissing = true
    }

    /// The default of
    /// ``SignInResendCodeDelegate/onSignInResendCodeCodeRequired(newState:sentTo:channelTargetType:codeLength:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``CredentialsDelegate/onAccessTokenRetrieveCompleted(result:)``: the step's error method is
    /// called in its place, and its cause names the missing one.
    @MainActor public func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpStartDelegate/onSignUpCodeRequired(newState:sentTo:channelTargetType:codeLength:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpStartDelegate/onSignUpAttributesInvalid(attributeNames:)``: the step's error method is
    /// called in its place, and its cause names the missing one.
    @MainActor public func onSignUpAttributesInvalid(attributeNames: [String]) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpVerifyCodeDelegate/onSignUpAttributesRequired(attributes:newState:)`` and of the other
    /// delegates that have it: the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpVerifyCodeDelegate/onSignUpPasswordRequired(newState:)``: the step's error method is
    /// called in its place, and its cause names the missing one.
    @MainActor public func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpVerifyCodeDelegate/onSignUpCompleted(newState:)`` and of the other delegates that have
    /// it: the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignUpCompleted(newState: SignInAfterSignUpState) {
        OptionalMethod.isMissing = true
    }

    /// The default of
    /// ``SignUpResendCodeDelegate/onSignUpResendCodeCodeRequired(newState:sentTo:channelTargetType:codeLength:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``SignUpAttributesRequiredDelegate/onSignUpAttributesInvalid(attributeNames:newState:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    {
        OptionalMethod.isMissing = true
    }

    /// The default of
    /// ``ResetPasswordStartDelegate/onResetPasswordCodeRequired(newState:sentTo:channelTargetType:codeLength:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``ResetPasswordVerifyCodeDelegate/onPasswordRequired(newState:)``: the step's error method is
    /// called in its place, and its cause names the missing one.
    @MainActor public func onPasswordRequired(newState: ResetPasswordRequiredState) {
        OptionalMethod.isMissing = true
    }

    /// The default of
    /// ``ResetPasswordResendCodeDelegate/onResetPasswordResendCodeRequired(newState:sentTo:channelTargetType:codeLength:)``:
    /// the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``ResetPasswordRequiredDelegate/onResetPasswordCompleted(newState:)``: the step's error method is
    /// called in its place, and its cause names the missing one.
    @MainActor public func onResetPasswordCompleted(newState: SignInAfterResetPasswordState) {
        OptionalMethod.isMissing = true
    }

    /// The default of
    /// ``MFARequestChallengeDelegate/onMFARequestChallengeVerificationRequired(newState:sentTo:channelTargetType:codeLength:)``:
    /// the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``MFARequestChallengeDelegate/onMFARequestChallengeSelectionRequired(authMethods:newState:)``:
    /// the step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onMFARequestChallengeSelectionRequired(
        authMethods: [MSALAuthMethod], newState: MFARequiredState
    ) {
        OptionalMethod.isMissing = true
    }

    /// The default of ``RegisterStrongAuthChallengeDelegate/onRegisterStrongAuthVerificationRequired(result:)``: the
    /// step's error method is called in its place, and its cause names the missing one.
    @MainActor public func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult
    ) {
        OptionalMethod.isMissing = true
    }
}
