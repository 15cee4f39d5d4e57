import Foundation

/// Whether a second factor's code was sent. The asynchronous counterpart of ``MFARequestChallengeDelegate``.
public enum MFARequestChallengeOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case verificationRequired(
        newState: MFARequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int)
    /// Choose one of them first.
    case selectionRequired(authMethods: [MSALAuthMethod], newState: MFARequiredState)
    /// No code was sent, and no device asked. `newState` takes another attempt, unless the cause says `isFlowExpired`;
    /// nil where the flow is over.
    case error(MFARequestChallengeError, newState: MFARequiredState?)
}

extension MFARequestChallengeOutcome: Outcome {
    func deliver(to delegate: any MFARequestChallengeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onMFARequestChallengeError(error: MFARequestChallengeError($0), newState: nil)
        }
        switch self {
        case .verificationRequired(let state, let contact, let channel, let length):
            offer("onMFARequestChallengeVerificationRequired") {
                delegate.onMFARequestChallengeVerificationRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .selectionRequired(let methods, let state):
            offer("onMFARequestChallengeSelectionRequired") {
                delegate.onMFARequestChallengeSelectionRequired(authMethods: methods, newState: state)
            }
        case .error(let error, let state): delegate.onMFARequestChallengeError(error: error, newState: state)
        }
    }
}

/// What a second factor's code leads to. The asynchronous counterpart of ``MFASubmitChallengeDelegate``.
public enum MFASubmitChallengeOutcome: Sendable {
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The code was not taken, or the device has not answered yet. `newState` takes another attempt, unless the cause
    /// says `isApprovalRejected` or `isFlowExpired`; nil where the flow is over. While
    /// ``MSALNativeAuthErrorCause/isApprovalPending``, submit again.
    case error(MFASubmitChallengeError, newState: MFARequiredState?)
}

extension MFASubmitChallengeOutcome: Outcome {
    func deliver(to delegate: any MFASubmitChallengeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onMFASubmitChallengeError(error: MFASubmitChallengeError($0), newState: nil)
        }
        switch self {
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error, let state): delegate.onMFASubmitChallengeError(error: error, newState: state)
        }
    }
}

/// Whether a contact can be registered. The asynchronous counterpart of ``RegisterStrongAuthChallengeDelegate``.
public enum RegisterStrongAuthChallengeOutcome: Sendable {
    /// A code was sent to the contact.
    case verificationRequired(result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The contact gets no code. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(RegisterStrongAuthChallengeError, newState: RegisterStrongAuthState?)
}

extension RegisterStrongAuthChallengeOutcome: Outcome {
    func deliver(to delegate: any RegisterStrongAuthChallengeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onRegisterStrongAuthChallengeError(error: RegisterStrongAuthChallengeError($0), newState: nil)
        }
        switch self {
        case .verificationRequired(let result):
            offer("onRegisterStrongAuthVerificationRequired") {
                delegate.onRegisterStrongAuthVerificationRequired(result: result)
            }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error, let state): delegate.onRegisterStrongAuthChallengeError(error: error, newState: state)
        }
    }
}

/// Whether a contact was registered. The asynchronous counterpart of ``RegisterStrongAuthSubmitChallengeDelegate``.
public enum RegisterStrongAuthSubmitChallengeOutcome: Sendable {
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The code was not taken, or the sign-in after it failed. `newState` takes another attempt, unless the cause says
    /// `isFlowExpired`; nil where the flow is over.
    case error(RegisterStrongAuthSubmitChallengeError, newState: RegisterStrongAuthVerificationRequiredState?)
}

extension RegisterStrongAuthSubmitChallengeOutcome: Outcome {
    func deliver(to delegate: any RegisterStrongAuthSubmitChallengeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onRegisterStrongAuthSubmitChallengeError(
                error: RegisterStrongAuthSubmitChallengeError($0), newState: nil)
        }
        switch self {
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error, let state):
            delegate.onRegisterStrongAuthSubmitChallengeError(error: error, newState: state)
        }
    }
}
