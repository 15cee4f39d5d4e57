import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The MFA API's list of authenticators (spec, section 6.5).
extension Guardian {
    private struct Authenticator: Encodable {
        let id: String
        let authenticator_type: String
        var oob_channel: String?
        let active: Bool
        var name: String?
    }

    /// `GET mfa/authenticators`.
    func mfaAuthenticators(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let userID = try await caller(call, scope: .read).userID
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

    /// `DELETE mfa/authenticators/{id}`: somebody who is signed in removes one of their own. A password alone removes
    /// none: an `mfa_token` is refused.
    func mfaRemoveAuthenticator(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard case .signedIn(let user, let session) = try await caller(call, scope: .remove) else {
            throw OAuthError(
                403, "insufficient_scope", "Sign in, with the scope \(MFAScope.remove.rawValue), to remove one.")
        }
        let factors = try await realm.accounts.userAndFactors(user.id)?.factors ?? []
        guard session.evidence.secondFactor != nil || !factors.contains(where: \.kind.isSecondFactor) else {
            throw OAuthError(403, "access_denied", "Sign in with a second factor to remove one.")
        }
        guard let name = call.parameters["id"].flatMap(AuthenticatorName.init) else {
            throw OAuthError.unknownAuthenticator
        }
        guard name.type != "recovery-code" else {
            throw OAuthError.invalidRequest("The recovery code goes with the last authenticator.")
        }
        guard try await remove(name, of: user.id, call.client) else { throw OAuthError.unknownAuthenticator }
        return .done
    }

    /// Removes what a name stands for. Where a device is meant only by its codes, they alone go.
    func remove(_ name: AuthenticatorName, of userID: UserID, _ client: ClientContext) async throws -> Bool {
        let factors = try await realm.accounts.userAndFactors(userID)?.factors ?? []
        guard let factor = factors.first(where: { $0.id == name.id }), name.names(factor) else { return false }
        if factor.kind == .push, name.type == "totp" {
            return try await realm.enrolments.removeCodes(ofDevice: factor.id, of: userID, by: client)
        }
        return try await realm.enrolments.remove(factor.id, of: userID, by: client)
    }
}

/// `totp|dev_…`: what authenticators are called.
struct AuthenticatorName: Sendable {
    let type: String
    let id: FactorID

    init?(_ text: String) {
        let parts = text.split(separator: "|", maxSplits: 1).map(String.init)
        guard parts.count == 2, !text.utf8.contains(0) else { return nil }
        type = parts[0]
        id = FactorID(rawValue: parts[1])
    }

    /// Whether the type is one of those that the factor goes by.
    func names(_ factor: FactorRecord) -> Bool {
        switch factor.kind {
        case .push: ["push", "guardian", "totp"].contains(type)
        case .totp: type == "totp"
        case .recoveryCode: type == "recovery-code"
        default: false
        }
    }
}
