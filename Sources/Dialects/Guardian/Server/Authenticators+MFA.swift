import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The MFA API's list of authenticators (Auth0, Authentication API, "List Authenticators").
extension Guardian {
    struct Authenticator: Encodable {
        let id: String
        let type: AuthenticatorType
        let authenticator_type: String
        /// One channel, as the vendor's documentation has it, and the same as a list, as its SDKs read it.
        var oob_channel: String?
        var oob_channels: [String]?
        let active = true
        var name: String?

        init(_ type: AuthenticatorType, _ id: FactorID, name: String? = nil) {
            self.type = type
            self.name = name
            switch type {
            case .push:
                self.id = "push|\(id)"
                authenticator_type = "oob"
                oob_channel = "auth0"
                oob_channels = ["auth0"]
            case .otp:
                self.id = "totp|\(id)"
                authenticator_type = "otp"
            case .recoveryCode:
                self.id = "recovery-code|\(id)"
                authenticator_type = "recovery-code"
            }
        }
    }

    /// `GET mfa/authenticators`.
    func mfaAuthenticators(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try .json(try await authenticators(of: caller(call, scope: .read).userID))
    }

    /// What the user can complete a sign-in with; last what stands in for the others.
    func authenticators(of userID: UserID) async throws -> [Authenticator] {
        let settings = try await realm.settings().secondFactors
        let factors = try await realm.accounts.userAndFactors(userID)?.factors ?? []
        let codes = try await Set(realm.devices.devices(of: userID).filter(\.hasCodes).map(\.id))
        var listed: [Authenticator] = []
        for factor in factors {
            switch factor.kind {
            case .push:
                if settings.offersPush { listed.append(Authenticator(.push, factor.id, name: factor.name)) }
                if settings.offersTOTP, codes.contains(factor.id) { listed.append(Authenticator(.otp, factor.id)) }
            case .totp where settings.offersTOTP:
                listed.append(Authenticator(.otp, factor.id, name: factor.name))
            case .recoveryCode: listed.append(Authenticator(.recoveryCode, factor.id))
            default: break
            }
        }
        return listed.filter { $0.type != .recoveryCode } + listed.filter { $0.type == .recoveryCode }
    }

    /// `DELETE mfa/authenticators/{id}`: a signed-in user removes one of their own. A password alone removes none: an
    /// `mfa_token` is refused.
    func mfaRemoveAuthenticator(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard case .signedIn(let user, let granted) = try await caller(call, scope: .remove) else {
            throw OAuthError(
                403, "insufficient_scope", "Sign in, with the scope \(MFAScope.remove.rawValue), to remove one.")
        }
        let name = call.parameters["id"].flatMap(AuthenticatorName.init)
        // What the name stands for; that it stands for nothing is told after the session is judged.
        let factors = try await realm.accounts.userAndFactors(user.id)?.factors ?? []
        let factor = name.flatMap { name in factors.first { $0.id == name.id && name.names($0) } }
        let onlyCodes = factor?.kind == .push && name?.type == "totp"
        let outcome = try await realm.enrolments.removeOwn(
            factor.map { (id: $0.id, onlyCodes: onlyCodes) },
            of: OwnSession(
                userID: user.id, evidence: granted.evidence, epoch: granted.session.tokenEpoch,
                session: granted.session.id),
            by: call.client)
        switch outcome {
        case .removed: return .done
        case .refused(.revoked): throw OAuthError.wrongAccessToken
        case .refused: throw OAuthError(403, "access_denied", "Sign in with a second factor to remove one.")
        case .lastWayIn:
            throw OAuthError(403, "access_denied", "This is the only way to sign in. Add another one first.")
        case .unknownFactor where name?.type == "recovery-code":
            throw OAuthError.invalidRequest("The recovery code goes with the last authenticator.")
        case .unknownFactor: throw OAuthError.unknownAuthenticator
        }
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
        guard parts.count == 2 else { return nil }
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
