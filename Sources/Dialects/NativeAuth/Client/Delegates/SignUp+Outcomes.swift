import Foundation

/// What a sign-up begins with. The asynchronous counterpart of ``SignUpStartDelegate``.
public enum SignUpStartOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// These attributes are not as the server wants them: begin again with others.
    case attributesInvalid(attributeNames: [String])
    /// The sign-up did not begin; begin again.
    case error(SignUpStartError)
}

extension SignUpStartOutcome: Outcome {
    func deliver(to delegate: any SignUpStartDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) { delegate.onSignUpStartError(error: SignUpStartError($0)) }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onSignUpCodeRequired") {
                delegate.onSignUpCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .attributesInvalid(let names):
            offer("onSignUpAttributesInvalid") { delegate.onSignUpAttributesInvalid(attributeNames: names) }
        case .error(let error): delegate.onSignUpStartError(error: error)
        }
    }
}

/// What a code leads to. The asynchronous counterpart of ``SignUpVerifyCodeDelegate``.
public enum SignUpVerifyCodeOutcome: Sendable {
    /// These attributes are asked for too; `newState` takes them.
    case attributesRequired(attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// A password is asked for; `newState` takes it.
    case passwordRequired(newState: SignUpPasswordRequiredState)
    /// The account is made; `newState` signs it in.
    case completed(newState: SignInAfterSignUpState)
    /// The code was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(VerifyCodeError, newState: SignUpCodeRequiredState?)
}

extension SignUpVerifyCodeOutcome: Outcome {
    func deliver(to delegate: any SignUpVerifyCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignUpVerifyCodeError(error: VerifyCodeError($0), newState: nil)
        }
        switch self {
        case .attributesRequired(let attributes, let state):
            offer("onSignUpAttributesRequired") {
                delegate.onSignUpAttributesRequired(attributes: attributes, newState: state)
            }
        case .passwordRequired(let state):
            offer("onSignUpPasswordRequired") { delegate.onSignUpPasswordRequired(newState: state) }
        case .completed(let state):
            offer("onSignUpCompleted") { delegate.onSignUpCompleted(newState: state) }
        case .error(let error, let state): delegate.onSignUpVerifyCodeError(error: error, newState: state)
        }
    }
}

/// Whether another code was sent. The asynchronous counterpart of ``SignUpResendCodeDelegate``.
public enum SignUpResendCodeOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(ResendCodeError, newState: SignUpCodeRequiredState?)
}

extension SignUpResendCodeOutcome: Outcome {
    func deliver(to delegate: any SignUpResendCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignUpResendCodeError(error: ResendCodeError($0), newState: nil)
        }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onSignUpResendCodeCodeRequired") {
                delegate.onSignUpResendCodeCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .error(let error, let state): delegate.onSignUpResendCodeError(error: error, newState: state)
        }
    }
}

/// What a password leads to. The asynchronous counterpart of ``SignUpPasswordRequiredDelegate``.
public enum SignUpPasswordRequiredOutcome: Sendable {
    /// These attributes are asked for too; `newState` takes them.
    case attributesRequired(attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// The account is made; `newState` signs it in.
    case completed(newState: SignInAfterSignUpState)
    /// The password was not taken. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where
    /// the flow is over.
    case error(PasswordRequiredError, newState: SignUpPasswordRequiredState?)
}

extension SignUpPasswordRequiredOutcome: Outcome {
    func deliver(to delegate: any SignUpPasswordRequiredDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignUpPasswordRequiredError(error: PasswordRequiredError($0), newState: nil)
        }
        switch self {
        case .attributesRequired(let attributes, let state):
            offer("onSignUpAttributesRequired") {
                delegate.onSignUpAttributesRequired(attributes: attributes, newState: state)
            }
        case .completed(let state):
            offer("onSignUpCompleted") { delegate.onSignUpCompleted(newState: state) }
        case .error(let error, let state): delegate.onSignUpPasswordRequiredError(error: error, newState: state)
        }
    }
}

/// What attributes lead to. The asynchronous counterpart of ``SignUpAttributesRequiredDelegate``.
public enum SignUpAttributesRequiredOutcome: Sendable {
    /// These attributes are asked for too; `newState` takes them.
    case attributesRequired(attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    /// These attributes are not as the server wants them; `newState` takes others.
    case attributesInvalid(attributeNames: [String], newState: SignUpAttributesRequiredState)
    /// The account is made; `newState` signs it in.
    case completed(newState: SignInAfterSignUpState)
    /// The attributes were not taken, and the flow is over. Attributes that are wrong are no error:
    /// ``attributesInvalid(attributeNames:newState:)``.
    case error(AttributesRequiredError)
}

extension SignUpAttributesRequiredOutcome: Outcome {
    func deliver(to delegate: any SignUpAttributesRequiredDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignUpAttributesRequiredError(error: AttributesRequiredError($0))
        }
        switch self {
        case .attributesRequired(let attributes, let state):
            offer("onSignUpAttributesRequired") {
                delegate.onSignUpAttributesRequired(attributes: attributes, newState: state)
            }
        case .attributesInvalid(let names, let state):
            offer("onSignUpAttributesInvalid") {
                delegate.onSignUpAttributesInvalid(attributeNames: names, newState: state)
            }
        case .completed(let state):
            offer("onSignUpCompleted") { delegate.onSignUpCompleted(newState: state) }
        case .error(let error): delegate.onSignUpAttributesRequiredError(error: error)
        }
    }
}
