import Crypto
import SwiftASN1

extension AttestationStatement {
    /// Section 8.8: the certificate is made for this credential and this ceremony, so there is no signature beside it.
    @Sendable static func verifyApple(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        let chain = try statement.certificates()
        let leaf = chain[0]
        guard let found = leaf.extensions[.appleNonce], let nonce = found.appleNonce() else {
            throw .certificateRequirements
        }
        guard nonce.elementsEqual(SHA256.hash(data: statement.signedBytes)) else { throw .ceremonyMismatch }
        guard leaf.key?.representation == statement.key.key.representation else { throw .publicKeyMismatch }
        return .certificates(chain)
    }
}

extension AttestationCertificate.Extension {
    /// `SEQUENCE { [1] EXPLICIT OCTET STRING }`.
    fileprivate func appleNonce() -> ArraySlice<UInt8>? {
        try? DER.sequence(try DER.parse(value), identifier: .sequence) { nodes in
            try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                try ASN1OctetString(derEncoded: node).bytes
            }
        }
    }
}
