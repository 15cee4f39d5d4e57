/// What a reset begins with. The error method must be there, the others where the app can get there.
public protocol ResetPasswordStartDelegate: MSALNativeAuthDelegate {
    /// The reset did not begin; begin again. The only method that a delegate has to have.
    @MainActor func onResetPasswordStartError(error: ResetPasswordStartError)
    /// A code was sent; `newState` takes it.
    @MainActor func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// What a code leads to. The error method must be there, the others where the app can get there.
public protocol ResetPasswordVerifyCodeDelegate: MSALNativeAuthDelegate {
    /// The code was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?)
    /// The code was right; `newState` takes the new password.
    @MainActor func onPasswordRequired(newState: ResetPasswordRequiredState)
}

/// Whether another code was sent. The error method must be there, the others where the app can get there.
public protocol ResetPasswordResendCodeDelegate: MSALNativeAuthDelegate {
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?)
    /// Another code was sent.
    @MainActor func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// Whether the new password was taken. The error method must be there, the others where the app can get there.
public protocol ResetPasswordRequiredDelegate: MSALNativeAuthDelegate {
    /// The password was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where
    /// the flow is over. The only method that a delegate has to have.
    @MainActor func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?)
    /// The password is changed; `newState` signs in.
    @MainActor func onResetPasswordCompleted(newState: SignInAfterResetPasswordState)
}
