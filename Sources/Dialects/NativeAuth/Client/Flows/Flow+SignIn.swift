import Foundation
import NativeAuthWire

/// Sign-in by password or code. Source: MSAL for iOS.
extension Flow {
    func signIn(password: String?) async -> SignInStartOutcome {
        Log.write(.info, correlationID, "Sign-in of \(pii: username)")
        if username.isEmpty { return .error(SignInStartError(failure(.invalidUsername))) }
        if password?.isEmpty == true { return .error(SignInStartError(failure(.invalidCredentials))) }
        do throws(Failure) {
            switch try await firstChallenge() {
            case .code(let code):
                if password != nil {
                    Log.write(.warning, correlationID, "A code is asked for: the password is not used.")
                }
                return .codeRequired(
                    newState: SignInCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                    channelTargetType: code.channel, codeLength: code.length)
            case .password(let token):
                guard let password else {
                    return .passwordRequired(newState: SignInPasswordRequiredState(self, token: token))
                }
                let answer = try await tokens(password: password, token)
                return SignInStartOutcome(try await next(after: answer))
            }
        } catch {
            return .error(SignInStartError(error))
        }
    }

    private func firstChallenge() async throws(Failure) -> Challenge {
        do {
            let settings = client.settings
            let request = InitiateRequest(
                username: username, challengeType: settings.challengeTypeText, capabilities: settings.capabilitiesText)
            let token = try await begin(request, at: .initiate)
            return try await challenge(
                ChallengeRequest(continuationToken: token, challengeType: settings.challengeTypeText), at: .challenge)
        } catch {
            throw Reading.initiate(error)
        }
    }

    private func tokens(password: String, _ token: String) async throws(Failure) -> TokenAnswer {
        do {
            return try await tokens(
                TokenRequest(
                    grantType: GrantType.password.rawValue, continuationToken: token, username: username,
                    password: password))
        } catch {
            throw Reading.token(error)
        }
    }

    func submitSignInPassword(
        _ password: String, _ state: SignInPasswordRequiredState
    ) async -> SignInPasswordRequiredOutcome {
        if password.isEmpty { return .error(PasswordRequiredError(failure(.invalidPassword)), newState: state) }
        let answer: TokenAnswer
        do {
            answer = try await tokens(password: password, state.token)
        } catch {
            guard error.kind == .invalidCredentials else {
                return .error(PasswordRequiredError(error), newState: state)
            }
            // The server's text is about both address and password. Source: MSAL for iOS.
            var failure = error.becoming(.invalidPassword)
            failure.text = nil
            return .error(PasswordRequiredError(failure), newState: state)
        }
        do {
            return SignInPasswordRequiredOutcome(try await next(after: answer))
        } catch {
            return .error(PasswordRequiredError(error), newState: nil)
        }
    }

    func submitSignInCode(_ code: String, _ state: SignInCodeRequiredState) async -> SignInVerifyCodeOutcome {
        if code.isEmpty { return .error(VerifyCodeError(failure(.invalidCode)), newState: state) }
        let answer: TokenAnswer
        do {
            answer = try await tokens(
                TokenRequest(grantType: GrantType.oob.rawValue, continuationToken: state.token, oob: code))
        } catch {
            return .error(VerifyCodeError(Reading.token(error)), newState: state)
        }
        do {
            return SignInVerifyCodeOutcome(try await next(after: answer))
        } catch {
            return .error(VerifyCodeError(error), newState: nil)
        }
    }

    func resendSignInCode(_ state: SignInCodeRequiredState) async -> SignInResendCodeOutcome {
        do {
            let request = ChallengeRequest(
                continuationToken: state.token, challengeType: client.settings.challengeTypeText)
            guard case .code(let code) = try await challenge(request, at: .challenge) else {
                return .error(ResendCodeError(unexpectedChallenge), newState: nil)
            }
            return .codeRequired(
                newState: SignInCodeRequiredState(self, token: code.token), sentTo: code.sentTo,
                channelTargetType: code.channel, codeLength: code.length)
        } catch {
            return .error(ResendCodeError(error.failure), newState: state)
        }
    }

    func signInAfterSignUp(_ token: String?) async -> SignInAfterSignUpOutcome {
        do {
            return SignInAfterSignUpOutcome(try await signIn(after: token))
        } catch {
            return .error(SignInAfterSignUpError(error))
        }
    }

    func signInAfterReset(_ token: String?) async -> SignInAfterResetPasswordOutcome {
        do {
            return SignInAfterResetPasswordOutcome(try await signIn(after: token))
        } catch {
            return .error(SignInAfterResetPasswordError(error))
        }
    }

    private func signIn(after token: String?) async throws(Failure) -> SignInStep {
        guard let token else { throw failure(.general, text: ErrorText.signInUnavailable) }
        let answer: TokenAnswer
        do {
            answer = try await tokens(
                TokenRequest(
                    grantType: GrantType.continuationToken.rawValue, continuationToken: token, username: username))
        } catch {
            throw error.failure
        }
        // The original has no second factor here (native-auth 2.7): a sign-in of its own does.
        if case .secondFactor = answer {
            throw failure(
                .general, text: ErrorText.signInUnavailable,
                cause: .refused(status: 400, ErrorWord.invalidGrant.rawValue, Suberror.mfaRequired.rawValue))
        }
        return try await next(after: answer)
    }
}
