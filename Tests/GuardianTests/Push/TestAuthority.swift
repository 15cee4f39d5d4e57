import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority of one test, and a certificate of `localhost` that it vouches for.
struct TestAuthority {
    let root: NIOSSLCertificate
    let tls: TLSConfiguration

    /// - Parameter protocols: what the server speaks, by ALPN.
    init(protocols: [String] = ["h2"]) throws {
        func pem(_ certificate: Certificate) throws -> [UInt8] {
            try Array(certificate.serializeAsPEM().pemString.utf8)
        }
        let (rootKey, leafKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let rootName = try DistinguishedName { CommonName("Countersign's tests") }
        let validity = (Date(timeIntervalSinceNow: -3600), Date(timeIntervalSinceNow: 86_400))
        let rootCertificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(rootKey.publicKey),
            notValidBefore: validity.0, notValidAfter: validity.1, issuer: rootName, subject: rootName,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(rootKey))
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(leafKey.publicKey),
            notValidBefore: validity.0, notValidAfter: validity.1, issuer: rootName,
            subject: DistinguishedName { CommonName("localhost") },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName("localhost")])
            }, issuerPrivateKey: .init(rootKey))
        root = try NIOSSLCertificate(bytes: pem(rootCertificate), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: pem(leaf), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)))
        tls.applicationProtocols = protocols
        self.tls = tls
    }
}
