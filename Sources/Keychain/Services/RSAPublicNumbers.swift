import Foundation

/// Modulus and exponent of an RSA key, for a JSON Web Key.
public struct RSAPublicNumbers: Sendable, Equatable {
    /// As DER has it, with a zero byte in front where the first bit is set.
    public let modulus: Data
    /// The public exponent, as DER has it; usually 65537 in three bytes.
    public let exponent: Data

    /// - Parameter pkcs1: what `SecKeyCopyExternalRepresentation` gives of a public RSA key: `RSAPublicKey` of PKCS #1 (RFC 8017,
    ///   A.1.1). Nil for anything else.
    public init?(pkcs1: Data) {
        var rest = pkcs1[...]
        guard var body = derElement(0x30, in: &rest), rest.isEmpty, let modulus = derElement(0x02, in: &body),
            let exponent = derElement(0x02, in: &body), body.isEmpty
        else { return nil }
        self.modulus = Data(modulus)
        self.exponent = Data(exponent)
    }
}
