import Crypto
import Foundation

/// Public keys in their standard form (RFC 5280).
enum SubjectPublicKeyInfo {
    /// RFC 8017, appendix A.1, with the exponent 65537.
    static func rsa(modulus: [UInt8]) -> Data {
        let algorithm = DER.sequence(
            DER.objectIdentifier([1, 2, 840, 113549, 1, 1, 1]), DER.null)
        let key = DER.sequence(DER.integer(modulus), DER.integer([0x01, 0x00, 0x01]))
        return Data(DER.sequence(algorithm, DER.bitString(key)))
    }

    /// RFC 5480. Refuses a point that is not on the curve.
    static func p256(x: [UInt8], y: [UInt8]) throws(TPMError) -> Data {
        guard x.count == 32, y.count == 32,
            let key = try? P256.Signing.PublicKey(x963Representation: [0x04] + x + y)
        else { throw .invalidBlob("its public key is no point of P-256") }
        return key.derRepresentation
    }
}
