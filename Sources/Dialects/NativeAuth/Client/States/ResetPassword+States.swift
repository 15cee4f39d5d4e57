import Foundation

/// A reset that waits for a code. It can be used again after a wrong one.
public final class ResetPasswordCodeRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives the code.
    public func submitCode(code: String, delegate: any ResetPasswordVerifyCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitResetCode(code, self) }
    }

    /// The twin of ``submitCode(code:delegate:)``.
    public func submitCode(code: String) async -> ResetPasswordVerifyCodeOutcome {
        await flow.submitResetCode(code, self)
    }

    /// Has another code sent; the former one is not good any more.
    public func resendCode(delegate: any ResetPasswordResendCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.resendResetCode(self) }
    }

    /// The twin of ``resendCode(delegate:)``.
    public func resendCode() async -> ResetPasswordResendCodeOutcome {
        await flow.resendResetCode(self)
    }
}

/// A reset that waits for the new password. It can be used again after one that the server refuses.
public final class ResetPasswordRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Chooses the password.
    public func submitPassword(password: String, delegate: any ResetPasswordRequiredDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitNewPassword(password, self) }
    }

    /// The twin of ``submitPassword(password:delegate:)``.
    public func submitPassword(password: String) async -> ResetPasswordRequiredOutcome {
        await flow.submitNewPassword(password, self)
    }
}
