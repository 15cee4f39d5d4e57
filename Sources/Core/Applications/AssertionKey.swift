import Foundation
import JSON

/// A public key with which an application signs assertions of who it is (RFC 7523, section 2.2).
public struct AssertionKey: Sendable, Equatable, Codable {
    /// `kid`; nil where the key set has this one key.
    public let id: String?
    let key: DeviceKey
    /// `alg` of an RSA key, which has two; nil where it says none, and of other keys, which have one.
    let algorithm: StatementAlgorithm?

    /// Whether the key signs in the algorithm.
    func signs(in algorithm: StatementAlgorithm) -> Bool {
        if let own = self.algorithm { return own == algorithm }
        return algorithm == key.algorithm || algorithm == .ps256 && key.algorithm == .rs256
    }

    /// Those that may have made a signature, by algorithm and, where both have one, by name.
    static func candidates(among keys: [AssertionKey], for header: JWSHeader, in algorithm: StatementAlgorithm)
        -> [Self]
    {
        keys.filter { $0.signs(in: algorithm) && (header.kid == nil || $0.id == nil || $0.id == header.kid) }
    }

    /// Keys that an application may have: the present one, the next one, and some for servers that sign with their own.
    public static let most = 10

    /// What is wrong with a key set.
    public enum Fault: Error, Sendable, Equatable {
        /// Not `{"keys": […]}` with 1 to ``AssertionKey/most`` keys.
        case noKeySet
        /// A private or symmetric key, which its owner should keep to itself.
        case isPrivate
        /// Of several keys, one has no `kid`, or the same as another; or one is longer than 128 bytes.
        case ambiguousName
        /// A member is not a public key of a kind that is taken here.
        case unusableKey(DeviceKey.Fault)
    }

    /// Reads a JSON Web Key Set (RFC 7517, section 5).
    /// - Throws: ``Fault``.
    public static func keys(ofJWKS jwks: JSONValue) throws(Fault) -> [AssertionKey] {
        guard case .array(let members)? = jwks["keys"], (1...most).contains(members.count) else { throw .noKeySet }
        var keys: [AssertionKey] = []
        for member in members { keys.append(try AssertionKey(jwk: member)) }
        let ids = keys.compactMap(\.id)
        guard keys.count == 1 || ids.count == keys.count && Set(ids).count == ids.count else { throw .ambiguousName }
        return keys
    }

    init(jwk: JSONValue) throws(Fault) {
        if DeviceKey.isPrivate(jwk) { throw .isPrivate }
        switch jwk["kid"] {
        case nil: id = nil
        case .string(let text)? where PlainText(text, bytes: 1...128) != nil: id = text
        default: throw .ambiguousName
        }
        do {
            key = try DeviceKey(jwk: jwk, for: Set(StatementAlgorithm.allCases))
        } catch {
            throw .unusableKey(error)
        }
        algorithm = key.algorithm == .rs256 ? jwk["alg"]?.stringValue.flatMap(StatementAlgorithm.init(name:)) : nil
    }

    /// A key that no application has, so that an assertion of an unknown one costs as much as another's.
    static func decoy(_ algorithm: StatementAlgorithm) -> DeviceKey? {
        switch algorithm {
        case .es256: elliptic
        case .rs256, .ps256: rsa
        case .edDSA: edwards
        }
    }

    /// The key of RFC 8037, appendix A.
    private static let edwards = try? DeviceKey(
        jwk: .object([
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]), for: [.edDSA])

    private static let elliptic = try? DeviceKey(
        jwk: .object([
            "kty": "EC", "crv": "P-256", "x": "SunBGweBTqtDNsxBnqUAjKHoKwF83Gpr_ka5e6FaB4o",
            "y": "wbnG4MMOUADqLEEebfoCBgTOXFgCTD8wQ2aQ2ldQKGw",
        ]))
    private static let rsa = try? DeviceKey(
        jwk: .object([
            "kty": "RSA", "e": "AQAB",
            "n": .string(
                "7hY9OSOmt7zwy3BdhqkJ9s_U1mcRYHCNIvTEUbjpy1_tRZHRCe5Giffzpd986DacAYS0CZOXG8Z8TxVC2fXLWHL1l3"
                    + "vCoU-vRyMsOFP15pGYTCMslFUw030Dfkxh7DZQSCk8hK14k539SjA5-svGgu6X40-pqPDt8YYuZnpcMFeg3b2Urfaz"
                    + "ccYA7dye6VEHKPaaKSD_JtRBgZRC-lZPelgvXZ1rPkrKXQpVdYlWtsLdsc24EwQBEMjRMXWE59ubz0fNp3P6bnkb6M"
                    + "aA4eAun_MZt_fjHhWJqdV_yPaTqQ39uzSsOW7Z58dCQe_StJh-8Sv6I5Cm8tiLT9liz4fUhw"),
        ]))
}
