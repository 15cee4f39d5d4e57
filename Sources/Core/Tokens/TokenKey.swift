import Crypto
import CryptoExtras
import Foundation

/// A key of the ring, opened: it signs and verifies tokens.
///
/// Tokens are put together here and not by a library: the first part of each is made once a key, and claims go from the dictionary
/// into the token's bytes.
struct TokenKey: Sendable {
    private enum Material: Sendable {
        case es256(P256.Signing.PrivateKey, P256.Signing.PublicKey)
        case rs256(RSASigner, _RSA.Signing.PublicKey)
    }

    let id: String
    let algorithm: SigningAlgorithm
    private let material: Material
    /// The header of tokens, by `typ`, in base64url and with the dot after it.
    private let headers: [String: [UInt8]]

    /// - Parameter pem: the private key.
    init(id: String, algorithm: SigningAlgorithm, pem: String) throws {
        self.id = id
        self.algorithm = algorithm
        switch algorithm {
        case .es256:
            let key =
                try Self.bytes(ofPEM: pem).map { try P256.Signing.PrivateKey(derRepresentation: $0) }
                ?? P256.Signing.PrivateKey(pemRepresentation: pem)
            material = .es256(key, key.publicKey)
        case .rs256:
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
            material = .rs256(RSASigner(key), key.publicKey)
        }
        headers = Dictionary(
            uniqueKeysWithValues: [TokenType.jwt, .accessToken].map {
                ($0.rawValue, Self.header(algorithm.rawValue, id, typ: $0.rawValue))
            })
    }

    /// What a document in PEM holds (RFC 7468). The library's reader joins lines that may be texts of any kind, and a start searches
    /// all conformances for that.
    /// - Returns: nil for what is not one document of whole lines, which is the library's to judge.
    private static func bytes(ofPEM text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count > 2, lines[0] == "-----BEGIN PRIVATE KEY-----",
            lines[lines.count - 1] == "-----END PRIVATE KEY-----"
        else { return nil }
        var base64 = ""
        for line in lines.dropFirst().dropLast() { base64 += line }
        return [UInt8](base64URL: base64, accepting: [.otherAlphabet, .padding])
    }

    /// Its public half (RFC 7517).
    var published: JSONWebKey {
        get throws {
            switch material {
            case .es256(_, let key): try JSONWebKey(id: id, elliptic: key)
            case .rs256(_, let key): try JSONWebKey(id: id, rsa: key)
            }
        }
    }

    /// A compact JWS (RFC 7515, section 3.1) over the claims.
    /// - Parameter typ: nil leaves the header out.
    func sign(_ claims: TokenClaims, typ: String?) throws -> String {
        var token = typ.flatMap { headers[$0] } ?? Self.header(algorithm.rawValue, id, typ: typ)
        try Self.append(claims, to: &token)
        let signature: Data
        switch material {
        case .es256(let key, _): signature = try key.signature(for: SHA256.hash(of: token)).rawRepresentation
        case .rs256(let signer, _): signature = try signer.signature(of: SHA256.hash(of: token))
        }
        token.append(UInt8(ascii: "."))
        Base64URL.append(Array(signature), to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The same with `alg: none` and an empty signature.
    static func unsigned(_ claims: TokenClaims, typ: String?) throws -> String {
        var token = header("none", nil, typ: typ)
        try append(claims, to: &token)
        token.append(UInt8(ascii: "."))
        return String(decoding: token, as: UTF8.self)
    }

    /// Whether this key signed the token, by its one algorithm.
    func signed(_ token: ReceivedToken) -> Bool {
        guard token.header.alg == algorithm.rawValue else { return false }
        switch material {
        case .es256(_, let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature) else {
                return false
            }
            return key.isValidSignature(signature, for: token.signedText)
        case .rs256(_, let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: token.signature), for: SHA256.hash(data: token.signedText),
                padding: .insecurePKCS1v1_5)
        }
    }

    private static func header(_ alg: String, _ kid: String?, typ: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.name("alg")
        json.write(alg)
        if let kid {
            json.name("kid")
            json.write(kid)
        }
        if let typ {
            json.name("typ")
            json.write(typ)
        }
        json.endObject()
        var text: [UInt8] = []
        Base64URL.append(json.bytes, to: &text)
        text.append(UInt8(ascii: "."))
        return text
    }

    private static func append(_ claims: TokenClaims, to token: inout [UInt8]) throws {
        var json = JSONWriter(capacity: 768)
        // No two tokens are alike anyway, so the order of claims is left as it comes.
        try json.write(claims.members, order: .unspecified)
        // The payload, a dot and 86 or 342 characters of signature.
        token.reserveCapacity(token.count + json.bytes.count / 3 * 4 + 352)
        Base64URL.append(json.bytes, to: &token)
    }
}
