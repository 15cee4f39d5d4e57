import Crypto
import JSON

/// What an authenticator says of itself and of the user at one ceremony (WebAuthn Level 3, section 6.1).
public struct AuthenticatorState: Sendable, Hashable {
    /// Whether a user has acted for this ceremony.
    public var isUserPresent: Bool
    /// Whether the authenticator has verified who the user is, for this ceremony.
    public var isUserVerified: Bool
    /// Whether the key may come to be in a second place.
    public var isBackupEligible: Bool
    /// Whether it is in a second place now, as far as the authenticator knows.
    public var isBackedUp: Bool
    /// Zero where the authenticator does not count.
    public var signCount: UInt32

    public init(
        isUserPresent: Bool = true, isUserVerified: Bool, isBackupEligible: Bool, isBackedUp: Bool = false,
        signCount: UInt32 = 0
    ) {
        self.isUserPresent = isUserPresent
        self.isUserVerified = isUserVerified
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.signCount = signCount
    }

    fileprivate func data(rpID: String, attested: [UInt8]?) -> [UInt8] {
        let flags: [UInt8] = [
            isUserPresent ? 0x01 : 0, isUserVerified ? 0x04 : 0, isBackupEligible ? 0x08 : 0, isBackedUp ? 0x10 : 0,
            attested != nil ? 0x40 : 0,
        ]
        return Array(SHA256.hash(data: Array(rpID.utf8))) + [flags.reduce(0, |)]
            + withUnsafeBytes(of: signCount.bigEndian, Array.init) + (attested ?? [])
    }
}

/// The public side of a credential that an authenticator has made: ES256, without attestation.
///
/// The private key stays with the caller, in whatever keeps it: a chip, a keychain. What is signed comes from
/// ``assertion(for:origin:state:)``.
public struct PasskeySource: Sendable, Hashable {
    /// ES256 (RFC 9053, section 2.1).
    public static let algorithm = -7

    /// The model of the authenticator.
    public let aaguid: [UInt8]
    public let credentialID: [UInt8]
    public let userHandle: [UInt8]
    /// `04‖X‖Y` of P-256.
    public let publicKey: [UInt8]

    /// - Returns: nil unless the model has 16 bytes, the id 1 to 1,023 and the key 65.
    public init?(aaguid: [UInt8], credentialID: [UInt8], userHandle: [UInt8], publicKey: [UInt8]) {
        guard aaguid.count == 16, (1...1023).contains(credentialID.count), publicKey.count == 65, publicKey[0] == 4
        else { return nil }
        self.aaguid = aaguid
        self.credentialID = credentialID
        self.userHandle = userHandle
        self.publicKey = publicKey
    }

    /// What `navigator.credentials.create` and `toJSON()` would give (`RegistrationResponseJSON`), with the statement `none`.
    ///
    /// - Throws: ``AuthenticatorRefusal/foreignRelyingParty(id:origin:)``, ``AuthenticatorRefusal/noCommonAlgorithm``.
    public func registration(
        for request: CreationRequest, origin: CallingOrigin, state: AuthenticatorState
    ) throws(AuthenticatorRefusal) -> JSONValue {
        guard origin.belongs(to: request.rpID) else {
            throw .foreignRelyingParty(id: request.rpID, origin: origin.text)
        }
        guard request.algorithms.contains(Self.algorithm) else { throw .noCommonAlgorithm }
        let key = CBORItem.map([
            (.int(1), .int(2)), (.int(3), .int(Self.algorithm)), (.int(-1), .int(1)),
            (.int(-2), .bytes(Array(publicKey[1..<33]))), (.int(-3), .bytes(Array(publicKey[33...]))),
        ])
        let attested =
            aaguid + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID + key.encoded
        // The order of canonical CBOR: the shorter name first.
        let object = CBORItem.map([
            (.text("fmt"), .text("none")), (.text("attStmt"), .map([])),
            (.text("authData"), .bytes(state.data(rpID: request.rpID, attested: attested))),
        ])
        let properties: [String: JSONValue] =
            request.asksForProperties ? ["credProps": .object(["rk": .bool(true)])] : [:]
        return credential(
            [
                "clientDataJSON": .string(
                    clientData("webauthn.create", challenge: request.challenge, origin).base64URL),
                "attestationObject": .string(object.encoded.base64URL),
                "transports": .array([.string("internal")]),
            ], extensions: properties)
    }

    /// An answer to a sign-in that lacks its signature.
    public struct Assertion: Sendable {
        /// What is to be signed, with SHA-256: authenticator data and the hash of the client's data (section 6.3.3, step 11).
        public let signed: [UInt8]
        fileprivate let source: PasskeySource
        fileprivate let members: [String: JSONValue]

        /// What `navigator.credentials.get` and `toJSON()` would give (`AuthenticationResponseJSON`).
        /// - Parameter signature: ECDSA in DER.
        public func response(signature: [UInt8]) -> JSONValue {
            source.credential(members.merging(["signature": .string(signature.base64URL)]) { $1 }, extensions: [:])
        }
    }

    /// - Throws: ``AuthenticatorRefusal/foreignRelyingParty(id:origin:)``.
    public func assertion(
        for request: AssertionRequest, origin: CallingOrigin, state: AuthenticatorState
    ) throws(AuthenticatorRefusal) -> Assertion {
        guard origin.belongs(to: request.rpID) else {
            throw .foreignRelyingParty(id: request.rpID, origin: origin.text)
        }
        let client = clientData("webauthn.get", challenge: request.challenge, origin)
        let data = state.data(rpID: request.rpID, attested: nil)
        return Assertion(
            signed: data + Array(SHA256.hash(data: client)), source: self,
            members: [
                "clientDataJSON": .string(client.base64URL), "authenticatorData": .string(data.base64URL),
                "userHandle": .string(userHandle.base64URL),
            ])
    }

    /// In the order that section 5.8.1.1 wants. No member has a character that JSON escapes.
    private func clientData(_ type: String, challenge: [UInt8], _ origin: CallingOrigin) -> [UInt8] {
        Array(
            #"{"type":"\#(type)","challenge":"\#(challenge.base64URL)","origin":"\#(origin.text)","crossOrigin":false}"#
                .utf8)
    }

    private func credential(_ response: [String: JSONValue], extensions: [String: JSONValue]) -> JSONValue {
        .object([
            "id": .string(credentialID.base64URL), "rawId": .string(credentialID.base64URL),
            "type": .string("public-key"), "authenticatorAttachment": .string("platform"),
            "response": .object(response), "clientExtensionResults": .object(extensions),
        ])
    }
}
