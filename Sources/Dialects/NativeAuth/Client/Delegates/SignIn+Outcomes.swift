import Foundation

/// What a sign-in begins with. The asynchronous counterpart of ``SignInStartDelegate``.
public enum SignInStartOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// The account has a password; `newState` takes it.
    case passwordRequired(newState: SignInPasswordRequiredState)
    /// A second factor has to be registered first.
    case strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    case awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The sign-in did not begin, or its password was not taken; begin again.
    case error(SignInStartError)
}

extension SignInStartOutcome: Outcome {
    func deliver(to delegate: any SignInStartDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) { delegate.onSignInStartError(error: SignInStartError($0)) }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onSignInCodeRequired") {
                delegate.onSignInCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .passwordRequired(let state):
            offer("onSignInPasswordRequired") { delegate.onSignInPasswordRequired(newState: state) }
        case .strongAuthMethodRegistration(let methods, let state):
            offer("onSignInStrongAuthMethodRegistration") {
                delegate.onSignInStrongAuthMethodRegistration(authMethods: methods, newState: state)
            }
        case .awaitingMFA(let methods, let state):
            offer("onSignInAwaitingMFA") { delegate.onSignInAwaitingMFA(authMethods: methods, newState: state) }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error): delegate.onSignInStartError(error: error)
        }
    }
}

/// What a password leads to. The asynchronous counterpart of ``SignInPasswordRequiredDelegate``.
public enum SignInPasswordRequiredOutcome: Sendable {
    /// A second factor has to be registered first.
    case strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    case awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The password was not taken, or what comes after it could not be had. `newState` takes another attempt, unless
    /// the cause says `isFlowExpired`; nil where the flow is over.
    case error(PasswordRequiredError, newState: SignInPasswordRequiredState?)
}

extension SignInPasswordRequiredOutcome: Outcome {
    func deliver(to delegate: any SignInPasswordRequiredDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignInPasswordRequiredError(error: PasswordRequiredError($0), newState: nil)
        }
        switch self {
        case .strongAuthMethodRegistration(let methods, let state):
            offer("onSignInStrongAuthMethodRegistration") {
                delegate.onSignInStrongAuthMethodRegistration(authMethods: methods, newState: state)
            }
        case .awaitingMFA(let methods, let state):
            offer("onSignInAwaitingMFA") { delegate.onSignInAwaitingMFA(authMethods: methods, newState: state) }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error, let state): delegate.onSignInPasswordRequiredError(error: error, newState: state)
        }
    }
}

/// What a code leads to. The asynchronous counterpart of ``SignInVerifyCodeDelegate``.
public enum SignInVerifyCodeOutcome: Sendable {
    /// A second factor has to be registered first.
    case strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    case awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The code was not taken, or what comes after it could not be had. `newState` takes another attempt, unless the
    /// cause says `isFlowExpired`; nil where the flow is over.
    case error(VerifyCodeError, newState: SignInCodeRequiredState?)
}

extension SignInVerifyCodeOutcome: Outcome {
    func deliver(to delegate: any SignInVerifyCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignInVerifyCodeError(error: VerifyCodeError($0), newState: nil)
        }
        switch self {
        case .strongAuthMethodRegistration(let methods, let state):
            offer("onSignInStrongAuthMethodRegistration") {
                delegate.onSignInStrongAuthMethodRegistration(authMethods: methods, newState: state)
            }
        case .awaitingMFA(let methods, let state):
            offer("onSignInAwaitingMFA") { delegate.onSignInAwaitingMFA(authMethods: methods, newState: state) }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error, let state): delegate.onSignInVerifyCodeError(error: error, newState: state)
        }
    }
}

/// Whether another code was sent. The asynchronous counterpart of ``SignInResendCodeDelegate``.
public enum SignInResendCodeOutcome: Sendable {
    /// A code was sent; `newState` takes it.
    case codeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    )
    /// No other code was sent. `newState` takes another attempt, unless the cause says `isFlowExpired`; nil where the
    /// flow is over.
    case error(ResendCodeError, newState: SignInCodeRequiredState?)
}

extension SignInResendCodeOutcome: Outcome {
    func deliver(to delegate: any SignInResendCodeDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignInResendCodeError(error: ResendCodeError($0), newState: nil)
        }
        switch self {
        case .codeRequired(let state, let contact, let channel, let length):
            offer("onSignInResendCodeCodeRequired") {
                delegate.onSignInResendCodeCodeRequired(
                    newState: state, sentTo: contact, channelTargetType: channel, codeLength: length)
            }
        case .error(let error, let state): delegate.onSignInResendCodeError(error: error, newState: state)
        }
    }
}

/// What the sign-in after a sign-up leads to. The asynchronous counterpart of ``SignInAfterSignUpDelegate``.
public enum SignInAfterSignUpOutcome: Sendable {
    /// A second factor has to be registered first.
    case strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    case awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The new account is not signed in: sign in from the start. An account with a second factor gets here always, as
    /// with the original.
    case error(SignInAfterSignUpError)
}

extension SignInAfterSignUpOutcome: Outcome {
    func deliver(to delegate: any SignInAfterSignUpDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) { delegate.onSignInAfterSignUpError(error: SignInAfterSignUpError($0)) }
        switch self {
        case .strongAuthMethodRegistration(let methods, let state):
            offer("onSignInStrongAuthMethodRegistration") {
                delegate.onSignInStrongAuthMethodRegistration(authMethods: methods, newState: state)
            }
        case .awaitingMFA(let methods, let state):
            offer("onSignInAwaitingMFA") { delegate.onSignInAwaitingMFA(authMethods: methods, newState: state) }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error): delegate.onSignInAfterSignUpError(error: error)
        }
    }
}

/// What the sign-in after a reset leads to. The asynchronous counterpart of ``SignInAfterResetPasswordDelegate``.
public enum SignInAfterResetPasswordOutcome: Sendable {
    /// A second factor has to be registered first.
    case strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
    /// A second factor is asked for: choose one of them.
    case awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    /// The user is signed in.
    case completed(result: MSALNativeAuthUserAccountResult)
    /// The account is not signed in: sign in from the start. An account with a second factor gets here always, as with
    /// the original.
    case error(SignInAfterResetPasswordError)
}

extension SignInAfterResetPasswordOutcome: Outcome {
    func deliver(to delegate: any SignInAfterResetPasswordDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onSignInAfterResetPasswordError(error: SignInAfterResetPasswordError($0))
        }
        switch self {
        case .strongAuthMethodRegistration(let methods, let state):
            offer("onSignInStrongAuthMethodRegistration") {
                delegate.onSignInStrongAuthMethodRegistration(authMethods: methods, newState: state)
            }
        case .awaitingMFA(let methods, let state):
            offer("onSignInAwaitingMFA") { delegate.onSignInAwaitingMFA(authMethods: methods, newState: state) }
        case .completed(let result):
            offer("onSignInCompleted") { delegate.onSignInCompleted(result: result) }
        case .error(let error): delegate.onSignInAfterResetPasswordError(error: error)
        }
    }
}

/// Whether there is an access token. The asynchronous counterpart of ``CredentialsDelegate``.
public enum RetrieveAccessTokenOutcome: Sendable {
    /// Here it is.
    case completed(result: MSALNativeAuthTokenResult)
    /// There is no access token. The account stays signed in, unless the error's `isRefreshTokenExpired` says that its
    /// session is over.
    case error(RetrieveAccessTokenError)
}

extension RetrieveAccessTokenOutcome: Outcome {
    func deliver(to delegate: any CredentialsDelegate, _ correlationID: UUID) {
        let offer = OptionalCall(correlationID) {
            delegate.onAccessTokenRetrieveError(error: RetrieveAccessTokenError($0))
        }
        switch self {
        case .completed(let result):
            offer("onAccessTokenRetrieveCompleted") { delegate.onAccessTokenRetrieveCompleted(result: result) }
        case .error(let error): delegate.onAccessTokenRetrieveError(error: error)
        }
    }
}
