import CountersignCore
import Crypto
import CryptoExtras
import Foundation
import OneTimePassword

/// What a client signs with, fixed when it registers.
public struct ClientKey: Sendable, Equatable, Codable {
    private enum Material: Sendable, Equatable, Codable {
        case rsa(DeviceKey)
        /// RSA of less than 2048 bits; a setting allows it.
        case weakRSA(modulus: Data, exponent: Data)
        /// A secret that the client sent in clear; a setting allows it.
        case shared(Data)
    }

    private let material: Material

    /// Forms that are weaker than they should be; all off.
    public struct WeakForms: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// HS256 under a secret that travels with the statement: web SDKs of 2016 and 2017.
        public static let sharedSecrets = WeakForms(rawValue: 1)
        /// RSA from 1024 bits. No library of this project verifies shorter ones.
        public static let smallKeys = WeakForms(rawValue: 2)
    }

    /// Why a statement is not taken.
    public enum Fault: Error, Sendable {
        /// The statement is too long, or its parts are not Base64 or JSON as a signed statement has them.
        case malformed
        /// Not a key that is taken here, or an algorithm that is not the key's.
        case unsupportedKey
        /// A form that a setting could allow, and does not.
        case weakForm(WeakForms)
        /// The signature is not this key's over these bytes.
        case wrongSignature
    }

    /// A statement's header, claims and signature, as they came: in either alphabet of Base64, padded or not.
    public struct Statement: Sendable {
        let header: JSONValue
        let payload: JSONValue
        let signature: Data
        let signed: Data

        static let longest = 16_384

        /// Reads a statement in three parts, as registrations send it. At most 16,384 bytes together; headers with
        /// `crit` are refused (RFC 7515, section 4.1.11), and so is JSON that two readers would read as two different things: an object that
        /// has a member twice. Nothing is verified yet.
        /// - Throws: ``Fault/malformed``.
        public init(header: String, payload: String, signature: String) throws(Fault) {
            guard header.utf8.count + payload.utf8.count + signature.utf8.count <= Self.longest,
                let headerBytes = Self.bytes(header), let payloadBytes = Self.bytes(payload),
                let signatureBytes = Self.bytes(signature), let head = try? JSONParser.parse(headerBytes),
                case .object = head, head["crit"] == nil, let claims = try? JSONParser.parse(payloadBytes)
            else { throw .malformed }
            self.header = head
            self.payload = claims
            self.signature = Data(signatureBytes)
            signed = Data("\(header).\(payload)".utf8)
        }

        /// Reads a statement in the compact form, `header.payload.signature` (RFC 7515, section 7.1). Nothing is
        /// verified yet.
        /// - Throws: ``Fault/malformed``.
        public init(compact token: String) throws(Fault) {
            guard let parts = CompactJWS(token) else { throw .malformed }
            try self.init(
                header: String(parts.header), payload: String(parts.payload), signature: String(parts.signature))
        }

        /// Whose statement it says to be; nothing is proven by that.
        public var claimedClient: RegisteredClientID? {
            let id = payload["sub"]?.stringValue ?? header["jwk"]?["kid"]?.stringValue ?? header["kid"]?.stringValue
            return id.map { RegisteredClientID(rawValue: $0) }
        }

        /// Whether each `kid` of its header, where it has any, is the id of that client: two clients may have one key.
        public func namesNone(but client: RegisteredClientID) -> Bool {
            [header["jwk"]?["kid"], header["kid"]].allSatisfy { name in
                guard let name, name != .null else { return true }
                return name == .string(client.rawValue)
            }
        }

        static func bytes(_ text: String) -> [UInt8]? {
            Base64URL.decode(text, accepting: .all)
        }
    }

    /// The key that a registration presents in its header.
    public init(of statement: Statement, accepting weak: WeakForms) throws(Fault) {
        let jwk = statement.header["jwk"] ?? .null
        switch statement.header["alg"]?.stringValue {
        case "RS256":
            guard jwk["kty"] == .string("RSA"), let modulus = Self.number(jwk["n"]),
                let exponent = Self.number(jwk["e"])
            else { throw .unsupportedKey }
            let plain = JSONValue.object([
                "kty": .string("RSA"), "n": .string(modulus.base64URL), "e": .string(exponent.base64URL),
            ])
            if let key = try? DeviceKey(jwk: plain) {
                material = .rsa(key)
            } else if exponent == Data([1, 0, 1]), (128..<256).contains(modulus.count),
                (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
            {
                guard weak.contains(.smallKeys) else { throw .weakForm(.smallKeys) }
                material = .weakRSA(modulus: modulus, exponent: exponent)
            } else {
                throw .unsupportedKey
            }
        case "HS256":
            guard weak.contains(.sharedSecrets) else { throw .weakForm(.sharedSecrets) }
            guard let text = statement.header["key"]?.stringValue, (16...256).contains(text.utf8.count) else {
                throw .unsupportedKey
            }
            material = .shared(Data(text.utf8))
        default:
            throw .unsupportedKey
        }
    }

    /// Whether it is the same key. Takes as long whatever of a secret is right.
    private func isSame(as other: ClientKey) -> Bool {
        if case (.shared(let left), .shared(let right)) = (material, other.material) {
            return ConstantTime.equal(Array(left), Array(right))
        }
        return material == other.material
    }

    private static func number(_ value: JSONValue?) -> Data? {
        guard let text = value?.stringValue, text.utf8.count <= 2048, let bytes = Statement.bytes(text) else {
            return nil
        }
        return Data(bytes.drop { $0 == 0 })
    }

    /// The claims of a statement that this key signed. A key in its header has to be this one.
    public func claims(of statement: Statement, accepting weak: WeakForms) throws(Fault) -> TokenClaims {
        if statement.header["jwk"] != nil || statement.header["key"] != nil {
            guard try ClientKey(of: statement, accepting: weak).isSame(as: self) else { throw .wrongSignature }
        }
        let isRight: Bool
        switch material {
        case .rsa(let key):
            guard statement.header["alg"] == .string("RS256") else { throw .unsupportedKey }
            isRight = key.isSignature(statement.signature, of: statement.signed)
        case .weakRSA(let modulus, let exponent):
            guard statement.header["alg"] == .string("RS256"), weak.contains(.smallKeys) else { throw .unsupportedKey }
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            isRight =
                key?.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: statement.signature),
                    for: SHA256.hash(data: statement.signed), padding: .insecurePKCS1v1_5) ?? false
        case .shared(let secret):
            guard statement.header["alg"] == .string("HS256"), weak.contains(.sharedSecrets) else {
                throw .unsupportedKey
            }
            isRight = HMAC<SHA256>.isValidAuthenticationCode(
                statement.signature, authenticating: statement.signed, using: SymmetricKey(data: secret))
        }
        guard isRight else { throw .wrongSignature }
        guard case .object(let members) = statement.payload else { throw .malformed }
        return TokenClaims(members)
    }
}
