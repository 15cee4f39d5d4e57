/// What an authenticator says of a ceremony, in the bytes that it signs (WebAuthn Level 3, section 6.1).
public struct AuthenticatorData: Sendable {
    /// The bits of the byte `flags`. Bits 1 and 5 are reserved and ignored.
    public struct Flags: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// UP: a person was there.
        public static let userPresent = Flags(rawValue: 1 << 0)
        /// UV: the authenticator has verified who it was, by PIN or body.
        public static let userVerified = Flags(rawValue: 1 << 2)
        /// BE: the credential may be copied to other devices. Never changes.
        public static let backupEligible = Flags(rawValue: 1 << 3)
        /// BS: the credential has been copied.
        public static let backedUp = Flags(rawValue: 1 << 4)
        /// AT: the data of a new credential follow.
        public static let attestedCredential = Flags(rawValue: 1 << 6)
        /// ED: a map of extensions follows.
        public static let extensions = Flags(rawValue: 1 << 7)
    }

    /// SHA-256 of the relying party's id.
    public let rpIDHash: [UInt8]
    /// What the authenticator says of the user, of backups, and of what follows.
    public let flags: Flags
    /// 0 from authenticators that do not count.
    public let signCount: UInt32
    /// All bytes, as they are signed.
    public let encoded: [UInt8]
    private let variable: ArraySlice<UInt8>

    /// Reads the fixed 37 bytes. What follows them is read by the verification of a ceremony.
    ///
    /// - Throws: ``PasskeyFault/malformedAuthenticatorData`` for fewer bytes.
    public init(_ encoded: [UInt8]) throws(PasskeyFault) {
        var reader = BigEndianReader(encoded[...])
        guard let hash = reader.bytes(32), let flags = reader.byte(), let count = reader.uint32() else {
            throw .malformedAuthenticatorData
        }
        rpIDHash = Array(hash)
        self.flags = Flags(rawValue: flags)
        signCount = count
        variable = reader.rest
        self.encoded = encoded
    }

    /// The new credential, if the flags announce one; the map of extensions is checked for its form and passed over.
    func parts() throws(PasskeyFault) -> AttestedCredential? {
        var rest = variable
        var credential: AttestedCredential?
        if flags.contains(.attestedCredential) {
            var reader = BigEndianReader(rest)
            guard let aaguid = reader.bytes(16).flatMap({ AAGUID($0) }), let id = reader.sized() else {
                throw .malformedAttestedCredential
            }
            var key = CBORReader(reader.rest)
            let item: CBOR
            do { item = try key.item() } catch { throw .malformedAttestedCredential }
            credential = AttestedCredential(
                aaguid: aaguid, id: id, key: item, encodedKey: reader.rest[..<key.rest.startIndex])
            rest = key.rest
        }
        if flags.contains(.extensions) {
            var reader = CBORReader(rest)
            let item: CBOR
            do { item = try reader.item() } catch { throw .malformedExtensions }
            guard item.isMap else { throw .malformedExtensions }
            rest = reader.rest
        }
        guard rest.isEmpty else { throw .trailingAuthenticatorData }
        return credential
    }
}

/// `attestedCredentialData` (WebAuthn Level 3, section 6.5.1), its key not judged yet.
struct AttestedCredential {
    var aaguid: AAGUID
    var id: ArraySlice<UInt8>
    var key: CBOR
    var encodedKey: ArraySlice<UInt8>
}
