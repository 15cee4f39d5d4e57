import Foundation
import NativeAuthWire

/// Sign-up with a code, and with a password and attributes where they are asked for. Source: MSAL for iOS.
extension Flow {
    func signUp(password: String?, attributes: AttributesText) async -> SignUpStartOutcome {
        Log.write(.info, correlationID, "Sign-up of \(pii: username)")
        if username.isEmpty { return .error(SignUpStartError(failure(.invalidUsername))) }
        if password?.isEmpty == true { return .error(SignUpStartError(failure(.invalidPassword))) }
        let written: String?
        do {
            written = try attributes.written(correlationID)
        } catch {
            return .error(SignUpStartError(error))
        }
        let token: String
        do {
            token = try await begin(startRequest(password, written), at: .signUpStart)
        } catch {
            if let names = error.body?.wrongAttributes { return .attributesInvalid(attributeNames: names) }
            return .error(SignUpStartError(Reading.signUpStart(error)))
        }
        do {
            guard case .code(let code) = try await signUpChallenge(token) else {
                return .error(SignUpStartError(unexpectedChallenge))
            }
            return .codeRequired(
                newState: SignUpCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            return .error(SignUpStartError(error.failure))
        }
    }

    private func startRequest(_ password: String?, _ attributes: String?) -> SignUpStartRequest {
        SignUpStartRequest(
            username: username, password: password, attributes: attributes,
            challengeType: client.settings.challengeTypeText, capabilities: client.settings.capabilitiesText)
    }

    private func signUpChallenge(_ token: String) async throws(Setback) -> Challenge {
        try await challenge(
            ChallengeRequest(continuationToken: token, challengeType: client.settings.challengeTypeText),
            at: .signUpChallenge)
    }

    /// What a step of a sign-up leads to.
    private enum SignUpStep {
        case completed(SignInAfterSignUpState)
        case attributes([MSALNativeAuthRequiredAttribute], SignUpAttributesRequiredState)
        /// Nothing of the two.
        case setback(Setback)
    }

    private func continueSignUp(_ request: SignUpContinueRequest) async -> SignUpStep {
        do {
            // Without a token the account is made all the same, but cannot be signed in from here.
            let answer = try await post(request, to: .signUpContinue, as: ContinuationResponse.self)
            return .completed(SignInAfterSignUpState(self, token: answer.continuationToken))
        } catch {
            guard let missing = error.body?.missingAttributes else { return .setback(error) }
            return .attributes(
                missing.attributes.map(MSALNativeAuthRequiredAttribute.init),
                SignUpAttributesRequiredState(self, token: missing.token))
        }
    }

    func submitSignUpCode(_ code: String, _ state: SignUpCodeRequiredState) async -> SignUpVerifyCodeOutcome {
        if code.isEmpty { return .error(VerifyCodeError(failure(.invalidCode)), newState: state) }
        let request = SignUpContinueRequest(
            continuationToken: state.token, grantType: GrantType.oob.rawValue, oob: code)
        switch await continueSignUp(request) {
        case .completed(let next): return .completed(newState: next)
        case .attributes(let attributes, let next): return .attributesRequired(attributes: attributes, newState: next)
        case .setback(let setback):
            if let body = setback.body, body.error == .credentialRequired, let token = body.continuationToken {
                return await askForPassword(token)
            }
            let failure = Reading.signUpCode(setback)
            return .error(VerifyCodeError(failure), newState: failure.kind == .invalidCode ? state : nil)
        }
    }

    /// The code was right and a password is missing.
    private func askForPassword(_ token: String) async -> SignUpVerifyCodeOutcome {
        do {
            guard case .password(let token) = try await signUpChallenge(token) else {
                return .error(VerifyCodeError(unexpectedChallenge), newState: nil)
            }
            return .passwordRequired(newState: SignUpPasswordRequiredState(self, token: token))
        } catch {
            return .error(VerifyCodeError(error.failure), newState: nil)
        }
    }

    func resendSignUpCode(_ state: SignUpCodeRequiredState) async -> SignUpResendCodeOutcome {
        do {
            guard case .code(let code) = try await signUpChallenge(state.token) else {
                return .error(ResendCodeError(unexpectedChallenge), newState: nil)
            }
            return .codeRequired(
                newState: SignUpCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            return .error(ResendCodeError(error.failure), newState: error.body == nil ? nil : state)
        }
    }

    func submitSignUpPassword(
        _ password: String, _ state: SignUpPasswordRequiredState
    ) async -> SignUpPasswordRequiredOutcome {
        if password.isEmpty { return .error(PasswordRequiredError(failure(.invalidPassword)), newState: state) }
        let request = SignUpContinueRequest(
            continuationToken: state.token, grantType: GrantType.password.rawValue, password: password)
        switch await continueSignUp(request) {
        case .completed(let next): return .completed(newState: next)
        case .attributes(let attributes, let next): return .attributesRequired(attributes: attributes, newState: next)
        case .setback(let setback):
            let failure = Reading.newPassword(setback)
            return .error(PasswordRequiredError(failure), newState: failure.kind == .invalidPassword ? state : nil)
        }
    }

    func submitAttributes(
        _ attributes: AttributesText, _ state: SignUpAttributesRequiredState
    ) async -> SignUpAttributesRequiredOutcome {
        let request: SignUpContinueRequest
        do {
            request = SignUpContinueRequest(
                continuationToken: state.token, grantType: GrantType.attributes.rawValue,
                attributes: try attributes.written(correlationID) ?? "{}")
        } catch {
            return .error(AttributesRequiredError(error))
        }
        switch await continueSignUp(request) {
        case .completed(let next): return .completed(newState: next)
        case .attributes(let attributes, let next): return .attributesRequired(attributes: attributes, newState: next)
        case .setback(let setback):
            if let names = setback.body?.wrongAttributes {
                return .attributesInvalid(attributeNames: names, newState: state)
            }
            return .error(AttributesRequiredError(setback.failure))
        }
    }
}
