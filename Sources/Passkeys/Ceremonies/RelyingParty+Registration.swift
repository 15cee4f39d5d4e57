import Crypto
import JSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A registration that passed every check.
public struct VerifiedRegistration: Sendable {
    /// What to store, if no user has a credential of this id yet.
    public let credential: CredentialRecord
    /// Whether the authenticator has verified who the user is.
    public let isUserVerified: Bool

    fileprivate init(credential: CredentialRecord, isUserVerified: Bool) {
        self.credential = credential
        self.isUserVerified = isUserVerified
    }
}

extension RelyingParty {
    /// Verifies a response to the options of a registration (WebAuthn Level 3, section 7.1).
    ///
    /// The caller takes the challenge out of its store before this runs (a challenge is good for one response, right or wrong),
    /// refuses a credential id that any user has already, and stores the record.
    ///
    /// - Parameters:
    ///   - options: those that were sent: challenge, relying party's id, algorithms, user verification, discoverability and excluded
    ///     credentials are compared with them.
    ///   - attestation: what a statement about the authenticator is good for.
    ///   - isConditional: whether the browser was asked to make the credential without a dialog (`mediation: "conditional"`); only
    ///     then the user need not have been present.
    ///   - takesHost: whether the credential may also be for the host of the page, of those in ``origins``, as clients make it that put
    ///     the page's own name in the place of the options' id. The record says which it is.
    ///   - time: when certificates of an attestation have to be valid.
    /// - Throws: the fault of the first check that fails.
    public func verifyRegistration(
        _ response: RegistrationResponse, options: CreationOptions, attestation: AttestationPolicy = .none,
        isConditional: Bool = false, takesHost: Bool = false, at time: Date
    ) throws(PasskeyFault) -> VerifiedRegistration {
        try Self.checkMessage(
            id: response.id, rawID: response.rawID, type: response.type,
            size: response.clientDataJSON.count + response.attestationObject.count)
        let clientData = try checkedClientData(
            response.clientDataJSON, type: "webauthn.create", challenge: options.challenge)

        let object: AttestationObject
        do { object = try AttestationObject(response.attestationObject) } catch { throw .malformedAttestationObject }
        let data = try AuthenticatorData(object.authenticatorData)
        var relyingParty = options.rp.id
        if takesHost, let host = Self.host(ofOrigin: clientData.origin), Self.isHash(data.rpIDHash, of: host) {
            relyingParty = host
        }
        try Self.check(
            data, relyingParty: relyingParty, isPresenceRequired: !isConditional,
            userVerification: options.authenticatorSelection.userVerification)

        guard let attested = try data.parts() else { throw .missingAttestedCredential }
        guard (1...1023).contains(attested.id.count) else { throw .credentialIDOutOfBounds }
        guard Array(attested.id) == response.rawID else { throw .credentialIDMismatch }
        let fields = try COSEKeyFields(attested.key)
        guard options.pubKeyCredParams.contains(where: { $0.alg == fields.algorithm }) else {
            throw .algorithmNotOffered(fields.algorithm)
        }
        let key = try COSEPublicKey(fields, encoded: Array(attested.encodedKey))

        let statement = AttestationStatement(
            object: object, data: data, credential: attested, fields: fields, key: key,
            clientDataHash: Array(SHA256.hash(data: response.clientDataJSON)))
        let trust = try attestation.judge(statement, at: time)

        guard !options.excludeCredentials.contains(where: { $0.id == response.rawID }) else {
            throw .credentialExcluded
        }
        if options.authenticatorSelection.residentKey == .required, response.isDiscoverable == false {
            throw .notDiscoverable
        }
        let isVerified = data.flags.contains(.userVerified)
        return VerifiedRegistration(
            credential: CredentialRecord(
                id: response.rawID, publicKey: key.encoded, userHandle: options.user.id, rpID: relyingParty,
                signCount: data.signCount, uvInitialized: isVerified,
                backupEligible: data.flags.contains(.backupEligible), backupState: data.flags.contains(.backedUp),
                transports: response.transports, aaguid: attested.aaguid,
                attestation: CredentialRecord.Attestation(format: object.format, trust: trust)),
            isUserVerified: isVerified)
    }

    /// What both ceremonies check of the message.
    static func checkMessage(id: String, rawID: [UInt8], type: String, size: Int) throws(PasskeyFault) {
        guard size <= messageLimit, rawID.count <= messageLimit else { throw .messageTooLarge }
        guard type == "public-key" else { throw .wrongCredentialType }
        guard id.utf8.elementsEqual(rawID.base64URL.utf8) else { throw .idMismatch }
    }

    /// The client's data, after what both ceremonies check of them.
    func checkedClientData(_ json: [UInt8], type: String, challenge: [UInt8]) throws(PasskeyFault) -> ClientData {
        let data = try ClientData(json)
        guard data.type.utf8.elementsEqual(type.utf8) else { throw .wrongCeremony }
        guard !challenge.isEmpty, ConstantTime.equal(data.challenge, challenge) else { throw .wrongChallenge }
        guard Self.contains(data.origin, in: origins) else { throw .originNotAllowed }
        switch framing {
        case .refused:
            guard !data.isCrossOrigin else { throw .crossOriginNotAllowed }
            guard data.topOrigin == nil else { throw .topOriginNotAllowed }
        case .allowed(let topOrigins):
            if let top = data.topOrigin {
                guard Self.contains(top, in: topOrigins) else { throw .topOriginNotAllowed }
            }
        }
        return data
    }

    private static func isHash(_ hash: [UInt8], of id: String) -> Bool {
        ConstantTime.equal(hash, Array(SHA256.hash(data: Array(id.utf8))))
    }

    /// Whether one of the origins is this one, byte for byte: `String`'s own equality takes different spellings of one character for
    /// equal.
    private static func contains(_ origin: String, in origins: Set<String>) -> Bool {
        origins.contains { $0.utf8.elementsEqual(origin.utf8) }
    }

    /// What both ceremonies check of the authenticator's fixed fields.
    static func check(
        _ data: AuthenticatorData, relyingParty id: String, isPresenceRequired: Bool, userVerification: UserVerification
    ) throws(PasskeyFault) {
        guard isHash(data.rpIDHash, of: id) else { throw .wrongRelyingParty }
        guard data.flags.contains(.userPresent) || !isPresenceRequired else { throw .userNotPresent }
        guard data.flags.contains(.userVerified) || userVerification != .required else { throw .userNotVerified }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw .backedUpWithoutEligibility
        }
    }
}
