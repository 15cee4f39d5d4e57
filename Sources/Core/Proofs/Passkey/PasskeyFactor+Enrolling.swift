import Foundation
import Passkeys

/// How a passkey comes to its user (Web Authentication Level 3, section 7.1).
extension PasskeyFactor: ResponseEnrolledProof {
    /// What was asked of the browser: what comes back is compared with it.
    struct Creation: Codable, Sendable {
        var options: CreationOptions
        /// Whether the browser may make it without a dialog, after another sign-in.
        var isConditional: Bool
        var userAgent: String?
    }

    /// What a client may ask for. Everything else is the server's to say.
    private struct Wish {
        /// `client-device`, `security-key`, `hybrid`.
        var hints: [String]?
        /// Made by the browser without a dialog (`mediation: "conditional"`).
        var isConditional = false
        /// Only ever to be given beside another proof: it need be neither discoverable nor user-verifying.
        var isSecond = false
        var name: String?
        var displayName: String?

        init(_ json: JSONValue?) {
            if case .array(let texts)? = json?["hints"] {
                hints = texts.compactMap(\.stringValue).filter(["client-device", "security-key", "hybrid"].contains)
            }
            isConditional = json?["isConditional"] == .bool(true)
            isSecond = json?["isSecond"] == .bool(true)
            name = json?["name"]?.stringValue.flatMap { $0.isEmpty ? nil : String($0.prefix(64)) }
            displayName = json?["displayName"]?.stringValue.flatMap { $0.isEmpty ? nil : String($0.prefix(64)) }
        }
    }

    func creation(_ request: CreationRequest<Payload>) throws -> Creation? {
        let settings = request.settings.passkeys
        guard let site = try? settings.relyingParty(at: request.site, mode: request.mode) else { return nil }
        let wish = Wish(request.wish)
        let isLoose = wish.isConditional || wish.isSecond
        let user = request.user
        let names = PasskeyAccounts.names(of: user)
        let name = wish.name ?? names.name
        let options = CreationOptions(
            relyingParty: site,
            user: CreationOptions.User(
                id: Array(user.id.rawValue.utf8), name: name,
                displayName: wish.displayName ?? user.profile.displayName ?? name),
            challenge: request.nonce, algorithms: settings.offered,
            excludeCredentials: request.present.map(\.descriptor), residentKey: isLoose ? .preferred : .required,
            userVerification: isLoose ? .preferred : .required, hints: wish.hints,
            attestation: settings.attestation == .none ? "none" : "direct")
        return Creation(options: options, isConditional: wish.isConditional, userAgent: request.userAgent)
    }

    func shown(creation: Creation) -> JSONValue { JSONValue(encoding: creation.options) }

    func register(
        _ registration: RegistrationResponse, to creation: Creation, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        guard let site = permit.realm.relyingParty(permit.settings) else { return .wrong(.factorNotOffered) }
        guard site.id == creation.options.rp.id else { return .wrong(.flowExpired) }
        let verified: VerifiedRegistration
        do {
            verified = try site.verifyRegistration(
                registration, options: creation.options, attestation: permit.settings.passkeys.attestationPolicy,
                isConditional: creation.isConditional, takesHost: permit.namesSiteByHost, at: permit.now)
        } catch {
            return .wrong(Refusal(Self.reason(of: error), fault: "\(error)"))
        }
        var payload = Payload(
            credential: verified.credential, userAgent: creation.userAgent.map { String($0.prefix(200)) })
        if verified.credential.rpID != creation.options.rp.id { payload.isOfHost = true }
        var result = ProofResult()
        result.factorID = FactorID(credential: registration.rawID)
        result.factorName = payload.credential.aaguid.productName
        result.assurance = payload.assurance(isUserVerified: verified.isUserVerified)
        // What the browser made by itself has shown no one.
        if creation.isConditional { result.isSecondFactor = false }
        return .right(RightAnswer(newPayload: payload, result))
    }

    /// A user who enrols a passkey is signed in, and may know why it was not taken.
    private static func reason(of fault: PasskeyFault) -> Refusal.Reason {
        switch fault {
        case .credentialExcluded: .replayed
        case .notDiscoverable, .userNotVerified, .algorithmNotOffered, .unsupportedAlgorithm,
            .unsupportedAttestationFormat, .attestationNotTrusted, .authenticatorNotAllowed, .backupEligibleNotAllowed:
            .unsuitableAuthenticator
        default: .wrongAnswer
        }
    }
}
