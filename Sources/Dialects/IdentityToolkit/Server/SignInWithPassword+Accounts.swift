import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:signInWithPassword`: tokens, or a pending credential and the second factors to choose from.
    func signInWithPassword(
        _ request: SignInWithPasswordRequest, _ call: Call
    ) async throws -> SignInWithPasswordResponse {
        guard call.settings.identityToolkit.allowsEmail else { throw IdentityToolkitError(.passwordLoginDisabled) }
        let email = try address(request.email, empty: .invalidEmail)
        guard let password = request.password, !password.isEmpty else { throw IdentityToolkitError(.missingPassword) }
        let verdict = try await realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(
                FlowOpening(subject: .email(email), terms: GrantTerms(), lifetime: FlowLifetime.secondFactor)),
            by: call.client)
        switch try await outcome(verdict, call) {
        case .refused(let refusal):
            throw IdentityToolkitError(signIn: refusal, hidesAddresses: !call.client.revealsAddresses)
        case .pending(let user, let credential, let factors):
            return SignInWithPasswordResponse(
                localId: user.id.rawValue, email: user.email?.canonical,
                displayName: user.profile.displayName ?? "", registered: true,
                mfaPendingCredential: credential, mfaInfo: factors)
        case .signedIn(let signedIn, let idToken, let lifetime):
            return SignInWithPasswordResponse(
                localId: signedIn.user.id.rawValue, email: signedIn.user.email?.canonical,
                displayName: signedIn.user.profile.displayName ?? "", registered: true,
                profilePicture: signedIn.user.profile.photoURL, idToken: idToken,
                refreshToken: signedIn.refreshToken.reveal(), expiresIn: lifetime)
        }
    }

    /// `accounts:signInWithEmailLink`: the link proves the address; a second factor is asked for as after a password. With
    /// an ID token the address becomes that account's.
    func signInWithEmailLink(
        _ request: SignInWithEmailLinkRequest, _ call: Call
    ) async throws -> SignInWithEmailLinkResponse {
        guard call.settings.identityToolkit.allowsSignInByLink else {
            throw IdentityToolkitError(.operationNotAllowed)
        }
        let email = try address(request.email)
        guard let code = request.oobCode, !code.isEmpty else { throw IdentityToolkitError(.missingOOBCode) }
        let verdict = try await realm.authenticator.answer(
            try await linkAnswer(email, idToken: request.idToken, call),
            to: .flow(FlowHandle(code), .oobCode(.signIn)), by: call.client)
        switch try await outcome(verdict, call) {
        case .refused(let refusal): throw IdentityToolkitError(link: refusal)
        case .pending(let user, let credential, let factors):
            return SignInWithEmailLinkResponse(
                localId: user.id.rawValue, email: user.email?.canonical, isNewUser: false,
                mfaPendingCredential: credential, mfaInfo: factors)
        case .signedIn(let signedIn, let idToken, let lifetime):
            return SignInWithEmailLinkResponse(
                localId: signedIn.user.id.rawValue, email: signedIn.user.email?.canonical,
                isNewUser: signedIn.isNewUser, idToken: idToken, refreshToken: signedIn.refreshToken.reveal(),
                expiresIn: lifetime)
        }
    }

    private func linkAnswer(_ email: EmailAddress, idToken: String?, _ call: Call) async throws -> Answer {
        guard let idToken, !idToken.isEmpty else { return .link(claiming: email) }
        let bearer = try await tokens(call).bearer(idToken)
        return .addressLink(claiming: email, of: bearer.session)
    }

    /// What became of a first factor.
    enum FirstFactorOutcome {
        case signedIn(SignedIn, idToken: String, lifetime: Int64String)
        case pending(User, credential: String, factors: [MFAEnrollment])
        case refused(Refusal)
    }

    func outcome(_ verdict: Verdict, _ call: Call) async throws -> FirstFactorOutcome {
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            let (idToken, lifetime) = try await tokens(call).idToken(for: signedIn)
            return .signedIn(signedIn, idToken: idToken, lifetime: Int64String(Int64(lifetime)))
        case .more(let continuation):
            return .pending(
                continuation.user, credential: continuation.handle.token.reveal(),
                factors: continuation.factors.compactMap(MFAEnrollment.init))
        case .refused(let refusal): return .refused(refusal)
        case .accomplished, .advanced: throw IdentityToolkitError.internal
        }
    }
}
