import SwiftASN1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate that an operator trusts to vouch for authenticators.
public struct TrustAnchor: Sendable, Hashable {
    /// The certificate in DER.
    public let encoded: [UInt8]
    fileprivate let certificate: AttestationCertificate

    /// Reads a certificate in DER.
    /// - Throws: ``AttestationFault/malformedCertificate`` also for one of more than 8,192 bytes.
    public init(der: [UInt8]) throws(AttestationFault) {
        encoded = der
        do { certificate = try AttestationCertificate(der[...]) } catch { throw .malformedCertificate }
    }

    /// Reads a certificate in PEM (RFC 7468).
    /// - Throws: ``AttestationFault/malformedCertificate``.
    public init(pem: String) throws(AttestationFault) {
        guard let document = try? PEMDocument(pemString: pem), document.discriminator == "CERTIFICATE" else {
            throw .malformedCertificate
        }
        try self.init(der: document.derBytes)
    }

    public static func == (one: Self, other: Self) -> Bool { one.encoded == other.encoded }

    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

/// Certificates in the order of `x5c`: each is issued by the next.
struct CertificatePath {
    private let chain: [AttestationCertificate]

    /// What is understood where it is marked critical. Constraints of names and policies are not: a path with them is not trusted.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .basicConstraints, .keyUsage, .extendedKeyUsage, .subjectAlternativeName,
    ]

    /// - Parameter chain: at least one certificate, the leaf first.
    init(_ chain: [AttestationCertificate]) { self.chain = chain }

    /// Whether a root vouches for the leaf: signatures, validity, and what RFC 5280, section 6.1, asks of authorities.
    /// - Throws: ``AttestationFault/brokenChain`` where a certificate was not issued by the one that it names. That is no question of
    ///   trust: such a chain is damaged or made up.
    func leads(toOneOf roots: [TrustAnchor], at time: Date) throws(AttestationFault) -> Bool {
        var isVerified = true
        for (certificate, issuer) in zip(chain, chain.dropFirst()) {
            guard let isIssued = certificate.isIssued(by: issuer) else {
                isVerified = false
                continue
            }
            guard isIssued else { throw .brokenChain }
        }
        guard let last = chain.last else { return false }
        let path: [AttestationCertificate]
        if roots.contains(where: { $0.certificate.encoded == last.encoded }) {
            path = chain.count == 1 ? chain : Array(chain.dropLast())
        } else {
            let named = roots.map(\.certificate).filter { $0.subjectName == last.issuerName || $0.isNamed(by: last) }
            let verdicts = named.map { last.isIssued(by: $0) }
            if verdicts.contains(true) {
                path = chain
            } else {
                if verdicts.contains(false) { throw .brokenChain }
                return false
            }
        }
        return isVerified && path.allSatisfy { $0.isUsable(at: time, understood: Self.understood) }
            && path.dropFirst().enumerated().allSatisfy { below, authority in authority.mayIssue(below: below) }
    }
}

extension AttestationCertificate {
    /// Whether the other certificate names this one's key as the one that signed it.
    fileprivate func isNamed(by certificate: AttestationCertificate) -> Bool {
        subjectKeyID != nil && subjectKeyID == certificate.authorityKeyID
    }

    fileprivate func isUsable(at time: Date, understood: Set<ASN1ObjectIdentifier>) -> Bool {
        notBefore <= time && time <= notAfter
            && extensions.allSatisfy { id, found in !found.isCritical || understood.contains(id) }
    }

    /// - Parameter below: how many authorities are between this one and the leaf.
    fileprivate func mayIssue(below: Int) -> Bool {
        isVersion3 && isAuthority == true && signsCertificates != false && below <= pathLength ?? below
    }
}
