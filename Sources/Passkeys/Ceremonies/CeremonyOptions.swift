/// What a relying party asks of users' verification (WebAuthn Level 3, section 5.8.6).
public enum UserVerification: String, Sendable, Codable {
    /// The ceremony fails unless the authenticator has verified who the user is.
    case required
    /// The client verifies the user where it can; a response without it is accepted and says so.
    case preferred
    /// The client need not verify the user; a response is accepted with it and without.
    case discouraged
}

/// Whether a credential has to be discoverable, that is found without its id (WebAuthn Level 3, section 5.4.6).
public enum ResidentKey: String, Sendable, Codable {
    /// The registration fails where the authenticator cannot keep a discoverable credential.
    case required
    /// A discoverable credential where the authenticator can keep one, another kind where not.
    case preferred
    /// A credential that is found by its id alone, where the authenticator leaves the choice.
    case discouraged
}

/// Names one credential (`PublicKeyCredentialDescriptorJSON`, WebAuthn Level 3, section 5.1).
public struct CredentialDescriptor: Codable, Sendable, Hashable {
    /// The kind of credential: `public-key`, the only one that WebAuthn defines (section 5.8.2).
    public var type = "public-key"
    /// The credential's id as the authenticator chose it: 1 to 1,023 bytes, base64url in JSON.
    @Base64URLCoded public var id: [UInt8]
    /// How clients reach the authenticator: `internal`, `hybrid`, `usb`, `nfc`, `ble`, …
    public var transports: [String]?

    /// Names a credential for ``CreationOptions/excludeCredentials`` or ``RequestOptions/allowCredentials``.
    ///
    /// - Parameter transports: what the registration noted; nil lets the client try all of them.
    public init(id: [UInt8], transports: [String]? = nil) {
        _id = Base64URLCoded(wrappedValue: id)
        self.transports = transports
    }
}

/// The options of a registration in the JSON that browsers take (`PublicKeyCredentialCreationOptionsJSON`, WebAuthn Level 3,
/// section 5.1).
///
/// Keep what was sent: ``RelyingParty/verifyRegistration(_:options:attestation:isConditional:takesHost:at:)`` compares with it.
public struct CreationOptions: Codable, Sendable, Hashable {
    /// The relying party as browsers are told of it (`PublicKeyCredentialRpEntity`, WebAuthn Level 3, section 5.4.2).
    public struct Entity: Codable, Sendable, Hashable {
        /// The domain to which the credential will belong: ``RelyingParty/id``.
        public var id: String
        /// A name for people. Level 3 deprecates it, and clients may show it or not.
        public var name: String

        /// Names a relying party. ``CreationOptions`` makes this of a ``RelyingParty`` by itself.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The account for which the authenticator makes a credential (`PublicKeyCredentialUserEntityJSON`, WebAuthn Level
    /// 3, sections 5.1 and 5.4.3).
    public struct User: Codable, Sendable, Hashable {
        /// The user handle: up to 64 random bytes, nothing personal (section 14.6.1).
        @Base64URLCoded public var id: [UInt8]
        /// What tells accounts of one person apart: an address, a user name.
        public var name: String
        /// A friendly name that people see when they choose an account; it decides nothing and may be empty.
        public var displayName: String

        /// Names an account.
        ///
        /// - Parameter id: 1 to 64 bytes, the same for all credentials of the user. Their number is not checked here;
        ///   browsers refuse any other.
        public init(id: [UInt8], name: String, displayName: String) {
            _id = Base64URLCoded(wrappedValue: id)
            self.name = name
            self.displayName = displayName
        }
    }

    /// An algorithm that the relying party offers (`PublicKeyCredentialParameters`, WebAuthn Level 3, section 5.3).
    public struct Parameter: Codable, Sendable, Hashable {
        /// The kind of credential: `public-key`, the only one that WebAuthn defines.
        public var type = "public-key"
        /// The algorithm by its COSE number. One that is not in ``COSEAlgorithm/supported`` may be offered, but its
        /// keys are refused.
        public var alg: COSEAlgorithm

        /// Offers an algorithm for `public-key`.
        public init(alg: COSEAlgorithm) { self.alg = alg }
    }

    /// Which authenticators may make the credential (`AuthenticatorSelectionCriteria`, WebAuthn Level 3, section
    /// 5.4.4).
    public struct AuthenticatorSelection: Codable, Sendable, Hashable {
        /// `platform` for the device's own authenticator, `cross-platform` for one that roams; nil for either. The
        /// client goes by it; a response is not compared with it.
        public var authenticatorAttachment: String?
        /// Whether the credential has to be discoverable. With `required`, a response that says it is not is refused
        /// with ``PasskeyFault/notDiscoverable``.
        public var residentKey: ResidentKey
        /// What clients of Level 1 read in place of `residentKey`.
        public var requireResidentKey: Bool
        /// Whether the authenticator has to verify the user. With `required`, a response without the flag UV is refused
        /// with ``PasskeyFault/userNotVerified``.
        public var userVerification: UserVerification

        /// Chooses authenticators; ``requireResidentKey`` follows `residentKey`.
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

        /// Asks for `credProps` unless said otherwise; nil leaves it out of the JSON.
        public init(credProps: Bool? = true) { self.credProps = credProps }
    }

    /// The relying party that the browser is to bind the credential to.
    public var rp: Entity
    /// The account that the credential is for. Its id becomes ``CredentialRecord/userHandle``.
    public var user: User
    /// At least 16 random bytes, used once.
    @Base64URLCoded public var challenge: [UInt8]
    /// What the relying party verifies, the best first.
    public var pubKeyCredParams: [Parameter]
    /// Milliseconds.
    public var timeout: Int?
    /// The credentials that the user has already: an authenticator that holds one of them makes no other, and a
    /// response with one of their ids is refused with ``PasskeyFault/credentialExcluded``.
    public var excludeCredentials: [CredentialDescriptor]
    /// Which authenticators may make the credential, and what they have to verify.
    public var authenticatorSelection: AuthenticatorSelection
    /// What the browser's dialog may begin with, the preferred first: `security-key`, `client-device`, `hybrid`
    /// (WebAuthn Level 3, section 5.8.7). Nil for no preference; a response is not compared with it.
    public var hints: [String]?
    /// `none`, `direct` or `enterprise`.
    public var attestation: String
    /// The formats of statements that the relying party would like, by their identifiers, the preferred first; nil for
    /// any. Clients may ignore it (WebAuthn Level 3, section 5.4).
    public var attestationFormats: [String]?
    /// The extensions that the browser is asked for; nil for none.
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
/// Keep what was sent: ``RelyingParty/verifyAssertion(_:options:credential:user:counter:takesHost:)`` compares with it.
public struct RequestOptions: Codable, Sendable, Hashable {
    /// At least 16 random bytes, used once; base64url in JSON.
    @Base64URLCoded public var challenge: [UInt8]
    /// The domain whose credentials may answer: ``RelyingParty/id``.
    public var rpId: String
    /// Milliseconds.
    public var timeout: Int?
    /// Empty where the user is not known yet: a list would tell whether an account exists (section 14.6.2).
    public var allowCredentials: [CredentialDescriptor]
    /// Whether the authenticator has to verify the user. With `required`, a response without the flag UV is refused
    /// with ``PasskeyFault/userNotVerified``.
    public var userVerification: UserVerification
    /// What the browser's dialog may begin with, as ``CreationOptions/hints``.
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

    /// Options as they were sent, from the parts that a server has kept.
    package init(
        challenge: [UInt8], rpId: String, timeout: Int?, allowCredentials: [CredentialDescriptor],
        userVerification: UserVerification, hints: [String]?
    ) {
        _challenge = Base64URLCoded(wrappedValue: challenge)
        self.rpId = rpId
        self.timeout = timeout
        self.allowCredentials = allowCredentials
        self.userVerification = userVerification
        self.hints = hints
    }
}
