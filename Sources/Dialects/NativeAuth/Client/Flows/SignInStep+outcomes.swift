/// The outcomes that a sign-in's steps share.
protocol SignInStepOutcome {
    static func strongAuthMethodRegistration(authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState) -> Self
    static func awaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) -> Self
    static func completed(result: MSALNativeAuthUserAccountResult) -> Self
}

extension SignInStepOutcome {
    init(_ step: SignInStep) {
        switch step {
        case .signedIn(let result): self = .completed(result: result)
        case .secondFactor(let methods, let state): self = .awaitingMFA(authMethods: methods, newState: state)
        case .registration(let methods, let state):
            self = .strongAuthMethodRegistration(authMethods: methods, newState: state)
        }
    }
}

extension SignInStartOutcome: SignInStepOutcome {}
extension SignInPasswordRequiredOutcome: SignInStepOutcome {}
extension SignInVerifyCodeOutcome: SignInStepOutcome {}
extension SignInAfterSignUpOutcome: SignInStepOutcome {}
extension SignInAfterResetPasswordOutcome: SignInStepOutcome {}
