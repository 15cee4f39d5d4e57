import Foundation
import JSON
import Passkeys
import Testing

/// A pair of WebAuthn Level 3, section 16; see webauthn-l3-vectors.NOTICE.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let registration: [String: [UInt8]]
    let authentication: [String: [UInt8]]

    var testDescription: String { name }

    /// Whether the registration's statement is signed.
    var isSigned: Bool { !name.hasPrefix("none-") }
    var isSupported: Bool { name != "packed-ed448" }
    var credentialID: [UInt8] { self[registration: "credential_id"] }

    subscript(registration name: String) -> [UInt8] { registration[name] ?? [] }
    subscript(authentication name: String) -> [UInt8] { authentication[name] ?? [] }

    static let file: (vectors: [Vector], root: [UInt8]) = {
        do {
            let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "webauthn-l3-vectors.json")
            let json = try JSONParser.parse(Array(Data(contentsOf: url)))
            guard case .array(let vectors)? = json["vectors"],
                let root = json["attestationRoot"]?["attestation_ca_cert"]?.stringValue
            else { return ([], []) }
            return (vectors.compactMap(Vector.init), bytes(root))
        } catch { return ([], []) }
    }()

    static var all: [Vector] { file.vectors }
    static var supported: [Vector] { all.filter(\.isSupported) }

    private init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, case .object(let registration)? = json["registration"],
            case .object(let authentication)? = json["authentication"]
        else { return nil }
        name = id.replacingOccurrences(of: "sctn-test-vectors-", with: "")
        self.registration = registration.compactMapValues { $0.stringValue.map(Self.bytes) }
        self.authentication = authentication.compactMapValues { $0.stringValue.map(Self.bytes) }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
    }
}

/// What section 16 fixes for all pairs.
enum Example {
    static let time = Date(timeIntervalSince1970: 1_790_000_000)
    static let user = Array("ada".utf8)
    static let every = Array(COSEAlgorithm.supported) + [COSEAlgorithm(rawValue: -53)]

    static func relyingParty(_ framing: RelyingParty.Framing = .refused) throws -> RelyingParty {
        try RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"], framing: framing)
    }

    static let framed = RelyingParty.Framing.allowed(topOrigins: ["https://example.com"])

    static func roots() throws -> [TrustAnchor] { [try TrustAnchor(der: Vector.file.root)] }
}

extension Vector {
    var response: RegistrationResponse {
        RegistrationResponse(
            rawID: credentialID, clientDataJSON: self[registration: "clientDataJSON"],
            attestationObject: self[registration: "attestationObject"])
    }

    var assertion: AuthenticationResponse {
        AuthenticationResponse(
            rawID: credentialID, clientDataJSON: self[authentication: "clientDataJSON"],
            authenticatorData: self[authentication: "authenticatorData"], signature: self[authentication: "signature"],
            userHandle: Example.user)
    }

    func register(
        _ response: RegistrationResponse? = nil, policy: AttestationPolicy = .none,
        framing: RelyingParty.Framing = Example.framed
    ) throws -> VerifiedRegistration {
        let party = try Example.relyingParty(framing)
        let options = CreationOptions(
            relyingParty: party, user: CreationOptions.User(id: Example.user, name: "ada", displayName: "Ada"),
            challenge: self[registration: "challenge"], algorithms: Example.every, userVerification: .discouraged)
        return try party.verifyRegistration(
            response ?? self.response, options: options, attestation: policy, at: Example.time)
    }

    func signIn(
        _ response: AuthenticationResponse? = nil, with record: CredentialRecord,
        framing: RelyingParty.Framing = Example.framed
    ) throws -> VerifiedAssertion {
        let party = try Example.relyingParty(framing)
        let options = RequestOptions(
            relyingParty: party, challenge: self[authentication: "challenge"], userVerification: .discouraged)
        return try party.verifyAssertion(response ?? assertion, options: options, credential: record)
    }
}

/// Numbers that come again with the same seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
