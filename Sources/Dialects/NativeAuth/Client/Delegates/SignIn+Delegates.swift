/// What a sign-in begins with. The error method must be there, the others where the app can get there.
public protocol SignInStartDelegate: MSALNativeAuthDelegate {
    /// The sign-in did not begin, or its password was not taken; begin again. The only method that a delegate has to
    /// have.
    @MainActor func onSignInStartError(error: SignInStartError)
    /// A code was sent; `newState` takes it.
    @MainActor func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// The account has a password; `newState` takes it.
    @MainActor func onSignInPasswordRequired(newState: SignInPasswordRequiredState)
    /// A second factor has to be registered first.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// What a password leads to. The error method must be there, the others where the app can get there.
public protocol SignInPasswordRequiredDelegate: MSALNativeAuthDelegate {
    /// The password was not taken, or what comes after it could not be had. `newState` takes another attempt, unless
    /// the cause says `isFlowExpired`; nil where the flow is over. The only method that a delegate has to have.
    @MainActor func onSignInPasswordRequiredError(error: PasswordRequiredError, newState: SignInPasswordRequiredState?)
    /// A second factor has to be registered first.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// What a code leads to. The error method must be there, the others where the app can get there.
public protocol SignInVerifyCodeDelegate: MSALNativeAuthDelegate {
    /// The code was not taken, or what comes after it could not be had. `newState` takes another attempt, unless the
    /// cause says `isFlowExpired`; nil where the flow is over. The only method that a delegate has to have.
    @MainActor func onSignInVerifyCodeError(error: VerifyCodeError, newState: SignInCodeRequiredState?)
    /// A second factor has to be registered first.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Whether another code was sent. The error method must be there, the others where the app can get there.
public protocol SignInResendCodeDelegate: MSALNativeAuthDelegate {
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onSignInResendCodeError(error: ResendCodeError, newState: SignInCodeRequiredState?)
    /// Another code was sent.
    @MainActor func onSignInResendCodeCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
}

/// What the sign-in after a sign-up leads to. The error method must be there, the others where the app can get there.
public protocol SignInAfterSignUpDelegate: MSALNativeAuthDelegate {
    /// The new account is not signed in: sign in from the start. An account with a second factor gets here always, as
    /// with the original. The only method that a delegate has to have.
    @MainActor func onSignInAfterSignUpError(error: SignInAfterSignUpError)
    /// A second factor has to be registered first.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// What the sign-in after a reset leads to. The error method must be there, the others where the app can get there.
public protocol SignInAfterResetPasswordDelegate: MSALNativeAuthDelegate {
    /// The account is not signed in: sign in from the start. An account with a second factor gets here always, as with
    /// the original. The only method that a delegate has to have.
    @MainActor func onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError)
    /// A second factor has to be registered first.
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Whether there is an access token. The error method must be there, the others where the app can get there.
public protocol CredentialsDelegate: MSALNativeAuthDelegate {
    /// There is no access token. The account stays signed in, unless the error's `isRefreshTokenExpired` says that its
    /// session is over. The only method that a delegate has to have.
    @MainActor func onAccessTokenRetrieveError(error: RetrieveAccessTokenError)
    /// Here it is.
    @MainActor func onAccessTokenRetrieveCompleted(result: MSALNativeAuthTokenResult)
}
