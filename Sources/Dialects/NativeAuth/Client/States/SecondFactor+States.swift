import Foundation

/// A sign-in that waits until a second factor is chosen.
public final class AwaitingMFAState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Has a code sent.
    public func requestChallenge(authMethod: MSALAuthMethod, delegate: any MFARequestChallengeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.requestChallenge(authMethod, self.token) }
    }

    /// The twin of ``requestChallenge(authMethod:delegate:)``.
    public func requestChallenge(authMethod: MSALAuthMethod) async -> MFARequestChallengeOutcome {
        await flow.requestChallenge(authMethod, token)
    }
}

/// A sign-in that waits for a second factor's code. It can be used again after a wrong one.
public final class MFARequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Has another code sent, or one to another contact.
    public func requestChallenge(authMethod: MSALAuthMethod, delegate: any MFARequestChallengeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.requestChallenge(authMethod, self.token) }
    }

    /// The twin of ``requestChallenge(authMethod:delegate:)``.
    public func requestChallenge(authMethod: MSALAuthMethod) async -> MFARequestChallengeOutcome {
        await flow.requestChallenge(authMethod, token)
    }

    /// Gives the code.
    public func submitChallenge(challenge: String, delegate: any MFASubmitChallengeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitChallenge(challenge, self) }
    }

    /// The twin of ``submitChallenge(challenge:delegate:)``.
    public func submitChallenge(challenge: String) async -> MFASubmitChallengeOutcome {
        await flow.submitChallenge(challenge, self)
    }
}

/// A sign-in that waits until a second factor is registered.
public final class RegisterStrongAuthState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Has a code sent to the contact.
    public func challengeAuthMethod(
        parameters: MSALNativeAuthChallengeAuthMethodParameters, delegate: any RegisterStrongAuthChallengeDelegate
    ) {
        let (method, contact) = (parameters.authMethod, parameters.verificationContact)
        answer(delegate, flow.correlationID) { await self.flow.challengeContact(contact, method, self.token) }
    }

    /// The twin of ``challengeAuthMethod(parameters:delegate:)``.
    nonisolated(nonsending) public func challengeAuthMethod(parameters: MSALNativeAuthChallengeAuthMethodParameters)
        async
        -> RegisterStrongAuthChallengeOutcome
    {
        let (method, contact) = (parameters.authMethod, parameters.verificationContact)
        return await flow.challengeContact(contact, method, token)
    }
}

/// A registration that waits for a code. It can be used again after a wrong one.
public final class RegisterStrongAuthVerificationRequiredState: NSObject, Sendable {
    let flow: Flow
    let token: String

    init(_ flow: Flow, token: String) {
        self.flow = flow
        self.token = token
    }

    /// Gives the code.
    public func submitChallenge(challenge: String, delegate: any RegisterStrongAuthSubmitChallengeDelegate) {
        answer(delegate, flow.correlationID) { await self.flow.submitRegistration(challenge, self) }
    }

    /// The twin of ``submitChallenge(challenge:delegate:)``.
    public func submitChallenge(challenge: String) async -> RegisterStrongAuthSubmitChallengeOutcome {
        await flow.submitRegistration(challenge, self)
    }

    /// Has another code sent, or one to another contact.
    public func challengeAuthMethod(
        parameters: MSALNativeAuthChallengeAuthMethodParameters, delegate: any RegisterStrongAuthChallengeDelegate
    ) {
        let (method, contact) = (parameters.authMethod, parameters.verificationContact)
        answer(delegate, flow.correlationID) { await self.flow.challengeContact(contact, method, self.token) }
    }

    /// The twin of ``challengeAuthMethod(parameters:delegate:)``.
    nonisolated(nonsending) public func challengeAuthMethod(parameters: MSALNativeAuthChallengeAuthMethodParameters)
        async
        -> RegisterStrongAuthChallengeOutcome
    {
        let (method, contact) = (parameters.authMethod, parameters.verificationContact)
        return await flow.challengeContact(contact, method, token)
    }
}
