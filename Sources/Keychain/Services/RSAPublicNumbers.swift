import Foundation

/// Modulus and exponent of an RSA key, for a JSON Web Key.
public struct RSAPublicNumbers: Sendable, Equatable {
    /// As DER has it, with a zero byte in front where the first bit is set.
    public let modulus: Data
    public let exponent: Data

    /// - Parameter pkcs1: what `SecKeyCopyExternalRepresentation` gives of a public RSA key: `RSAPublicKey` of PKCS #1 (RFC 8017,
    ///   A.1.1). Nil for anything else.
    public init?(pkcs1: Data) {
        var rest = pkcs1[...]
        guard var body = Self.element(0x30, &rest), rest.isEmpty, let modulus = Self.element(0x02, &body),
            let exponent = Self.element(0x02, &body), body.isEmpty
        else { return nil }
        self.modulus = Data(modulus)
        self.exponent = Data(exponent)
    }

    /// One element of DER with a length of three bytes at most (X.690, 8.1).
    private static func element(_ tag: UInt8, _ rest: inout Data) -> Data? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let size = Int(first & 0x7f)
            guard (1...3).contains(size), rest.count >= size else { return nil }
            length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}
