import Crypto
import Foundation
import KeychainServices

/// The public half of a key, by its bytes.
struct PublicHalf: Sendable {
    /// PKCS #1 for RSA, `04‖X‖Y` for P-256.
    let external: Data
    let algorithm: JOSEAlgorithm

    /// - Throws: ``GuardianError``: `….no.public_key`, or `….invalid.assymmetric_key` for a kind that Guardian has no use for.
    init(of key: SecKey) throws(GuardianError) {
        guard let half = SecKeyCopyPublicKey(key),
            let external = SecKeyCopyExternalRepresentation(half, nil) as Data?
        else { throw .noPublicKey }
        if SecKeyIsAlgorithmSupported(half, .verify, .rsaSignatureMessagePKCS1v15SHA256) {
            algorithm = .rs256
        } else if external.count == 65, SecKeyIsAlgorithmSupported(half, .verify, .ecdsaSignatureMessageX962SHA256) {
            algorithm = .es256
        } else {
            throw .invalidKey("Guardian takes RSA and P-256 keys.")
        }
        self.external = external
    }

    /// Modulus and exponent as DER has them: with a zero byte in front where the first bit is set.
    var rsaIntegers: (modulus: Data, exponent: Data)? {
        guard algorithm == .rs256 else { return nil }
        return RSAPublicNumbers(pkcs1: external).map { ($0.modulus, $0.exponent) }
    }
}

extension JOSEAlgorithm {
    var secKeyAlgorithm: SecKeyAlgorithm {
        switch self {
        case .rs256: .rsaSignatureMessagePKCS1v15SHA256
        // The form without DER is not on every system that this module runs on.
        case .es256: .ecdsaSignatureMessageX962SHA256
        }
    }

    /// A signature of ``secKeyAlgorithm`` in the form of RFC 7518.
    func joseSignature(_ signature: Data) throws -> Data {
        switch self {
        case .rs256: signature
        case .es256: try P256.Signing.ECDSASignature(derRepresentation: signature).rawRepresentation
        }
    }
}
