import Foundation
import NativeAuthWire

/// What the token endpoint leads to.
enum TokenAnswer: Sendable {
    case signedIn(MSALNativeAuthUserAccountResult)
    case secondFactor(token: String)
    case registration(token: String)
}

/// What a sign-in leads to, once the first factor was given.
enum SignInStep: Sendable {
    case signedIn(MSALNativeAuthUserAccountResult)
    case secondFactor([MSALAuthMethod], AwaitingMFAState)
    case registration([MSALAuthMethod], RegisterStrongAuthState)
}

extension Flow {
    /// Requests tokens, stores them, and returns the signed-in user.
    func tokens(_ request: TokenRequest) async throws(Setback) -> TokenAnswer {
        var request = request
        request.scope = Self.scopeText(scopes)
        request.claims = claims
        request.clientInfo = "true"
        if request.grantType == GrantType.password.rawValue || request.grantType == GrantType.continuationToken.rawValue
        {
            request.challengeType = client.settings.challengeTypeText
        }
        do {
            let answer = try await post(request, to: .token, as: TokenResponse.self)
            return .signedIn(try signedIn(answer))
        } catch {
            guard let body = error.body, body.error == .invalidGrant, let token = body.continuationToken else {
                throw error
            }
            switch body.suberror {
            case .mfaRequired?: return .secondFactor(token: token)
            case .registrationRequired?: return .registration(token: token)
            default: throw error
            }
        }
    }

    /// The caller's scopes and then the usual ones, each once. Source: MSAL for iOS.
    static func scopeText(_ scopes: [String]) -> String {
        var text: [String] = []
        for scope in (scopes + defaultScopes) where !scope.isEmpty && !text.contains(scope) { text.append(scope) }
        return text.joined(separator: " ")
    }

    private func signedIn(_ answer: TokenResponse) throws(Setback) -> MSALNativeAuthUserAccountResult {
        guard
            let stored = StoredAccount(
                answer, at: client.environment.now(), host: client.settings.authority.url.host ?? "",
                asked: Self.scopeText(scopes))
        else {
            Log.write(.error, correlationID, "The tokens do not say whose they are.")
            throw .unexpected(status: 200, correlationID)
        }
        client.cache.begin(stored, correlationID)
        Log.write(.info, correlationID, "Signed in: \(id: stored.homeAccountID) \(pii: stored.username)")
        return MSALNativeAuthUserAccountResult(client: client, stored: stored, correlationID: correlationID)
    }

    /// What comes after the first factor: where another is asked for, the methods are fetched.
    func next(after answer: TokenAnswer) async throws(Failure) -> SignInStep {
        switch answer {
        case .signedIn(let result): return .signedIn(result)
        case .secondFactor(let token):
            let (methods, token) = try await methods(at: .introspect, token)
            return .secondFactor(methods, AwaitingMFAState(self, token: token))
        case .registration(let token):
            let (methods, token) = try await methods(at: .registerIntrospect, token)
            return .registration(methods, RegisterStrongAuthState(self, token: token))
        }
    }

    func methods(
        at endpoint: Endpoint, _ token: String
    ) async throws(Failure) -> (methods: [MSALAuthMethod], token: String) {
        do throws(Setback) {
            let answer = try await post(
                ContinuationRequest(continuationToken: token), to: endpoint, as: IntrospectResponse.self)
            let newer = try self.token(answer.continuationToken)
            let methods = answer.methods ?? []
            let known: [ChallengeType] = [.oob, .password, .redirect]
            guard !methods.isEmpty,
                methods.allSatisfy({ ChallengeType(rawValue: $0.challengeType).map(known.contains) == true })
            else { throw Setback.unexpected(status: 200, correlationID) }
            return (methods.map(MSALAuthMethod.init), newer)
        } catch {
            throw error.failure
        }
    }
}
