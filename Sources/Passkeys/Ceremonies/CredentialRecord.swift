/// What a relying party stores of a credential (WebAuthn Level 3, section 4, "credential record").
///
/// Its parts can be set, so that an app can read it from a store or from an export; one that a registration made comes from
/// ``VerifiedRegistration``.
public struct CredentialRecord: Codable, Sendable, Hashable {
    /// The id that the authenticator chose, 1 to 1,023 bytes. It has to be unique over all users.
    @Base64URLCoded public var id: [UInt8]
    /// The key in its COSE form, to the letter.
    @Base64URLCoded public var publicKey: [UInt8]
    /// The `user.id` of the registration.
    @Base64URLCoded public var userHandle: [UInt8]
    /// The relying party's id at the registration.
    public var rpID: String
    /// The counter of the last assertion; 0 where the authenticator does not count.
    public var signCount: UInt32
    /// Whether the user was verified once: at the registration, or at an assertion since.
    public var uvInitialized: Bool
    /// BE: whether the credential may be copied to other devices. Never changes.
    public var backupEligible: Bool
    /// BS: whether the credential has been copied, as of the last assertion.
    public var backupState: Bool
    /// How clients said they reach the authenticator, for ``CredentialDescriptor/transports``: at most eight from a
    /// response's JSON; empty where they said nothing.
    public var transports: [String]
    /// The model of the authenticator: hearsay unless ``attestation`` is trusted.
    public var aaguid: AAGUID
    /// What the registration's statement said, and what it was good for under the policy of that time.
    public var attestation: Attestation

    /// What is known about the authenticator's origin.
    public struct Attestation: Codable, Sendable, Hashable {
        /// `fmt`: `none`, `packed`, …
        public var format: String
        /// How far the statement was believed, when the credential was registered.
        public var trust: AttestationTrust

        /// Notes a statement that was judged elsewhere, for instance in an export.
        public init(format: String, trust: AttestationTrust) {
            self.format = format
            self.trust = trust
        }
    }

    /// A record from the parts that a store or an export has. Nothing is checked here: a key that is none fails at the
    /// first sign-in, with ``PasskeyFault/malformedPublicKey`` or ``PasskeyFault/invalidPublicKey``.
    public init(
        id: [UInt8], publicKey: [UInt8], userHandle: [UInt8], rpID: String, signCount: UInt32, uvInitialized: Bool,
        backupEligible: Bool, backupState: Bool, transports: [String] = [], aaguid: AAGUID = .zero,
        attestation: Attestation = Attestation(format: "none", trust: .notJudged)
    ) {
        _id = Base64URLCoded(wrappedValue: id)
        _publicKey = Base64URLCoded(wrappedValue: publicKey)
        _userHandle = Base64URLCoded(wrappedValue: userHandle)
        self.rpID = rpID
        self.signCount = signCount
        self.uvInitialized = uvInitialized
        self.backupEligible = backupEligible
        self.backupState = backupState
        self.transports = transports
        self.aaguid = aaguid
        self.attestation = attestation
    }
}
