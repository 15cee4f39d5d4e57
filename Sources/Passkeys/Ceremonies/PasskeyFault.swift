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

    /// The client data are more than ``ClientData/sizeLimit`` bytes.
    case clientDataTooLarge
    /// The client data are no JSON object, or lack `type`, `origin` or a `challenge` in base64url, or have a member
    /// twice or of another kind.
    case malformedClientData
    /// `type` names the other ceremony.
    case wrongCeremony
    /// The challenge is not the one of the options.
    case wrongChallenge
    /// The page or app that called is not one of ``RelyingParty/origins``, byte for byte.
    case originNotAllowed
    /// The page was in a frame of another origin.
    case crossOriginNotAllowed
    /// The browser names the window's origin, and it is not one that ``RelyingParty/Framing`` allows.
    case topOriginNotAllowed

    // MARK: Users and credentials, at a sign-in

    /// No `userHandle`, and the user is not known otherwise.
    case missingUserHandle
    /// `userHandle` or the credential belongs to another user than expected.
    case userMismatch
    /// The response is not of the credential that it is verified with, or not of one that the options list.
    case credentialNotAllowed

    // MARK: Attestation object and authenticator data (section 6)

    /// Not the CBOR map with `fmt`, `attStmt` and `authData` of section 6.5.4.
    case malformedAttestationObject
    /// Less than the 37 fixed bytes of section 6.1.
    case malformedAuthenticatorData
    /// The data are for another relying party's id.
    case wrongRelyingParty
    /// UP is not set, and the registration was not a conditional one.
    case userNotPresent
    /// UV is not set, and the options require it.
    case userNotVerified
    /// BS without BE.
    case backedUpWithoutEligibility
    /// BE is not what it was at the registration.
    case backupEligibilityChanged
    /// A registration without a credential.
    case missingAttestedCredential
    /// An assertion with a credential in it.
    case unexpectedAttestedCredential
    /// AT announces a credential, and its AAGUID, id or key cannot be read (section 6.5.1).
    case malformedAttestedCredential
    /// ED announces extensions, and no CBOR map follows.
    case malformedExtensions
    /// Bytes after the last part that the flags announce.
    case trailingAuthenticatorData
    /// A credential id of no bytes or of more than 1,023.
    case credentialIDOutOfBounds
    /// The credential id in the signed data is not `rawId`.
    case credentialIDMismatch

    // MARK: Keys and signatures

    /// The key is no COSE key in the form that its algorithm has (RFC 9053, section 7; RFC 8230, section 4), or has a
    /// private part.
    case malformedPublicKey
    /// An algorithm or a curve that this library does not verify.
    case unsupportedAlgorithm(COSEAlgorithm)
    /// An algorithm that the options do not offer.
    case algorithmNotOffered(COSEAlgorithm)
    /// The numbers are no key: a point that is not on its curve or of small order, a modulus out of bounds.
    case invalidPublicKey
    /// An assertion's signature was not made by the credential's key over these bytes.
    case invalidSignature
    /// The counter did not grow: the credential may have been copied.
    case counterNotIncreased

    // MARK: Attestation (section 8)

    /// The policy judges statements, and this one's `fmt` is not `none`, `packed`, `fido-u2f`, `tpm`, `android-key` or
    /// `apple`.
    case unsupportedAttestationFormat
    /// The statement is not what its format requires; the value says in which way.
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
    /// A certificate, or an extension of it that the format needs, is no DER that can be read, or is too long.
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
    /// The statement's signature was not made by the key that it names.
    case invalidSignature
    /// A certificate was not issued by the next one, or by the root that it names.
    case brokenChain
}
