import Crypto
import CryptoExtras
import Foundation

/// A key that is ready to verify: its point is known to be on its curve, or its modulus is prepared.
package enum OpenedSignatureKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Nil where the numbers are no key.
    package init?(_ key: SignatureKey) {
        do {
            switch key.material {
            case .rsa(let modulus, let exponent): self = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
            case .p256(let point): self = .p256(try P256.Signing.PublicKey(rawRepresentation: point))
            case .ed25519(let bytes): self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
            }
        } catch {
            return nil
        }
    }

    /// Whether this key made the signature, in the algorithm; not, where keys of its kind do not have the algorithm.
    package func isSignature(_ signature: Data, of message: Data, in algorithm: StatementAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let key), .rs256), (.rsa(let key), .ps256):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
        case (.p256(let key), .es256):
            guard let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(parsed, for: message)
        case (.ed25519(let key), .edDSA):
            return key.isValidSignature(signature, for: message)
        case (.rsa, _), (.p256, _), (.ed25519, _):
            return false
        }
    }
}
