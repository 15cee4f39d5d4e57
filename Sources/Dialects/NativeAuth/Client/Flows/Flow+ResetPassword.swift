import Foundation
import NativeAuthWire

/// A new password, after a code. Source: MSAL for iOS.
extension Flow {
    func resetPassword() async -> ResetPasswordStartOutcome {
        Log.write(.info, correlationID, "Password reset of \(pii: username)")
        if username.isEmpty { return .error(ResetPasswordStartError(failure(.invalidUsername))) }
        do {
            let settings = client.settings
            let request = InitiateRequest(
                username: username, challengeType: settings.challengeTypeText, capabilities: settings.capabilitiesText)
            let token = try await begin(request, at: .resetPasswordStart)
            guard case .code(let code) = try await resetChallenge(token) else {
                return .error(ResetPasswordStartError(unexpectedChallenge))
            }
            return .codeRequired(
                newState: ResetPasswordCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            return .error(ResetPasswordStartError(Reading.resetStart(error)))
        }
    }

    private func resetChallenge(_ token: String) async throws(Setback) -> Challenge {
        try await challenge(
            ChallengeRequest(continuationToken: token, challengeType: client.settings.challengeTypeText),
            at: .resetPasswordChallenge)
    }

    func resendResetCode(_ state: ResetPasswordCodeRequiredState) async -> ResetPasswordResendCodeOutcome {
        do {
            guard case .code(let code) = try await resetChallenge(state.token) else {
                return .error(ResendCodeError(unexpectedChallenge), newState: nil)
            }
            return .codeRequired(
                newState: ResetPasswordCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            return .error(ResendCodeError(error.failure), newState: nil)
        }
    }

    func submitResetCode(_ code: String, _ state: ResetPasswordCodeRequiredState) async
        -> ResetPasswordVerifyCodeOutcome
    {
        if code.isEmpty { return .error(VerifyCodeError(failure(.invalidCode)), newState: state) }
        do {
            let request = ResetPasswordContinueRequest(
                continuationToken: state.token, grantType: GrantType.oob.rawValue, oob: code)
            let answer = try await post(
                request, to: .resetPasswordContinue, as: ResetPasswordContinueResponse.self)
            return .passwordRequired(
                newState: ResetPasswordRequiredState(self, token: try token(answer.continuationToken)))
        } catch {
            let failure = Reading.code(error, as: .invalidCode)
            return .error(VerifyCodeError(failure), newState: failure.kind == .invalidCode ? state : nil)
        }
    }

    func submitNewPassword(_ password: String, _ state: ResetPasswordRequiredState) async
        -> ResetPasswordRequiredOutcome
    {
        if password.isEmpty { return .error(PasswordRequiredError(failure(.invalidPassword)), newState: state) }
        let submitted: (token: String, interval: TimeInterval)
        do {
            let request = ResetPasswordSubmitRequest(continuationToken: state.token, newPassword: password)
            let answer = try await post(request, to: .resetPasswordSubmit, as: ResetPasswordSubmitResponse.self)
            submitted = (try token(answer.continuationToken), Self.pollInterval(answer.pollInterval))
        } catch {
            let failure = Reading.newPassword(error)
            return .error(PasswordRequiredError(failure), newState: failure.kind == .invalidPassword ? state : nil)
        }
        return await poll(submitted.token, every: submitted.interval)
    }

    /// Seconds between two questions: two where the server says nothing sensible, and never more than a minute.
    static func pollInterval(_ seconds: Int?) -> TimeInterval {
        guard let seconds, seconds > 0 else { return 2 }
        return TimeInterval(min(seconds, 60))
    }

    /// How often it is asked again. Source: MSAL for iOS.
    static let pollRetries = 5

    /// Asks until the new password is in force, always with the same token.
    private func poll(_ token: String, every interval: TimeInterval) async -> ResetPasswordRequiredOutcome {
        do {
            var retries = 0
            while true {
                let answer = try await post(
                    ContinuationRequest(continuationToken: token), to: .resetPasswordPoll,
                    as: ResetPasswordPollResponse.self)
                switch answer.status {
                case .succeeded:
                    return .completed(newState: SignInAfterResetPasswordState(self, token: answer.continuationToken))
                case .failed:
                    Log.write(.error, correlationID, "The reset failed.")
                    return .error(PasswordRequiredError(failure(.general)), newState: nil)
                case .inProgress, .notStarted:
                    guard retries < Self.pollRetries else {
                        Log.write(.error, correlationID, "The reset takes too long.")
                        return .error(PasswordRequiredError(failure(.general)), newState: nil)
                    }
                    retries += 1
                    try await pause(interval)
                }
            }
        } catch {
            let failure = Reading.newPassword(error)
            let next = failure.kind == .invalidPassword ? ResetPasswordRequiredState(self, token: token) : nil
            return .error(PasswordRequiredError(failure), newState: next)
        }
    }

    private func pause(_ seconds: TimeInterval) async throws(Setback) {
        do {
            try await client.environment.pause(seconds)
        } catch {
            throw .unreachable(error, correlationID)
        }
    }
}
