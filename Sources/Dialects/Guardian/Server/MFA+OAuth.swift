import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The MFA API: for apps that have no browser to send people to (spec, section 6.5).
extension Guardian {
    private struct Authenticator: Encodable {
        let id: String
        let authenticator_type: String
        var oob_channel: String?
        let active: Bool
        var name: String?
    }

    /// The `mfa_token` in `Authorization: Bearer`, or in the body where the endpoint takes it there.
    private func mfaToken(_ call: GuardianCall, _ form: OAuthForm? = nil) throws -> String {
        guard let token = call.credentials("Bearer") ?? form?.text("mfa_token") else {
            throw OAuthError(401, "invalid_grant", "mfa_token is missing: send it as a bearer token.")
        }
        return token
    }

    /// `GET mfa/authenticators`.
    func mfaAuthenticators(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let (_, userID, _) = try await pending(mfaToken(call))
        let settings = try await realm.settings().secondFactors
        let factors = try await realm.accounts.userAndFactors(userID)?.factors ?? []
        let codes = try await Set(realm.devices.devices(of: userID).filter(\.hasCodes).map(\.id))
        var listed: [Authenticator] = []
        for factor in factors {
            let id = factor.id.rawValue
            switch factor.kind {
            case .push:
                if settings.offersPush {
                    listed.append(
                        Authenticator(
                            id: "push|\(id)", authenticator_type: "oob", oob_channel: "auth0", active: true,
                            name: factor.name))
                }
                if settings.offersTOTP, codes.contains(factor.id) {
                    listed.append(Authenticator(id: "totp|\(id)", authenticator_type: "otp", active: true))
                }
            case .totp where settings.offersTOTP:
                listed.append(
                    Authenticator(id: "totp|\(id)", authenticator_type: "otp", active: true, name: factor.name))
            case .recoveryCode:
                listed.append(
                    Authenticator(id: "recovery-code|\(id)", authenticator_type: "recovery-code", active: true))
            default: break
            }
        }
        // What stands in for others comes last.
        return try .json(
            listed.filter { $0.authenticator_type != "recovery-code" }
                + listed.filter { $0.authenticator_type == "recovery-code" })
    }

    private struct Association: Encodable {
        let authenticator_type: String
        let oob_channel: String
        let oob_code: String
        let barcode_uri: String
        let binding_method: String?
    }

    /// `POST mfa/associate`: a ticket for a first device. What has to be asked afterwards, the device's answer, is a
    /// challenge like others.
    func mfaAssociate(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let form = try await OAuthForm(request)
        let token = try mfaToken(call, form)
        guard form.list("authenticator_types").contains("oob"), form.list("oob_channels").contains("auth0") else {
            throw OAuthError.invalidRequest(
                "Here authenticator_types has to be [\"oob\"] and oob_channels [\"auth0\"].")
        }
        let (handle, _, _) = try await pending(token)
        switch try await realm.enrolments.beginDevice(during: handle, by: call.client) {
        case .offered(let ticket):
            return try .json(
                Association(
                    authenticator_type: "oob", oob_channel: "auth0", oob_code: ticket.factorID.rawValue,
                    barcode_uri: enrollmentURI(ticket).text, binding_method: nil))
        case .refused(.limitReached):
            throw OAuthError(403, "access_denied", "User is already enrolled. Use one of the authenticators.")
        case .refused(let refusal):
            let error = GuardianError(refusal)
            throw OAuthError(error.status, "access_denied", error.message)
        case .unknown(let reason): throw OAuthError(Refusal(reason))
        }
    }

    private struct Challenge: Encodable {
        let challenge_type: String
        var oob_code: String?
        var binding_method: String?
        /// What the app has to show; ours.
        var number: String?
    }

    /// `POST mfa/challenge`: asks a device, or says that a code is waited for.
    func mfaChallenge(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let form = try await OAuthForm(request)
        var client = call.client
        client.clientID = try await application(form, call).id
        let (handle, userID, _) = try await pending(form.required("mfa_token"))
        let types = form.text("challenge_type")?.split(separator: " ").map(String.init) ?? ["oob", "otp"]
        let authenticator = form.text("authenticator_id")
        let devices = try await realm.devices.devices(of: userID)
        let wantsPush = authenticator?.hasPrefix("push|") ?? (types.contains("oob") && !devices.isEmpty)
        guard wantsPush, types.contains("oob") else {
            guard types.contains("otp") else {
                throw OAuthError(403, "unsupported_challenge_type", "The user has no device that could be asked.")
            }
            return try .json(Challenge(challenge_type: "otp"))
        }
        let asksForNumber = form.text("binding_method") == "prompt"
        do {
            let asked = try await ask(
                for: handle, device: authenticator.map { FactorID(rawValue: String($0.dropFirst("push|".count))) },
                asksForNumber: asksForNumber, request, client)
            return try .json(
                Challenge(
                    challenge_type: "oob", oob_code: asked.id, binding_method: asksForNumber ? "prompt" : nil,
                    number: asked.number), headers: asked.standing.headers)
        } catch let error as GuardianError {
            // The words are this API's, the limits are the same.
            if error.status == 429 { throw OAuthError(429, "too_many_attempts", error.message, retryAfter: 60) }
            throw OAuthError(error.status, "invalid_grant", error.message)
        }
    }
}
