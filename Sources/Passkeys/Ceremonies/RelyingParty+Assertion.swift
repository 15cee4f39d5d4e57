import Crypto
import JSON

/// An assertion that passed every check.
public struct VerifiedAssertion: Sendable {
    /// The record as it has to be stored now: counter, backup state, and whether the user was verified once.
    public let credential: CredentialRecord
    /// Whether the authenticator has verified who the user is, asked for or not.
    public let isUserVerified: Bool
    /// Whether the counter did not grow: the credential may have been copied. Only with ``CounterPolicy/report``.
    public let isCounterSuspicious: Bool

    fileprivate init(credential: CredentialRecord, isUserVerified: Bool, isCounterSuspicious: Bool) {
        self.credential = credential
        self.isUserVerified = isUserVerified
        self.isCounterSuspicious = isCounterSuspicious
    }
}

/// What a counter that did not grow leads to (WebAuthn Level 3, section 6.1.1).
public enum CounterPolicy: Sendable {
    /// The assertion is refused.
    case refuse
    /// The assertion counts, and says so.
    case report
}

extension RelyingParty {
    /// Verifies a response to the options of a sign-in (WebAuthn Level 3, section 7.2).
    ///
    /// The caller takes the challenge out of its store before this runs (a challenge is good for one response, right or wrong), finds
    /// the credential by ``AuthenticationResponse/rawID``, and stores the record that comes back.
    ///
    /// - Parameters:
    ///   - options: those that were sent: challenge, user verification and allowed credentials are compared with them.
    ///   - credential: the stored record. The signature is verified with its key and algorithm.
    ///   - user: the handle of the user, where it is known who signs in. If it is nil, the response has to name the credential's
    ///     owner.
    ///   - takesHost: whether the credential may also be of the host of the page, as ``verifyRegistration(_:options:attestation:isConditional:takesHost:at:)``
    ///     may have recorded it.
    /// - Throws: the fault of the first check that fails. Tell a client no more than that it is refused.
    public func verifyAssertion(
        _ response: AuthenticationResponse, options: RequestOptions, credential: CredentialRecord, user: [UInt8]? = nil,
        counter: CounterPolicy = .refuse, takesHost: Bool = false
    ) throws(PasskeyFault) -> VerifiedAssertion {
        try Self.checkMessage(
            id: response.id, rawID: response.rawID, type: response.type,
            size: response.clientDataJSON.count + response.authenticatorData.count + response.signature.count
                + (response.userHandle?.count ?? 0))
        let clientData = try checkedClientData(
            response.clientDataJSON, type: "webauthn.get", challenge: options.challenge)

        guard user != nil || response.userHandle != nil else { throw .missingUserHandle }
        guard user ?? credential.userHandle == credential.userHandle,
            response.userHandle ?? credential.userHandle == credential.userHandle
        else { throw .userMismatch }
        guard response.rawID == credential.id,
            options.allowCredentials.isEmpty || options.allowCredentials.contains(where: { $0.id == credential.id })
        else { throw .credentialNotAllowed }

        let isOfHost = takesHost && credential.rpID == Self.host(ofOrigin: clientData.origin)
        guard credential.rpID == id || isOfHost, options.rpId == id else { throw .wrongRelyingParty }
        let data = try AuthenticatorData(response.authenticatorData)
        try Self.check(
            data, relyingParty: credential.rpID, isPresenceRequired: true, userVerification: options.userVerification)
        guard data.flags.contains(.backupEligible) == credential.backupEligible else {
            throw .backupEligibilityChanged
        }
        guard try data.parts() == nil else { throw .unexpectedAttestedCredential }

        let key = try COSEPublicKey(credential.publicKey)
        let signed = response.authenticatorData + SHA256.hash(data: response.clientDataJSON)
        guard key.isValidSignature(response.signature, for: signed) else { throw .invalidSignature }

        let isSuspicious =
            (data.signCount != 0 || credential.signCount != 0) && data.signCount <= credential.signCount
        if isSuspicious, counter == .refuse { throw .counterNotIncreased }

        let isVerified = data.flags.contains(.userVerified)
        var updated = credential
        updated.signCount = max(data.signCount, credential.signCount)
        updated.backupState = data.flags.contains(.backedUp)
        updated.uvInitialized = credential.uvInitialized || isVerified
        return VerifiedAssertion(credential: updated, isUserVerified: isVerified, isCounterSuspicious: isSuspicious)
    }
}
