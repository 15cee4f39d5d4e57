import Foundation
import SwiftASN1
import X509

/// A signing key's public half as an X.509 certificate.
///
/// It is trusted only because of the server that it is fetched from; it is a form, not a promise. Verifiers of Google's
/// tokens read the key from it and ignore the rest. It is valid from the making of the key for a hundred years, since
/// tokens say themselves how long they count.
enum SelfSignedCertificate {
    private static let lifetime: TimeInterval = 100 * 365 * 86_400

    static func pem(of record: SigningKeyRecord, privateKeyPEM: String) throws -> String {
        let key = try Certificate.PrivateKey(pemEncoded: privateKeyPEM)
        let name = try DistinguishedName { CommonName("countersign token signing") }
        let certificate = try Certificate(
            version: .v3,
            // A serial number is positive and has 20 bytes at most (RFC 5280, section 4.1.2.2).
            serialNumber: Certificate.SerialNumber(bytes: [1] + Array(record.id.utf8.prefix(16))),
            publicKey: key.publicKey,
            notValidBefore: record.createdAt,
            notValidAfter: record.createdAt + lifetime,
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
            },
            issuerPrivateKey: key)
        return try certificate.serializeAsPEM().pemString + "\n"
    }
}
