import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:update`: changes the account of an ID token, or applies the code of a mailed link. With an
    /// administrator's bearer alone it is the administrator's.
    func update(_ request: UpdateAccountRequest, _ call: Call) async throws -> UpdateAccountResponse {
        try requireProject(request.targetProjectId)
        if let code = request.oobCode { return try await apply(code: code, call) }
        if call.isAdministrator, request.idToken == nil { return try await updateAccount(request, call) }
        let bearer = try await tokens(call).bearer(request.idToken, missing: .missingIDToken)
        if let ids = request.deletePasskey, !ids.isEmpty { try await deletePasskeys(ids, of: bearer.session, call) }
        let change = try await accountChange(request, bearer, call)
        let continues = change.needsRecentSignIn || request.returnSecureToken == true
        let outcome = try await realm.accounts.change(
            bearer.user.id, change,
            continuing: continues ? bearer.evidence.upgraded(by: change, at: realm.clock.now) : nil,
            of: bearer.session, by: call.client)
        switch outcome {
        case .refused(let refusal): throw IdentityToolkitError(account: refusal)
        case .changed(let user, let signedIn):
            var response = try await updateResponse(for: user)
            if request.email != nil { response.newEmail = response.email }
            if let signedIn {
                let (idToken, lifetime) = try await tokens(call).idToken(for: signedIn)
                response.idToken = idToken
                response.refreshToken = signedIn.refreshToken.reveal()
                response.expiresIn = Int64String(Int64(lifetime))
            }
            return response
        }
    }

    private func accountChange(
        _ request: UpdateAccountRequest, _ bearer: IDTokens.Bearer, _ call: Call
    ) async throws -> AccountChange {
        try checkProfile(displayName: request.displayName, photoURL: request.photoUrl)
        var change = AccountChange()
        if let text = request.email {
            let email = try address(text)
            if email != bearer.user.email {
                // "Working with multi-factor users" in Identity Platform's documentation: by `verifyBeforeUpdateEmail`
                // alone.
                guard try await realm.enrolments.secondFactors(of: bearer.user.id).isEmpty else {
                    throw IdentityToolkitError(
                        .emailChangeNeedsVerification, "Multi-factor users must always have a verified email.")
                }
                // A changed address would take the account along before its new owner has agreed.
                guard bearer.user.email == nil || call.client.revealsAddresses else {
                    throw IdentityToolkitError(
                        .operationNotAllowed, "Please verify the new email before changing email.")
                }
                change.email = .some(email)
            }
        }
        if let password = request.password {
            guard !password.isEmpty else { throw IdentityToolkitError(.missingPassword) }
            guard call.settings.identityToolkit.allowsEmail else { throw IdentityToolkitError(.operationNotAllowed) }
            guard bearer.user.email != nil || change.email != nil else { throw IdentityToolkitError(.missingEmail) }
            change.password = Secret(password)
        }
        if let name = request.displayName { change.displayName = .some(name.isEmpty ? nil : name) }
        if let url = request.photoUrl { change.photoURL = .some(url.isEmpty ? nil : url) }
        for attribute in try Enumeration.userAttribute.words(
            request.deleteAttribute ?? [], at: { _ in "delete_attribute" })
        {
            switch attribute {
            case "DISPLAY_NAME": change.displayName = .some(nil)
            case "PHOTO_URL": change.photoURL = .some(nil)
            case "PASSWORD": change.removesPassword = true
            default: break
            }
        }
        if request.deleteProvider?.contains("password") == true { change.removesPassword = true }
        // Whatever instant is named: of one's own tokens all are revoked, and this session goes on with fresh ones, as in
        // the emulator.
        if request.validSince != nil { change.revokesTokensAt = realm.clock.now }
        return change
    }

    private func apply(code: String, _ call: Call) async throws -> UpdateAccountResponse {
        guard !code.isEmpty else { throw IdentityToolkitError(.missingOOBCode) }
        let verdict = try await realm.authenticator.answer(
            .link(), to: .flow(FlowHandle(code), .oobCode(.verifyEmail, .changeEmail)), by: call.client)
        switch verdict {
        case .accomplished(.emailVerified(let user)): return try await updateResponse(for: user)
        case .accomplished(.emailChanged(let user)):
            var response = try await updateResponse(for: user)
            response.newEmail = response.email
            return response
        case .refused(let refusal): throw IdentityToolkitError(link: refusal)
        default: throw IdentityToolkitError.internal
        }
    }

    func updateResponse(for user: User) async throws -> UpdateAccountResponse {
        let factors = try await realm.accounts.userAndFactors(user.id)?.factors ?? []
        let account = Account(user, factors: factors)
        return UpdateAccountResponse(
            localId: account.localId, email: account.email, emailVerified: account.emailVerified,
            displayName: account.displayName, photoUrl: account.photoUrl, passwordHash: account.passwordHash,
            providerUserInfo: account.providerUserInfo)
    }
}

extension SessionEvidence {
    /// An anonymous session whose account was just given a password goes on as one that knows the password.
    fileprivate func upgraded(by change: AccountChange, at now: Date) -> SessionEvidence {
        guard change.password != nil, proofs.first?.kind == .anonymous else { return self }
        var evidence = self
        evidence.proofs = [Proof(kind: .password, at: now)]
        return evidence
    }
}
