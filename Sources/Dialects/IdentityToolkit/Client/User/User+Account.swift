import Foundation
import IdentityToolkitWire

extension User {
    /// Asks the server for the user's data again. Throws `userTokenExpired`, `userDisabled`, `userNotFound` and their like where the session
    /// is over, and then the user is signed out.
    public func reload() async throws { try await refreshProfile() }

    /// As ``reload()``; see ``AuthVoidCompletion``.
    public func reload(completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.reload() }
    }

    /// Gives the account another address at once, which then counts as not verified. All other sessions end.
    ///
    /// Throws `requiresRecentLogin` where the sign-in is too long ago, `emailAlreadyInUse`, and
    /// `emailChangeNeedsVerification` for an account with second factors. A server that hides addresses throws
    /// `operationNotAllowed` for every account that has one.
    @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:), which verifies it first.")
    public func updateEmail(to email: String) async throws {
        guard !email.isEmpty else { throw AuthErrorCode(.missingEmail) }
        try await update(UpdateAccountRequest(email: email))
    }

    /// As ``updateEmail(to:)``; see ``AuthVoidCompletion``.
    @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:), which verifies it first.")
    public func updateEmail(to email: String, completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.updateEmail(to: email) }
    }

    /// Gives the account another password. All other sessions end.
    ///
    /// Throws `requiresRecentLogin` where the sign-in is too long ago, `weakPassword` or `passwordDoesNotMeetRequirements`,
    /// and `missingEmail` for an account without an address.
    public func updatePassword(to password: String) async throws {
        guard !password.isEmpty else { throw AuthErrorCode.refused(.weakPassword, because: "Missing password") }
        try await update(UpdateAccountRequest(password: password))
    }

    /// As ``updatePassword(to:)``; see ``AuthVoidCompletion``.
    public func updatePassword(to password: String, completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.updatePassword(to: password) }
    }

    /// A change of name and picture: set them and commit.
    public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(user: self) }

    /// Changes the account and asks for its data afterwards. The server may have revoked the earlier tokens and sent
    /// others.
    func update(_ request: UpdateAccountRequest) async throws {
        let answer = try await withToken { backend, token in
            var request = request
            request.idToken = token
            request.returnSecureToken = true
            request.tenantId = self.tenantID
            return try await backend.update(request)
        }
        if answer.idToken != nil {
            adopt(
                try SessionTokens(
                    idToken: answer.idToken, refreshToken: answer.refreshToken ?? refreshToken,
                    expiresIn: answer.expiresIn, now: auth.now()))
        }
        try await refreshProfile()
    }

    /// Mails a link that verifies the user's address. Throws `missingEmail` where the account has none.
    public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
        try await sendLink(SendOobCodeRequest(requestType: "VERIFY_EMAIL"), actionCodeSettings)
    }

    /// As ``sendEmailVerification(with:)``; see ``AuthVoidCompletion``.
    public func sendEmailVerification(
        with actionCodeSettings: ActionCodeSettings? = nil, completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
    }

    /// Mails a link to a new address; following it makes the address the user's.
    ///
    /// Throws `requiresRecentLogin` where the sign-in is too long ago, and `emailAlreadyInUse`.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !newEmail.isEmpty else { throw AuthErrorCode(.missingEmail) }
        let request = SendOobCodeRequest(requestType: "VERIFY_AND_CHANGE_EMAIL", newEmail: newEmail)
        try await sendLink(request, actionCodeSettings)
    }

    /// As ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``; see ``AuthVoidCompletion``.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil,
        completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) {
            try await self.sendEmailVerification(
                beforeUpdatingEmail: newEmail, actionCodeSettings: actionCodeSettings)
        }
    }

    private func sendLink(_ request: SendOobCodeRequest, _ settings: ActionCodeSettings?) async throws {
        _ = try await withToken { backend, token in
            var request = request
            request.idToken = token
            request.tenantId = self.tenantID
            settings?.apply(to: &request)
            return try await backend.sendOobCode(request)
        }
    }

    /// Deletes the account at the server and signs the user out.
    ///
    /// Throws `requiresRecentLogin` where the sign-in is too long ago, `adminRestrictedOperation` where users may not delete
    /// their accounts, and `operationNotAllowed` for the last owner of the realm.
    public func delete() async throws {
        _ = try await withToken { backend, token in
            try await backend.delete(DeleteAccountRequest(idToken: token, localId: self.uid, tenantId: self.tenantID))
        }
        auth.forceSignOut(of: self)
    }

    /// As ``delete()``; see ``AuthVoidCompletion``.
    public func delete(completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.delete() }
    }
}
