import Foundation
import SwiftASN1
import X509

/// The certificates that a server shows, as clients follow them: each signed by the next, the last by an authority that they know.
///
/// A browser may have seen a certificate that is missing here, or fetch it; programs do neither, so that such a chain works for some.
struct CertificateChain {
    /// Where it leads.
    enum End: Equatable {
        /// To an authority of this machine.
        case trusted
        /// To an issuer that is not among them: a certificate between may be missing.
        case unknown(issuer: String)
        /// To a certificate that signed itself.
        case itself
        /// The next one did not sign this one; counted from 1.
        case broken(Int)
    }

    private let certificates: [Certificate]

    /// - Parameter certificates: in DER, the server's first.
    init(_ certificates: [[UInt8]]) throws {
        self.certificates = try certificates.map { try Certificate(derEncoded: $0) }
    }

    /// - Parameter authorities: names of those that are trusted.
    func end(among authorities: Set<DistinguishedName>) -> End {
        for (index, (certificate, issuer)) in zip(certificates, certificates.dropFirst()).enumerated() {
            let isSigned =
                certificate.issuer == issuer.subject
                && issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
            if !isSigned { return .broken(index + 1) }
        }
        guard let last = certificates.last else { return .trusted }
        if authorities.contains(last.issuer) { return .trusted }
        return last.issuer == last.subject ? .itself : .unknown(issuer: "\(last.issuer)")
    }

    /// Whether the server's certificate is for a host (RFC 9525, section 6.3): a wildcard stands for one label, the first.
    func names(_ host: String) -> Bool {
        guard let names = try? certificates.first?.extensions.subjectAlternativeNames else { return false }
        let host = host.lowercased()
        let rest = host.drop { $0 != "." }
        return names.contains { name in
            switch name {
            case .dnsName(let name):
                let name = name.lowercased()
                return name == host || name.hasPrefix("*.") && !rest.isEmpty && name.dropFirst() == rest
            case .ipAddress(let bytes): return Self.text(of: bytes.bytes) == host
            default: return false
            }
        }
    }

    private static func text(of address: ArraySlice<UInt8>) -> String {
        address.count == 4 ? address.map(String.init).joined(separator: ".") : ""
    }

    // MARK: Authorities of this machine

    /// Where systems keep them; `SSL_CERT_FILE` names another, as OpenSSL has it.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    /// More than any system has.
    private static let sizeLimit = 16 << 20

    /// Their names. What cannot be read is passed over.
    static func authorities(_ environment: [String: String]) -> Set<DistinguishedName> {
        let candidates = environment["SSL_CERT_FILE"].map { [$0] } ?? files
        for file in candidates {
            guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.read(upToCount: sizeLimit),
                let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: data, as: UTF8.self))
            else { continue }
            return Set(documents.compactMap { try? Certificate(pemDocument: $0).subject })
        }
        return []
    }
}
