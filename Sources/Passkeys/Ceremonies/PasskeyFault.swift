/// The first check that a registration or an assertion does not pass.
///
/// The order is that of the checks. For logs and tests: what a client is told should not say more than "refused", since a fault of
/// an assertion tells about credentials.
public enum PasskeyFault: Error, Sendable, Equatable {
    // MARK: The message

    /// More than ``RelyingParty/messageLimit`` bytes.
    case messageTooLarge
    /// Not the JSON of WebAuthn Level 3, section 5.1.
    case malformedMessage
    /// `type` is not `public-key`.
    case wrongCredentialType
    /// `id` is not base64url of `rawId`.
    case idMismatch

    // MARK: Client data (WebAuthn Level 3, section 5.8.1)

    case clientDataTooLarge
    case malformedClientData
    /// `type` names the other ceremony.
    case wrongCeremony
    /// The challenge is not the one of the options.
    case wrongChallenge
    case originNotAllowed
    /// The page was in a frame of another origin.
    case crossOriginNotAllowed
    case topOriginNotAllowed

    // MARK: Users and credentials, at a sign-in

    /// No `userHandle`, and the user is not known otherwise.
    case missingUserHandle
    /// `userHandle` or the credential belongs to another user than expected.
    case userMismatch
    /// The response is not of the credential that it is verified with, or not of one that the options list.
    case credentialNotAllowed

    // MARK: Attestation object and authenticator data (section 6)

    case malformedAttestationObject
    case malformedAuthenticatorData
    /// The data are for another relying party's id.
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified
    /// BS without BE.
    case backedUpWithoutEligibility
    /// BE is not what it was at the registration.
    case backupEligibilityChanged
    /// A registration without a credential.
    case missingAttestedCredential
    /// An assertion with a credential in it.
    case unexpectedAttestedCredential
    case malformedAttestedCredential
    case malformedExtensions
    /// Bytes after the last part that the flags announce.
    case trailingAuthenticatorData
    /// A credential id of no bytes or of more than 1,023.
    case credentialIDOutOfBounds
    /// The credential id in the signed data is not `rawId`.
    case credentialIDMismatch

    // MARK: Keys and signatures

    case malformedPublicKey
    /// An algorithm or a curve that this library does not verify.
    case unsupportedAlgorithm(COSEAlgorithm)
    /// An algorithm that the options do not offer.
    case algorithmNotOffered(COSEAlgorithm)
    /// The numbers are no key: a point that is not on its curve or of small order, a modulus out of bounds.
    case invalidPublicKey
    case invalidSignature
    /// The counter did not grow: the credential may have been copied.
    case counterNotIncreased

    // MARK: Attestation (section 8)

    case unsupportedAttestationFormat
    case invalidAttestation(AttestationFault)
    /// No path leads to a root that is trusted.
    case attestationNotTrusted
    /// The model of authenticators is not in the list, or does not vouch for its AAGUID.
    case authenticatorNotAllowed
    /// The credential may leave its device, and the policy allows no such credentials.
    case backupEligibleNotAllowed

    // MARK: What was asked for

    /// The credential is one of those that the options exclude.
    case credentialExcluded
    /// The client says that the credential is not discoverable, and the options require that.
    case notDiscoverable
}

/// What is wrong with an attestation statement.
public enum AttestationFault: Error, Sendable, Equatable {
    /// A member is missing or of another kind than the format's, or `none` has members.
    case malformedStatement
    /// `alg` is not one that this library verifies, or not that of the key.
    case unsupportedAlgorithm
    case malformedCertificate
    /// A certificate does not meet the format's requirements (sections 8.2.1, 8.3.1, 8.6).
    case certificateRequirements
    /// The certificate's extension names another AAGUID than the authenticator data.
    case aaguidMismatch
    /// The certificate or `pubArea` has another key than the credential.
    case publicKeyMismatch
    /// The signed structure is about another ceremony: `extraData`, `attestationChallenge`, the nonce.
    case ceremonyMismatch
    /// `android-key`: the key may be used by all applications, was imported, or is not for signatures.
    case keyAuthorizations
    case invalidSignature
    /// A certificate was not issued by the next one, or by the root that it names.
    case brokenChain
}
