import Foundation

/// A sign-up that waits for a code. It can be used again after a wrong one.
public final class SignUpCodeRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives the code.
    public func submitCode(code: String, delegate: any SignUpVerifyCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitSignUpCode(code, self) }
    }

    /// The twin of ``submitCode(code:delegate:)``.
    public func submitCode(code: String) async -> SignUpVerifyCodeOutcome {
        await flow.submitSignUpCode(code, self)
    }

    /// Has another code sent; the former one is not good any more.
    public func resendCode(delegate: any SignUpResendCodeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.resendSignUpCode(self) }
    }

    /// The twin of ``resendCode(delegate:)``.
    public func resendCode() async -> SignUpResendCodeOutcome {
        await flow.resendSignUpCode(self)
    }
}

/// A sign-up that waits for a password. It can be used again after one that the server refuses.
public final class SignUpPasswordRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Chooses the password.
    public func submitPassword(password: String, delegate: any SignUpPasswordRequiredDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitSignUpPassword(password, self) }
    }

    /// The twin of ``submitPassword(password:delegate:)``.
    public func submitPassword(password: String) async -> SignUpPasswordRequiredOutcome {
        await flow.submitSignUpPassword(password, self)
    }
}

/// A sign-up that waits for attributes.
public final class SignUpAttributesRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives attributes by their names; values must be JSON.
    public func submitAttributes(attributes: [String: Any], delegate: any SignUpAttributesRequiredDelegate) {
        let text = AttributesText(attributes)
        answer(delegate, flow.correlationID) { await self.flow.submitAttributes(text, self) }
    }

    /// The twin of ``submitAttributes(attributes:delegate:)``.
    nonisolated(nonsending) public func submitAttributes(attributes: [String: Any]) async
        -> SignUpAttributesRequiredOutcome
    {
        let text = AttributesText(attributes)
        return await flow.submitAttributes(text, self)
    }
}
