import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority of one test, and a certificate of `localhost` that it vouches for, in PEM.
package struct TestAuthority: Sendable {
    package let root: String
    package let certificate: String
    package let key: String

    /// - Parameters: seconds from now within which both certificates are good.
    package init(from begin: TimeInterval = -3600, until end: TimeInterval = 86_400) throws {
        let (rootKey, leafKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        // Verifiers that follow RFC 5280 to the letter, as Python's since 3.13, look for these.
        let identifier = SubjectKeyIdentifier(hash: Certificate.PublicKey(rootKey.publicKey))
        let rootName = try DistinguishedName { CommonName("Countersign's tests") }
        let (from, until) = (Date(timeIntervalSinceNow: begin), Date(timeIntervalSinceNow: end))
        let authority = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(rootKey.publicKey),
            notValidBefore: from, notValidAfter: until, issuer: rootName, subject: rootName,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
                identifier
            }, issuerPrivateKey: .init(rootKey))
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(leafKey.publicKey),
            notValidBefore: from, notValidAfter: until, issuer: rootName,
            subject: DistinguishedName { CommonName("localhost") },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName("localhost")])
                AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier)
            }, issuerPrivateKey: .init(rootKey))
        root = try authority.serializeAsPEM().pemString + "\n"
        certificate = try leaf.serializeAsPEM().pemString + "\n"
        key = leafKey.pemRepresentation + "\n"
    }

    /// Writes all three into a folder that is there.
    package func write(into folder: URL) throws -> (root: String, certificate: String, key: String) {
        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        return (
            try write(root, "root.pem"), try write(certificate, "certificate.pem"), try write(key, "key.pem")
        )
    }
}
