import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import OAuthHTTP
import OneTimePassword
import ServerHTTP

extension Guardian {
    private struct Association: Encodable {
        let authenticator_type: String
        var oob_channel: String?
        var oob_code: String?
        var secret: String?
        let barcode_uri: String
        let recovery_codes: [String]?
        /// Confirms the codes of a signed-in user, where an `mfa_token` does otherwise; our extension.
        var mfa_token: String?
    }

    /// `POST mfa/associate`: another authenticator (Auth0, Authentication API, "Add an Authenticator").
    ///
    /// In the middle of a sign-in, for a user who needs a second factor and has none: with `otp` the `mfa-otp` grant
    /// confirms it and completes the sign-in; with `oob` the `mfa-oob` grant does, which asks the device once it has
    /// enrolled. For more than that, an access token for this API with the scope `enroll`, of a sign-in just now.
    func mfaAssociate(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let form = try await OAuthForm(request)
        let kind: FactorKind
        switch form.list("authenticator_types") {
        case ["oob"] where form.list("oob_channels") == ["auth0"]: kind = .push
        case ["otp"]: kind = .totp
        default:
            throw OAuthError.invalidRequest(
                "Here authenticator_types has to be [\"otp\"], or [\"oob\"] with oob_channels [\"auth0\"].")
        }
        let outcome: Enrolments.DeviceOutcome
        let caller = try await caller(call, form, scope: .enroll)
        switch caller {
        case .signingIn(let handle, _):
            outcome = try await realm.enrolments.beginDevice(
                during: handle, expecting: .pendingSignIn(), kinds: [kind], by: call.client)
        case .signedIn(let user, let granted):
            var client = call.client
            client.clientID = granted.grant.clientID
            outcome = try await realm.enrolments.beginDevice(
                for: user.id, kinds: [kind], evidence: granted.evidence, asOf: granted.session.tokenEpoch,
                in: granted.session.id, by: client)
        }
        let ticket: DeviceTicket
        switch outcome {
        case .offered(let offered): ticket = offered
        case .refused(let refusal): throw OAuthError(refusal)
        case .unknown(let reason): throw OAuthError(Refusal(reason))
        }
        let codes = ticket.recoveryCode.map { [$0.reveal()] }
        guard kind == .totp else {
            return try .json(
                Association(
                    authenticator_type: "oob", oob_channel: "auth0", oob_code: ticket.factorID.rawValue,
                    barcode_uri: enrollmentURI(ticket), recovery_codes: codes))
        }
        var association = Association(
            authenticator_type: "otp", secret: ticket.totpSecret.map { Base32.encode($0.reveal()) },
            barcode_uri: enrollmentURI(ticket), recovery_codes: codes)
        if case .signedIn = caller {
            association.mfa_token = try await mfaToken(for: ticket.handle, until: ticket.expiresAt)
        }
        return try .json(association)
    }
}
