/// What a reset begins with. The error method must be there, the others where the app can get there.
public protocol ResetPasswordStartDelegate: MSALNativeAuthDelegate {
    @MainActor func onResetPasswordStartError(error: ResetPasswordStartError)
    /// A code was sent; `newState` takes it.
    @MainActor func onResetPasswordCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// What a code leads to. The error method must be there, the others where the app can get there.
public protocol ResetPasswordVerifyCodeDelegate: MSALNativeAuthDelegate {
    @MainActor func onResetPasswordVerifyCodeError(error: VerifyCodeError, newState: ResetPasswordCodeRequiredState?)
    /// The code was right; `newState` takes the new password.
    @MainActor func onPasswordRequired(newState: ResetPasswordRequiredState)
}

/// Whether another code was sent. The error method must be there, the others where the app can get there.
public protocol ResetPasswordResendCodeDelegate: MSALNativeAuthDelegate {
    @MainActor func onResetPasswordResendCodeError(error: ResendCodeError, newState: ResetPasswordCodeRequiredState?)
    /// Another code was sent.
    @MainActor func onResetPasswordResendCodeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
}

/// Whether the new password was taken. The error method must be there, the others where the app can get there.
public protocol ResetPasswordRequiredDelegate: MSALNativeAuthDelegate {
    @MainActor func onResetPasswordRequiredError(error: PasswordRequiredError, newState: ResetPasswordRequiredState?)
    /// The password is changed; `newState` signs in.
    @MainActor func onResetPasswordCompleted(newState: SignInAfterResetPasswordState)
}
