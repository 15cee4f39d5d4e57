/// What a sign-up begins with. The error method must be there, the others where the app can get there.
public protocol SignUpStartDelegate: MSALNativeAuthDelegate {
    /// The sign-up did not begin; begin again. The only method that a delegate has to have.
    @MainActor func onSignUpStartError(error: SignUpStartError)
    /// A code was sent; `newState` takes it.
    @MainActor func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// These are not as the server wants them: begin again with others.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String])
}

/// What a code leads to. The error method must be there, the others where the app can get there.
public protocol SignUpVerifyCodeDelegate: MSALNativeAuthDelegate {
    /// The code was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?)
    /// These are asked for too; `newState` takes them.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// A password is asked for; `newState` takes it.
    @MainActor func onSignUpPasswordRequired(newState: SignUpPasswordRequiredState)
    /// The account is made; `newState` signs it in.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// Whether another code was sent. The error method must be there, the others where the app can get there.
public protocol SignUpResendCodeDelegate: MSALNativeAuthDelegate {
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onSignUpResendCodeError(error: ResendCodeError, newState: SignUpCodeRequiredState?)
    /// Another code was sent.
    @MainActor func onSignUpResendCodeCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
}

/// What a password leads to. The error method must be there, the others where the app can get there.
public protocol SignUpPasswordRequiredDelegate: MSALNativeAuthDelegate {
    /// The password was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where
    /// the flow is over. The only method that a delegate has to have.
    @MainActor func onSignUpPasswordRequiredError(error: PasswordRequiredError, newState: SignUpPasswordRequiredState?)
    /// These are asked for too; `newState` takes them.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The account is made; `newState` signs it in.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

/// What attributes lead to. The error method must be there, the others where the app can get there.
public protocol SignUpAttributesRequiredDelegate: MSALNativeAuthDelegate {
    /// The attributes were not taken, and the flow is over. Attributes that are wrong are no error:
    /// ``SignUpAttributesRequiredDelegate/onSignUpAttributesInvalid(attributeNames:newState:)``. The only method that a
    /// delegate has to have.
    @MainActor func onSignUpAttributesRequiredError(error: AttributesRequiredError)
    /// These are asked for too; `newState` takes them.
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// These are not as the server wants them; `newState` takes others.
    @MainActor func onSignUpAttributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    /// The account is made; `newState` signs it in.
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}
