/// Whether a second factor's code was sent. The error method must be there, the others where the app can get there.
public protocol MFARequestChallengeDelegate: MSALNativeAuthDelegate {
    /// No code was sent, and no device asked. `newState` takes another attempt, unless the cause says `isFlowExpired`;
    /// nil where the flow is over. The only method that a delegate has to have.
    @MainActor func onMFARequestChallengeError(error: MFARequestChallengeError, newState: MFARequiredState?)
    /// A code was sent; `newState` takes it.
    @MainActor func onMFARequestChallengeVerificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int)
    /// Choose one of them first.
    @MainActor func onMFARequestChallengeSelectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState)
}

/// What a second factor's code leads to. The error method must be there, the others where the app can get there.
public protocol MFASubmitChallengeDelegate: MSALNativeAuthDelegate {
    /// The code was not taken, or the device has not answered yet. `newState` takes another attempt, unless the cause
    /// says `isApprovalRejected` or `isFlowExpired`; nil where the flow is over. The only method that a delegate has to
    /// have.
    @MainActor func onMFASubmitChallengeError(error: MFASubmitChallengeError, newState: MFARequiredState?)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Whether a contact can be registered. The error method must be there, the others where the app can get there.
public protocol RegisterStrongAuthChallengeDelegate: MSALNativeAuthDelegate {
    /// The contact gets no code. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over. The only method that a delegate has to have.
    @MainActor func onRegisterStrongAuthChallengeError(
        error: RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?)
    /// A code was sent to the contact.
    @MainActor func onRegisterStrongAuthVerificationRequired(
        result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

/// Whether a contact was registered. The error method must be there, the others where the app can get there.
public protocol RegisterStrongAuthSubmitChallengeDelegate: MSALNativeAuthDelegate {
    /// The code was not taken, or the sign-in after it failed. `newState` takes another attempt, unless the cause says
    /// `isFlowExpired`; nil where the flow is over. The only method that a delegate has to have.
    @MainActor func onRegisterStrongAuthSubmitChallengeError(
        error: RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?)
    /// The user is signed in.
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}
