import Foundation

/// What a reset begins with. The asynchronous counterpart of ``ResetPasswordStartDelegate``.
public enum ResetPasswordStartOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
    /// The reset did not begin; begin again.
    case error(ResetPasswordStartError)
}

extension ResetPasswordStartOutcome: Outcome {
    func deliver(to delegate: any ResetPasswordStartDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onResetPasswordStartError(error: ResetPasswordStartError($0))
        }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onResetPasswordCodeRequired") {
                delegate.onResetPasswordCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .error(let error): delegate.onResetPasswordStartError(error: error)
        }
    }
}

/// What a code leads to. The asynchronous counterpart of ``ResetPasswordVerifyCodeDelegate``.
public enum ResetPasswordVerifyCodeOutcome: Sendable {
    /// The code was right; `newState` takes the new password.
    case passwordRequired(newState: ResetPasswordRequiredState)
    /// The code was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(VerifyCodeError, newState: ResetPasswordCodeRequiredState?)
}

extension ResetPasswordVerifyCodeOutcome: Outcome {
    func deliver(to delegate: any ResetPasswordVerifyCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onResetPasswordVerifyCodeError(error: VerifyCodeError($0), newState: nil)
        }
        switch self {
        case .passwordRequired(let state):
            offer("onPasswordRequired") { delegate.onPasswordRequired(newState: state) }
        case .error(let error, let state): delegate.onResetPasswordVerifyCodeError(error: error, newState: state)
        }
    }
}

/// Whether another code was sent. The asynchronous counterpart of ``ResetPasswordResendCodeDelegate``.
public enum ResetPasswordResendCodeOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: ResetPasswordCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType,
        codeLength: Int)
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(ResendCodeError, newState: ResetPasswordCodeRequiredState?)
}

extension ResetPasswordResendCodeOutcome: Outcome {
    func deliver(to delegate: any ResetPasswordResendCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onResetPasswordResendCodeError(error: ResendCodeError($0), newState: nil)
        }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onResetPasswordResendCodeRequired") {
                delegate.onResetPasswordResendCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .error(let error, let state): delegate.onResetPasswordResendCodeError(error: error, newState: state)
        }
    }
}

/// Whether the new password was taken. The asynchronous counterpart of ``ResetPasswordRequiredDelegate``.
public enum ResetPasswordRequiredOutcome: Sendable {
    /// The password is changed; `newState` signs in.
    case completed(newState: SignInAfterResetPasswordState)
    /// The password was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where
    /// the flow is over.
    case error(PasswordRequiredError, newState: ResetPasswordRequiredState?)
}

extension ResetPasswordRequiredOutcome: Outcome {
    func deliver(to delegate: any ResetPasswordRequiredDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onResetPasswordRequiredError(error: PasswordRequiredError($0), newState: nil)
        }
        switch self {
        case .completed(let state):
            offer("onResetPasswordCompleted") { delegate.onResetPasswordCompleted(newState: state) }
        case .error(let error, let state): delegate.onResetPasswordRequiredError(error: error, newState: state)
        }
    }
}
