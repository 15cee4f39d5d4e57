import Foundation
import IdentityToolkitWire

extension Auth {
    /// Mails a link with which the password can be set again. Servers that hide which addresses have accounts succeed
    /// for any; others throw `userNotFound`.
    ///
    /// Throws `tooManyRequests` after too many mails, `operationNotAllowed` where passwords are switched off, and
    /// `unauthorizedDomain` or `invalidContinueURI` for the settings' URL.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !email.isEmpty else { throw AuthErrorCode(.missingEmail) }
        try await sendLink(SendOobCodeRequest(requestType: "PASSWORD_RESET", email: email), actionCodeSettings)
    }

    /// As ``sendPasswordReset(withEmail:actionCodeSettings:)``; see ``AuthVoidCompletion``.
    public func sendPasswordReset(
        withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil, completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) {
            try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    /// Mails a link that signs in, and makes the account where there is none and sign-up is open. The settings must have a
    /// URL and `handleCodeInApp`; otherwise `missingContinueURI` or `invalidArgument` is thrown at once.
    ///
    /// Throws `operationNotAllowed` where links are switched off, `tooManyRequests` after too many mails, and
    /// `unauthorizedDomain` or `invalidContinueURI` for the settings' URL.
    public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) async throws {
        guard !email.isEmpty else { throw AuthErrorCode(.missingEmail) }
        guard actionCodeSettings.url != nil else { throw AuthErrorCode(.missingContinueURI) }
        guard actionCodeSettings.handleCodeInApp else {
            throw AuthErrorCode.refused(.invalidArgument, because: "handleCodeInApp must be true for sign-in links.")
        }
        try await sendLink(SendOobCodeRequest(requestType: "EMAIL_SIGNIN", email: email), actionCodeSettings)
    }

    /// As ``sendSignInLink(toEmail:actionCodeSettings:)``; see ``AuthVoidCompletion``.
    public func sendSignInLink(
        toEmail email: String, actionCodeSettings: ActionCodeSettings, completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) {
            try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings)
        }
    }

    private func sendLink(_ request: SendOobCodeRequest, _ settings: ActionCodeSettings?) async throws {
        var request = request
        request.tenantId = tenantID
        request.clientType = clientType
        settings?.apply(to: &request)
        _ = try await backend.sendOobCode(request)
    }

    /// Whether this is a link that signs in.
    public func isSignIn(withEmailLink link: String) -> Bool {
        ActionCodeURL(link: link)?.operation == .emailLink
    }

    /// Sets a new password with the code of a mailed link. Throws `invalidActionCode`, `expiredActionCode` or
    /// `weakPassword`.
    public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
        // A request without a password would only ask what the code is for, and succeed.
        guard !newPassword.isEmpty else { throw AuthErrorCode.refused(.weakPassword, because: "Missing password") }
        _ = try await backend.resetPassword(
            ResetPasswordRequest(oobCode: code, newPassword: newPassword, tenantId: tenantID))
    }

    /// As ``confirmPasswordReset(withCode:newPassword:)``; see ``AuthVoidCompletion``.
    public func confirmPasswordReset(
        withCode code: String, newPassword: String, completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) { try await self.confirmPasswordReset(withCode: code, newPassword: newPassword) }
    }

    /// What the code of a mailed link is for. The code is not used up.
    ///
    /// Throws `invalidActionCode` or `expiredActionCode`; and `malformedResponse` for a code that signs in, whose address
    /// this server does not name.
    public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
        let answer = try await backend.resetPassword(ResetPasswordRequest(oobCode: code, tenantId: tenantID))
        guard let email = answer.email else { throw AuthErrorCode.malformed("The answer names no address.") }
        return ActionCodeInfo(
            operation: ActionCodeOperation(requestType: answer.requestType), email: email, newEmail: answer.newEmail)
    }

    /// As ``checkActionCode(_:)``; see ``AuthCompletion``.
    public func checkActionCode(_ code: String, completion: AuthCompletion<ActionCodeInfo>? = nil) {
        complete(completion) { try await self.checkActionCode(code) }
    }

    /// The address whose password a code may set. Throws `invalidActionCode` for codes of another kind, too.
    public func verifyPasswordResetCode(_ code: String) async throws -> String {
        let info = try await checkActionCode(code)
        guard info.operation == .passwordReset else { throw AuthErrorCode(.invalidActionCode) }
        return info.email
    }

    /// As ``verifyPasswordResetCode(_:)``; see ``AuthCompletion``.
    public func verifyPasswordResetCode(_ code: String, completion: AuthCompletion<String>? = nil) {
        complete(completion) { try await self.verifyPasswordResetCode(code) }
    }

    /// Does what the code of a mailed link is for: verifies an address, or makes a new one the account's.
    ///
    /// Throws `invalidActionCode` for codes of other kinds too, and `expiredActionCode`. A code that takes a change of the
    /// address back is for this server's own page.
    public func applyActionCode(_ code: String) async throws {
        _ = try await backend.update(UpdateAccountRequest(oobCode: code, tenantId: tenantID))
    }

    /// As ``applyActionCode(_:)``; see ``AuthVoidCompletion``.
    public func applyActionCode(_ code: String, completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.applyActionCode(code) }
    }
}
