import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:signUp`: makes an account; or, with an ID token, gives an account an address and a password. With an
    /// administrator's bearer it is the administrator's.
    func signUp(_ request: SignUpRequest, _ call: Call) async throws -> SignUpResponse {
        if call.isAdministrator { return try await createAccount(request, call) }
        try requireProject(request.targetProjectId)
        if request.localId != nil { throw IdentityToolkitError(.unexpectedParameter, "User ID") }
        if request.idToken != nil { return try await link(request, call) }
        let isAnonymous = request.email == nil && request.password == nil
        let email = isAnonymous ? nil : try address(request.email, empty: .invalidEmail)
        if !isAnonymous && (request.password ?? "").isEmpty { throw IdentityToolkitError(.missingPassword) }
        guard isAnonymous || call.settings.identityToolkit.allowsEmail else {
            throw IdentityToolkitError(.operationNotAllowed)
        }
        try checkProfile(displayName: request.displayName)
        let outcome = try await realm.accounts.signUp(
            email: email, password: request.password.map { Secret($0) }, displayName: request.displayName,
            by: call.client)
        switch outcome {
        case .refused(let refusal): throw IdentityToolkitError(account: refusal)
        case .signedUp(let signedIn):
            let (idToken, lifetime) = try await tokens(call).idToken(for: signedIn)
            return SignUpResponse(
                localId: signedIn.user.id.rawValue, email: signedIn.user.email?.canonical,
                displayName: signedIn.user.profile.displayName, idToken: idToken,
                refreshToken: signedIn.refreshToken.reveal(), expiresIn: Int64String(Int64(lifetime)))
        }
    }

    /// Turns an anonymous account into one with address and password.
    func link(_ request: SignUpRequest, _ call: Call) async throws -> SignUpResponse {
        _ = try address(request.email, empty: .invalidEmail)
        guard let password = request.password, !password.isEmpty else { throw IdentityToolkitError(.missingPassword) }
        let changed = try await update(
            UpdateAccountRequest(
                idToken: request.idToken, email: request.email, password: request.password,
                displayName: request.displayName, returnSecureToken: true),
            call)
        return SignUpResponse(
            localId: changed.localId, email: changed.email, displayName: changed.displayName,
            idToken: changed.idToken, refreshToken: changed.refreshToken, expiresIn: changed.expiresIn)
    }

    /// Refuses what would make ID tokens, which carry it, too large to be read.
    func checkProfile(displayName: String?, photoURL: String? = nil) throws {
        if let displayName, displayName.unicodeScalars.count > 256 {
            throw IdentityToolkitError(.invalidProfileAttribute, "Display name too long.")
        }
        if let photoURL, photoURL.utf8.count > 2048 {
            throw IdentityToolkitError(.invalidProfileAttribute, "Photo URL too long.")
        }
    }

    /// An address out of a request.
    /// - Parameter empty: what an address without characters is; nil where it is as good as none.
    func address(
        _ text: String?, missing: ErrorWord = .missingEmail, empty: ErrorWord? = nil,
        invalid: ErrorWord = .invalidEmail
    ) throws -> EmailAddress {
        guard let text else { throw IdentityToolkitError(missing) }
        guard !text.isEmpty else { throw IdentityToolkitError(empty ?? missing) }
        guard let email = EmailAddress(text) else { throw IdentityToolkitError(invalid) }
        return email
    }
}
