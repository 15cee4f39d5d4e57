/// What a relying party asks of users' verification (WebAuthn Level 3, section 5.8.6).
public enum UserVerification: String, Sendable, Codable {
    case required, preferred, discouraged
}

/// Whether a credential has to be discoverable, that is found without its id (WebAuthn Level 3, section 5.4.6).
public enum ResidentKey: String, Sendable, Codable {
    case required, preferred, discouraged
}

/// Names one credential (`PublicKeyCredentialDescriptorJSON`, WebAuthn Level 3, section 5.1).
public struct CredentialDescriptor: Codable, Sendable, Hashable {
    public var type = "public-key"
    @Base64URLCoded public var id: [UInt8]
    /// How clients reach the authenticator: `internal`, `hybrid`, `usb`, `nfc`, `ble`, …
    public var transports: [String]?

    public init(id: [UInt8], transports: [String]? = nil) {
        _id = Base64URLCoded(wrappedValue: id)
        self.transports = transports
    }
}

/// The options of a registration in the JSON that browsers take (`PublicKeyCredentialCreationOptionsJSON`, WebAuthn Level 3,
/// section 5.1).
///
/// Keep what was sent: ``RelyingParty/verifyRegistration(_:options:attestation:isConditional:at:)`` compares with it.
public struct CreationOptions: Codable, Sendable, Hashable {
    public struct Entity: Codable, Sendable, Hashable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public struct User: Codable, Sendable, Hashable {
        /// The user handle: up to 64 random bytes, nothing personal (section 14.6.1).
        @Base64URLCoded public var id: [UInt8]
        /// What tells accounts of one person apart: an address, a user name.
        public var name: String
        public var displayName: String

        public init(id: [UInt8], name: String, displayName: String) {
            _id = Base64URLCoded(wrappedValue: id)
            self.name = name
            self.displayName = displayName
        }
    }

    public struct Parameter: Codable, Sendable, Hashable {
        public var type = "public-key"
        public var alg: COSEAlgorithm

        public init(alg: COSEAlgorithm) { self.alg = alg }
    }

    public struct AuthenticatorSelection: Codable, Sendable, Hashable {
        public var authenticatorAttachment: String?
        public var residentKey: ResidentKey
        /// What clients of Level 1 read in place of `residentKey`.
        public var requireResidentKey: Bool
        public var userVerification: UserVerification

        public init(
            authenticatorAttachment: String? = nil, residentKey: ResidentKey, userVerification: UserVerification
        ) {
            self.authenticatorAttachment = authenticatorAttachment
            self.residentKey = residentKey
            requireResidentKey = residentKey == .required
            self.userVerification = userVerification
        }
    }

    /// The extensions that are asked for; more are no use to a relying party without a browser API for them.
    public struct Extensions: Codable, Sendable, Hashable {
        /// Asks whether the credential is discoverable (section 10.1.3).
        public var credProps: Bool?

        public init(credProps: Bool? = true) { self.credProps = credProps }
    }

    public var rp: Entity
    public var user: User
    /// At least 16 random bytes, used once.
    @Base64URLCoded public var challenge: [UInt8]
    /// What the relying party verifies, the best first.
    public var pubKeyCredParams: [Parameter]
    /// Milliseconds.
    public var timeout: Int?
    public var excludeCredentials: [CredentialDescriptor]
    public var authenticatorSelection: AuthenticatorSelection
    public var hints: [String]?
    /// `none`, `direct` or `enterprise`.
    public var attestation: String
    public var attestationFormats: [String]?
    public var extensions: Extensions?

    /// The options of a passkey: discoverable and with the user verified, unless the parameters say otherwise.
    /// - Parameters:
    ///   - challenge: at least 16 bytes of a cryptographic random source; 32 are usual.
    ///   - excludeCredentials: all of the user's credentials.
    ///   - timeout: milliseconds.
    public init(
        relyingParty: RelyingParty, user: User, challenge: [UInt8],
        algorithms: [COSEAlgorithm] = COSEAlgorithm.recommended, excludeCredentials: [CredentialDescriptor] = [],
        residentKey: ResidentKey = .required, userVerification: UserVerification = .required, timeout: Int = 300_000,
        hints: [String]? = nil, attestation: String = "none", attestationFormats: [String]? = nil
    ) {
        rp = Entity(id: relyingParty.id, name: relyingParty.name)
        self.user = user
        _challenge = Base64URLCoded(wrappedValue: challenge)
        pubKeyCredParams = algorithms.map { Parameter(alg: $0) }
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        authenticatorSelection = AuthenticatorSelection(residentKey: residentKey, userVerification: userVerification)
        self.hints = hints
        self.attestation = attestation
        self.attestationFormats = attestationFormats
        extensions = Extensions()
    }
}

/// The options of a sign-in in the JSON that browsers take (`PublicKeyCredentialRequestOptionsJSON`, WebAuthn Level 3, section 5.1).
///
/// Keep what was sent: ``RelyingParty/verifyAssertion(_:options:credential:user:counter:)`` compares with it.
public struct RequestOptions: Codable, Sendable, Hashable {
    @Base64URLCoded public var challenge: [UInt8]
    public var rpId: String
    /// Milliseconds.
    public var timeout: Int?
    /// Empty where the user is not known yet: a list would tell whether an account exists (section 14.6.2).
    public var allowCredentials: [CredentialDescriptor]
    public var userVerification: UserVerification
    public var hints: [String]?

    /// - Parameters:
    ///   - challenge: at least 16 bytes of a cryptographic random source; 32 are usual.
    ///   - timeout: milliseconds.
    public init(
        relyingParty: RelyingParty, challenge: [UInt8], allowCredentials: [CredentialDescriptor] = [],
        userVerification: UserVerification = .required, timeout: Int = 300_000, hints: [String]? = nil
    ) {
        _challenge = Base64URLCoded(wrappedValue: challenge)
        rpId = relyingParty.id
        self.timeout = timeout
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
        self.hints = hints
    }
}
