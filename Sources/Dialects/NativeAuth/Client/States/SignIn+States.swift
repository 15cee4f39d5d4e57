import Foundation

/// A sign-in that waits for a code. It can be used again after a wrong one.
public final class SignInCodeRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives the code.
    public func submitCode(code: String, delegate: any SignInVerifyCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitSignInCode(code, self) }
    }

    /// The twin of ``submitCode(code:delegate:)``.
    public func submitCode(code: String) async -> SignInVerifyCodeOutcome {
        await flow.submitSignInCode(code, self)
    }

    /// Has another code sent; the former one is not good any more.
    public func resendCode(delegate: any SignInResendCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.resendSignInCode(self) }
    }

    /// The twin of ``resendCode(delegate:)``.
    public func resendCode() async -> SignInResendCodeOutcome {
        await flow.resendSignInCode(self)
    }
}

/// A sign-in that waits for the password. It can be used again after a wrong one.
public final class SignInPasswordRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives the password.
    public func submitPassword(password: String, delegate: any SignInPasswordRequiredDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitSignInPassword(password, self) }
    }

    /// The twin of ``submitPassword(password:delegate:)``.
    public func submitPassword(password: String) async -> SignInPasswordRequiredOutcome {
        await flow.submitSignInPassword(password, self)
    }
}

/// A new account that can be signed in at once.
public final class SignInAfterSignUpState: NSObject, Sendable {
    let flow: Flow
    let token: String?

    init(_ flow: Flow, token: String?) {
        self.flow = flow
        self.token = token
    }

    /// Signs it in.
    public func signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters, delegate: any SignInAfterSignUpDelegate) {
        let flow = flow.asking(for: parameters.scopes, parameters.claimsRequest)
        answer(delegate, flow.correlationID) { [token] in await flow.signInAfterSignUp(token) }
    }

    /// The twin of ``signIn(parameters:delegate:)``.
    nonisolated(nonsending) public func signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters) async
        -> SignInAfterSignUpOutcome
    {
        let flow = flow.asking(for: parameters.scopes, parameters.claimsRequest)
        return await flow.signInAfterSignUp(token)
    }
}

/// An account whose password was changed, and that can be signed in at once.
public final class SignInAfterResetPasswordState: NSObject, Sendable {
    let flow: Flow
    let token: String?

    init(_ flow: Flow, token: String?) {
        self.flow = flow
        self.token = token
    }

    /// Signs it in.
    public func signIn(
        parameters: MSALNativeAuthSignInAfterResetPasswordParameters, delegate: any SignInAfterResetPasswordDelegate
    ) {
        let flow = flow.asking(for: parameters.scopes, parameters.claimsRequest)
        answer(delegate, flow.correlationID) { [token] in await flow.signInAfterReset(token) }
    }

    /// The twin of ``signIn(parameters:delegate:)``.
    nonisolated(nonsending) public func signIn(parameters: MSALNativeAuthSignInAfterResetPasswordParameters) async
        -> SignInAfterResetPasswordOutcome
    {
        let flow = flow.asking(for: parameters.scopes, parameters.claimsRequest)
        return await flow.signInAfterReset(token)
    }
}
