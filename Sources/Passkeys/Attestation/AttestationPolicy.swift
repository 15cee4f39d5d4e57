#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is known about an authenticator from its attestation.
public enum AttestationTrust: String, Codable, Sendable {
    /// There was no statement, or the policy did not look at it.
    case notJudged
    /// The credential vouches for itself: its key has signed, nothing more.
    case selfAttested
    /// The statement is right, and no path leads from its certificates to a root of the policy.
    case untrusted
    /// The statement is right, and its certificates lead to a root of the policy.
    case trusted
}

/// What a relying party does with statements about authenticators (WebAuthn Level 3, sections 6.5 and 8).
///
/// ``none`` is right for almost all: statements tell about people's devices, and most passkeys have none. The other two are for
/// operators who hand out the authenticators.
public enum AttestationPolicy: Sendable {
    /// No statement is looked at, but for its form.
    case none
    /// A statement has to be right. Where its certificates name a root of these, or each other, the signatures between them have to
    /// be right as well; an unknown root is accepted and noted as ``AttestationTrust/untrusted``.
    case direct(roots: [TrustAnchor])
    /// Only models of authenticators in the list, with a statement whose certificates lead to one of these roots. A credential that
    /// may leave its device is refused unless it is allowed.
    case enforced(roots: [TrustAnchor], allowedAAGUIDs: Set<AAGUID>, allowsBackupEligible: Bool)

    func judge(_ statement: AttestationStatement, at time: Date) throws(PasskeyFault) -> AttestationTrust {
        switch self {
        case .none:
            guard statement.object.format != "none" || statement.object.isStatementEmpty else {
                throw .invalidAttestation(.malformedStatement)
            }
            return .notJudged
        case .direct(let roots):
            return try Self.trust(in: statement, roots: roots, at: time)
        case .enforced(let roots, let allowed, let allowsBackupEligible):
            guard try Self.trust(in: statement, roots: roots, at: time) == .trusted else {
                throw .attestationNotTrusted
            }
            // What an authenticator of U2F signs does not cover the AAGUID, so that anyone could write a listed one.
            guard statement.object.format != "fido-u2f", allowed.contains(statement.credential.aaguid) else {
                throw .authenticatorNotAllowed
            }
            guard allowsBackupEligible || !statement.data.flags.contains(.backupEligible) else {
                throw .backupEligibleNotAllowed
            }
            return .trusted
        }
    }

    private static func trust(
        in statement: AttestationStatement, roots: [TrustAnchor], at time: Date
    ) throws(PasskeyFault) -> AttestationTrust {
        guard let verify = AttestationStatement.formats[statement.object.format] else {
            throw .unsupportedAttestationFormat
        }
        do throws(AttestationFault) {
            switch try verify(statement) {
            case .nothing: return .notJudged
            case .ownKey: return .selfAttested
            case .certificates(let chain):
                let path = CertificatePath(chain)
                return try path.leads(toOneOf: roots, at: time) ? .trusted : .untrusted
            }
        } catch { throw .invalidAttestation(error) }
    }
}
