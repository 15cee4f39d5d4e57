import Foundation
import NativeAuthWire

/// A second factor, and its registration. Source: MSAL for iOS.
extension Flow {
    func requestChallenge(_ method: MSALAuthMethod, _ token: String) async -> MFARequestChallengeOutcome {
        let state = MFARequiredState(self, token: token)
        do {
            let request = ChallengeRequest(
                continuationToken: token, challengeType: client.settings.challengeTypeText, id: method.id)
            guard case .code(let code) = try await challenge(request, at: .challenge) else {
                return .error(MFARequestChallengeError(unexpectedChallenge), newState: nil)
            }
            return .verificationRequired(
                newState: MFARequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            guard error.body?.suberror == .introspectRequired else {
                return .error(MFARequestChallengeError(Reading.challenge(error)), newState: state)
            }
            return await selection(error.body?.continuationToken ?? token, state)
        }
    }

    /// The server wants one of its methods chosen, and says which there are.
    private func selection(_ token: String, _ state: MFARequiredState) async -> MFARequestChallengeOutcome {
        do {
            let (methods, token) = try await methods(at: .introspect, token)
            return .selectionRequired(authMethods: methods, newState: MFARequiredState(self, token: token))
        } catch {
            return .error(MFARequestChallengeError(error), newState: state)
        }
    }

    func submitChallenge(_ challenge: String, _ state: MFARequiredState) async -> MFASubmitChallengeOutcome {
        if challenge.isEmpty { return .error(MFASubmitChallengeError(failure(.invalidChallenge)), newState: state) }
        do {
            let request = TokenRequest(
                grantType: GrantType.mfaOOB.rawValue, continuationToken: state.token, oob: challenge)
            guard case .signedIn(let result) = try await tokens(request) else {
                // There is no third factor.
                return .error(
                    MFASubmitChallengeError(
                        failure(
                            .general, text: ErrorText.unexpectedAnswer, cause: .unexpectedAnswer(status: 400))),
                    newState: nil)
            }
            return .completed(result: result)
        } catch {
            let failure = Reading.token(error)
            let kind = failure.kind == .invalidCode ? ErrorKind.invalidChallenge : failure.kind
            return .error(MFASubmitChallengeError(failure.becoming(kind)), newState: state)
        }
    }

    func challengeContact(
        _ contact: String, _ method: MSALAuthMethod, _ token: String
    ) async -> RegisterStrongAuthChallengeOutcome {
        let state = RegisterStrongAuthState(self, token: token)
        if contact.isEmpty {
            return .error(RegisterStrongAuthChallengeError(failure(.invalidInput)), newState: state)
        }
        let answer: ChallengeResponse
        let code: CodeSent
        do throws(Setback) {
            answer = try await post(
                RegisterChallengeRequest(
                    continuationToken: token, challengeType: method.challengeType, challengeTarget: contact,
                    challengeChannel: method.channelTargetType.value),
                to: .registerChallenge)
            if answer.challengeType == .preverified {
                return await registerPreverified(try self.token(answer.continuationToken))
            }
            guard answer.challengeType == .oob else {
                throw Setback.unexpected(ErrorText.unexpectedChallenge, status: 200, correlationID)
            }
            code = try codeSent(answer, to: answer.challengeTarget ?? answer.challengeTargetLabel)
        } catch {
            return .error(
                RegisterStrongAuthChallengeError(Reading.registerChallenge(error)),
                newState: error.isRedirect ? nil : state)
        }
        return .verificationRequired(
            result: MSALNativeAuthRegisterStrongAuthVerificationRequiredResult(
                newState: RegisterStrongAuthVerificationRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length))
    }

    /// The contact was proven before, at the sign-up say: no code is needed.
    private func registerPreverified(_ token: String) async -> RegisterStrongAuthChallengeOutcome {
        do {
            let registered = try await register(
                RegisterContinueRequest(continuationToken: token, grantType: GrantType.continuationToken.rawValue))
            return .completed(result: try await signIn(registered: registered))
        } catch {
            // Whatever went wrong, this original knows no better word for it here. Source: MSAL for iOS.
            return .error(RegisterStrongAuthChallengeError(error.failure.becoming(.general)), newState: nil)
        }
    }

    func submitRegistration(
        _ challenge: String, _ state: RegisterStrongAuthVerificationRequiredState
    ) async -> RegisterStrongAuthSubmitChallengeOutcome {
        if challenge.isEmpty {
            return .error(RegisterStrongAuthSubmitChallengeError(failure(.invalidChallenge)), newState: state)
        }
        let registered: String
        do {
            registered = try await register(
                RegisterContinueRequest(
                    continuationToken: state.token, grantType: GrantType.oob.rawValue, oob: challenge))
        } catch {
            return .error(
                RegisterStrongAuthSubmitChallengeError(Reading.code(error, as: .invalidChallenge)),
                newState: error.isRedirect ? nil : state)
        }
        do {
            return .completed(result: try await signIn(registered: registered))
        } catch {
            return .error(RegisterStrongAuthSubmitChallengeError(error.failure), newState: nil)
        }
    }

    private func register(_ request: RegisterContinueRequest) async throws(Setback) -> String {
        try token(try await post(request, to: .registerContinue, as: ContinuationResponse.self).continuationToken)
    }

    private func signIn(registered token: String) async throws(Setback) -> MSALNativeAuthUserAccountResult {
        let request = TokenRequest(grantType: GrantType.continuationToken.rawValue, continuationToken: token)
        guard case .signedIn(let result) = try await tokens(request) else {
            throw .unexpected(status: 400, correlationID)
        }
        return result
    }
}
