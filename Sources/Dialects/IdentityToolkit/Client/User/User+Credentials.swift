import Foundation
import IdentityToolkitWire

extension User {
    /// Signs in to the same account again, as calls ask for that need a recent sign-in; the session becomes the new
    /// one.
    ///
    /// Throws `userMismatch` where the credential is another account's, and `secondFactorRequired` where the account
    /// has a second factor: finish with the resolver, whose user becomes the signed-in one. Source: Firebase API
    /// reference for Swift, `User`.
    @discardableResult
    public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
        let result: AuthDataResult
        do {
            result = try await auth.authenticate(with: credential)
        } catch let error as AuthErrorCode where error.code == .userNotFound {
            throw AuthErrorCode(.userMismatch)
        }
        guard result.user.uid == uid else { throw AuthErrorCode(.userMismatch) }
        adoptSession(of: result.user)
        return AuthDataResult(user: self, additionalUserInfo: result.additionalUserInfo)
    }

    /// As ``reauthenticate(with:)``; see ``AuthCompletion``.
    public func reauthenticate(with credential: AuthCredential, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.reauthenticate(with: credential) }
    }

    /// Adds a way of signing in to the account: a password, or the address of a mailed link.
    ///
    /// Throws `providerAlreadyLinked` where the account has it already, `emailAlreadyInUse` where another account
    /// does.
    @discardableResult
    public func link(with credential: AuthCredential) async throws -> AuthDataResult {
        guard let credential = credential as? EmailAuthCredential else {
            throw AuthErrorCode.refused(.operationNotAllowed, because: "Only addresses can be linked here.")
        }
        guard !profile.providers.contains(where: { $0.providerID == EmailAuthProvider.id }) else {
            throw AuthErrorCode(.providerAlreadyLinked)
        }
        let tokens = try await withToken { backend, token in
            try await self.link(credential, by: backend, token)
        }
        changeProfile { $0.isAnonymous = false }
        adopt(tokens)
        try await refreshProfile()
        return AuthDataResult(
            user: self, additionalUserInfo: AdditionalUserInfo(providerID: credential.provider, isNewUser: false))
    }

    private func link(
        _ credential: EmailAuthCredential, by backend: Backend, _ token: String
    ) async throws -> SessionTokens {
        switch credential.secret {
        case .password(let password):
            guard !password.isEmpty else { throw AuthErrorCode.refused(.weakPassword, because: "Missing password") }
            let answer = try await backend.signUp(
                SignUpRequest(
                    email: credential.email, password: password, idToken: token, tenantId: tenantID,
                    returnSecureToken: true, clientType: clientType))
            return try SessionTokens(
                idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn,
                now: auth.now())
        case .link(let link):
            let answer = try await backend.signIn(
                SignInWithEmailLinkRequest(
                    email: credential.email, oobCode: try ActionCodeURL.code(ofSignInLink: link), idToken: token,
                    returnSecureToken: true, tenantId: tenantID, clientType: clientType))
            return try SessionTokens(
                idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn,
                now: auth.now())
        }
    }

    /// As ``link(with:)``; see ``AuthCompletion``.
    public func link(with credential: AuthCredential, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.link(with: credential) }
    }

    /// Takes a way of signing in from the account. Throws `noSuchProvider` where it does not have it.
    public func unlink(fromProvider provider: String) async throws -> User {
        guard profile.providers.contains(where: { $0.providerID == provider }) else {
            throw AuthErrorCode(.noSuchProvider)
        }
        try await update(UpdateAccountRequest(deleteProvider: [provider]))
        return self
    }

    /// As ``unlink(fromProvider:)``; see ``AuthCompletion``.
    public func unlink(fromProvider provider: String, completion: AuthCompletion<User>? = nil) {
        complete(completion) { try await self.unlink(fromProvider: provider) }
    }
}
