import Crypto
import Foundation
import Passkeys

/// A passkey: a key pair whose private half an authenticator keeps, for this site alone (Web Authentication Level 3).
///
/// It opens a sign-in without a name, as the authenticator says whose it is; one that has verified its user is two factors. All that is
/// verified is in the module `Passkeys`: this type says what is asked, finds the credential, and says what a right answer is worth.
///
/// Wrong answers count against their source, never against the passkey: who knows a credential's id could lock it otherwise, and there
/// is nothing to guess.
struct PasskeyFactor: ImmediateProofMethod {
    /// What is kept. Shapes so far: `{"credential": …, "isOfHost": …, "isSuspicious": …, "userAgent": …}`, of which the last three may be
    /// missing.
    struct Payload: Codable, Equatable {
        var credential: CredentialRecord
        /// What the browser called itself in which it was made.
        var userAgent: String?
        /// Whether its counter did not grow once: there may be a copy.
        var isSuspicious: Bool?
        /// Whether it was made for the host of a page and not for the realm's domain (docs/decisions/0303).
        var isOfHost: Bool?
    }

    let kind = FactorKind.passkey
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .firstOrSecond, assurance: [.possession, .phishingResistant])
        traits.prompt = .response
        traits.isGuessable = false
        traits.takesChallenge = true
        traits.limitPerUser = 20
        traits.movesAsIs = true
        traits.addedNotice = .passkeyAdded
        traits.isOffered = { $0.offersPasskeys }
        traits.amr = ["swk", "user"]
        traits.amrInHardware = ["hwk", "user"]
        traits.opensSignIn = true
        traits.namesUser = true
        return traits
    }()

    // MARK: Asking

    /// The list of credentials is empty before the user is known: it would tell whether an account exists (section 14.6.2).
    func challenge(_ request: ProofChallengeRequest<Payload>) throws -> RequestOptions? {
        let settings = request.settings.passkeys
        guard let site = try? settings.relyingParty(at: request.site, mode: request.mode) else { return nil }
        let isFirst = request.user == nil
        return RequestOptions(
            relyingParty: site, challenge: request.nonce, allowCredentials: request.present.map(\.descriptor),
            userVerification: isFirst && settings.userVerification == .required ? .required : .preferred)
    }

    func shown(_ options: RequestOptions) -> JSONValue {
        (try? JSONParser.parse(Array(options.stored))) ?? .null
    }

    // MARK: Judging

    func response(from wire: JSONValue) -> AuthenticationResponse? { try? AuthenticationResponse(wire) }

    /// The credential that the response names. One that is not there is judged all the same, so that its challenge is used up.
    func locate(
        _ response: AuthenticationResponse, _ challenge: RequestOptions?, in lookup: ProofLookup
    ) throws -> ProofLocation {
        let unknown = ProofLocation.found(LocatedProof(user: lookup.user, factor: nil, counter: .nothing))
        guard let factor = try lookup.factor(FactorID(credential: response.rawID)), factor.kind == kind,
            let user = try lookup.user(factor.userID)
        else { return unknown }
        if let known = lookup.user, known.id != user.id { return unknown }
        return .found(LocatedProof(user: user, factor: factor, counter: .nothing))
    }

    func judgement(
        of response: AuthenticationResponse, against material: ProofMaterial<Payload, RequestOptions>,
        by permit: JudgingPermit
    ) throws -> Judgement<Payload> {
        guard let options = material.challenge else { return .wrong(.unexpectedAnswer) }
        guard var kept = material.payload else { return .wrong(.unknownFactor) }
        guard let site = permit.realm.relyingParty(permit.settings) else { return .wrong(.factorNotOffered) }
        let isKnown = material.flow?.userID != nil
        let verified: VerifiedAssertion
        do {
            verified = try site.verifyAssertion(
                response, options: options, credential: kept.credential,
                user: isKnown ? kept.credential.userHandle : nil, counter: .report,
                takesHost: permit.namesSiteByHost && kept.isOfHost == true)
        } catch {
            return .wrong(Refusal(.wrongAnswer, fault: "\(error)"))
        }
        let wasSuspicious = kept.isSuspicious == true
        if verified.isCounterSuspicious {
            kept.isSuspicious = true
            if permit.settings.passkeys.counter == .refuse {
                return .alarming(
                    Refusal(.wrongAnswer, fault: "\(PasskeyFault.counterNotIncreased)"),
                    FactorAlarm(newPayload: kept, event: .passkeyCounter, notice: wasSuspicious ? nil : .passkeyCopied))
            }
        }
        // A credential that was made without verifying its user says nothing of the user until it has done so once.
        let isAlone = material.flow?.proven.isEmpty ?? true
        guard verified.isUserVerified || kept.credential.uvInitialized || !isAlone else {
            return .wrong(Refusal(.wrongAnswer, fault: "\(PasskeyFault.userNotVerified)"))
        }
        kept.credential = verified.credential
        var result = ProofResult()
        result.assurance = kept.assurance(isUserVerified: verified.isUserVerified)
        if verified.isCounterSuspicious {
            result.alert = .passkeyCounter
            if !wasSuspicious { result.notice = AccountNotice(.passkeyCopied, factorName: material.factor?.name) }
        }
        return .right(RightAnswer(newPayload: kept, result))
    }
}

extension PasskeyFactor.Payload {
    var descriptor: CredentialDescriptor {
        CredentialDescriptor(
            id: credential.id, transports: credential.transports.isEmpty ? nil : credential.transports)
    }

    /// What an answer proves. That the key is in hardware is said where a trusted maker attests it and the key cannot leave.
    func assurance(isUserVerified: Bool) -> Assurance {
        var assurance: Assurance = [.possession, .phishingResistant]
        if isUserVerified { assurance.insert(.userVerified) }
        if !credential.backupEligible, credential.attestation.trust == .trusted { assurance.insert(.hardware) }
        return assurance
    }
}

extension FactorKind {
    /// A key pair of an authenticator, for this site alone.
    public static let passkey = FactorKind(rawValue: "passkey")
}

extension FactorID {
    /// The factor that a credential is. Factors' ids are unique in the realm, so that no credential is of two users.
    public init(credential id: [UInt8]) {
        self.init(rawValue: Array(SHA256.hash(data: id)).base64URL)
    }
}

extension FlowHandle {
    /// The attempt whose challenge a browser's response contains, of a registration or of a sign-in: the challenge's text is the handle.
    /// Nil where the response has none.
    public init?(answeredBy response: JSONValue) {
        guard let text = response["response"]?["clientDataJSON"]?.stringValue,
            let bytes = [UInt8](base64URL: text, accepting: .all), let data = try? ClientData(bytes)
        else { return nil }
        self.init(data.challenge.base64URL)
    }
}

extension JSONValue {
    /// The value that a document has as JSON; null where it has none.
    init(encoding document: some Encodable) {
        self = (try? JSONParser.parse(Array(JSONEncoder().encode(document)))) ?? .null
    }
}
