import CountersignCore
import SecurityChecks

/// An application as administrators see it.
public struct ApplicationSummary: Codable, Sendable, Equatable {
    public struct Attribute: Codable, Sendable, Equatable {
        public let name: String
        /// `string`, `integer` or `boolean`.
        public let type: String
        public let isRequired: Bool
        /// A regular expression that a text has to match; nil where any will do.
        public let pattern: String?

        public init(name: String, type: String, isRequired: Bool, pattern: String? = nil) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.pattern = pattern
        }
    }

    public let id: String
    public let displayName: String?
    /// Whether it has a client secret or keys.
    public let isConfidential: Bool
    /// The `kid` of each key with which the application signs assertions, empty for a key without one; nil where there are none.
    public let keyIDs: [String]?
    public let redirectURIs: [String]
    public let challengeTypes: [String]
    public let scopes: [String]
    /// What access tokens may be issued for, beside the server's own APIs. Nil where none was ever set, and any is issued.
    public let audiences: [String]?
    public let attributes: [Attribute]
    public let requiresSecondFactor: Bool
    public let revealsAddresses: Bool
    /// Whether no protocol knows it for now.
    public let isDisabled: Bool
    /// Until when the secret of before counts beside the present one; nil where there is none.
    public let formerSecretUntil: Timestamp?
    /// What each version asks of clients of security checks. Callers who may not change applications see of the settings of checks which there
    /// are, and `<secret>` for each value.
    public let versions: [ApplicationVersion]
    public let oauth: OAuth
    /// For administrators: who owns it, what it is for.
    public let ownerNote: String?
    /// How to reach those who are responsible for it. What an application that registered itself says is not checked.
    public let contacts: [String]?
    /// When it last worked with this server by any protocol, to the hour; nil where that is not known.
    public let lastUsedAt: Timestamp?
    /// The protocols that it is registered for, and those that it has used, which come first by their last use.
    public let protocols: [ProtocolUse]?
    /// Who made the registration; nil for an administrator.
    public let origin: Origin?
    public let createdAt: Timestamp

    /// A protocol of an application.
    public struct ProtocolUse: Codable, Sendable, Equatable {
        /// `oauth`, `identity-toolkit`, `guardian`, `native-auth` or `security-checks`.
        public let name: String
        /// Whether something of the registration is for it.
        public let isRegistered: Bool
        /// To the hour; nil where it was not used.
        public let lastUsedAt: Timestamp?
    }

    /// How an application came that no administrator registered.
    public struct Origin: Codable, Sendable, Equatable {
        /// `itself` or `document`.
        public let by: String
        /// The host that people are shown.
        public let host: String?
        /// The id of the initial access token that it showed.
        public let token: String?
        /// The network address that it came from.
        public let source: String?
        /// The address of its document.
        public let document: String?
        /// When an administrator vouched for it.
        public let approvedAt: Timestamp?
        /// As the log names administrators; nil for the command line.
        public let approvedBy: String?
    }

    /// What it is as a client of OAuth and OpenID Connect.
    public struct OAuth: Codable, Sendable, Equatable {
        public let kind: String?
        public let grantTypes: [String]
        public let authMethod: String?
        public let postLogoutRedirectURIs: [String]
        public let backchannelLogoutURI: String?
        public let isFirstParty: Bool
        public let requiresPAR: Bool
        public let requiresDPoP: Bool
        public let issuerStyle: String
        public let resources: [String]
        public let assertionAudience: String
        public let jwksURI: String?
        public let defaultACR: [String]?
        /// Seconds.
        public let defaultMaxAge: Int?
        /// What it is registered with; nil leaves it to the server's settings.
        public let idTokenAlgorithm: String?
        /// What its ID tokens are signed with now: the algorithm it is registered with, unless that one's keys are not published.
        /// Nil from a server of before.
        public let idTokenAlgorithmInUse: String?
        public let initiateLoginURI: String?
        public let clientURI: String?
        public let policyURI: String?
        public let termsURI: String?
        /// True where its redirect URIs lead on to another site or to an app, so that users get there by a page.
        public let redirectsOn: Bool?
        /// `#rrggbb`.
        public let accent: String?
        /// Whether people are shown a picture of it.
        public let hasLogo: Bool
        /// The name of that picture, which is of its content. Nil from a server of before, too.
        public let logo: String?
    }

    /// - Parameters:
    ///   - uses: its uses, the latest first.
    ///   - tokens: what the server signs with.
    ///   - permit: of the caller who is shown it.
    init(
        _ application: Application, uses: [ApplicationUse], tokens: TokenSettings, for permit: AdministrationPermit
    ) {
        let registration = application.registration
        id = application.id.rawValue
        displayName = registration.displayName
        isConfidential = registration.isConfidential
        keyIDs = registration.assertionKeys.isEmpty ? nil : registration.assertionKeys.map { $0.id ?? "" }
        redirectURIs = registration.redirectURIs
        challengeTypes = registration.challengeTypes
        scopes = registration.scopes
        audiences = registration.audiences
        attributes = registration.attributes.map {
            Attribute(name: $0.name, type: $0.type, isRequired: $0.isRequired, pattern: $0.pattern)
        }
        requiresSecondFactor = registration.requiresSecondFactor
        revealsAddresses = registration.revealsAddresses
        isDisabled = registration.isDisabled
        formerSecretUntil = registration.oauth.formerSecretUntil.map(Timestamp.init)
        versions = registration.versions.shown(to: permit)
        oauth = OAuth(registration.oauth, tokens)
        ownerNote = registration.ownerNote
        contacts = registration.shownContacts.isEmpty ? nil : registration.shownContacts
        lastUsedAt = uses.first.map { Timestamp($0.at) }
        let registered = registration.registeredDialects
        let used = uses.map {
            ProtocolUse(
                name: $0.dialect.rawValue, isRegistered: registered.contains($0.dialect), lastUsedAt: Timestamp($0.at))
        }
        let unused = registered.filter { dialect in !uses.contains { $0.dialect == dialect } }.map {
            ProtocolUse(name: $0.rawValue, isRegistered: true, lastUsedAt: nil)
        }
        protocols = used.isEmpty && unused.isEmpty ? nil : used + unused
        origin = Origin(registration)
        createdAt = Timestamp(application.createdAt)
    }
}

extension Realm {
    /// Applications as a caller sees them, in their order.
    func summaries(
        of applications: [Application], for permit: AdministrationPermit
    ) async throws -> [ApplicationSummary] {
        let uses = try await applicationUses.list(of: applications.map(\.id))
        let tokens = try await keyring.settings()
        return applications.map { ApplicationSummary($0, uses: uses[$0.id] ?? [], tokens: tokens, for: permit) }
    }

    /// The same of one.
    func summary(of application: Application, for permit: AdministrationPermit) async throws -> ApplicationSummary {
        let uses = try await applicationUses.list(of: [application.id])
        return try await summary(of: application, uses: uses[application.id] ?? [], for: permit)
    }

    /// The same where its uses are known.
    func summary(
        of application: Application, uses: [ApplicationUse], for permit: AdministrationPermit
    ) async throws -> ApplicationSummary {
        ApplicationSummary(application, uses: uses, tokens: try await keyring.settings(), for: permit)
    }
}

extension ApplicationSummary.Origin {
    fileprivate init?(_ registration: ApplicationRegistration) {
        let approval = registration.oauth.approval
        switch registration.oauth.origin {
        case .administrator: return nil
        case .registered(let own):
            (by, token, source, document) = ("itself", own.token, own.source, nil)
        case .document(let uri): (by, token, source, document) = ("document", nil, nil, uri)
        }
        host = registration.shownHost
        approvedAt = approval.map { Timestamp($0.at) }
        approvedBy = approval?.by
    }
}

extension ApplicationSummary.OAuth {
    init(_ oauth: OAuthRegistration, _ tokens: TokenSettings) {
        self.init(
            kind: oauth.kind?.rawValue,
            grantTypes: oauth.grantTypes ?? oauth.defaultGrantTypes,
            authMethod: oauth.authMethod?.rawValue, postLogoutRedirectURIs: oauth.postLogoutRedirectURIs,
            backchannelLogoutURI: oauth.backchannelLogoutURI, isFirstParty: oauth.isFirstParty,
            requiresPAR: oauth.requiresPAR, requiresDPoP: oauth.requiresDPoP,
            issuerStyle: oauth.issuerStyle.word, resources: oauth.resources,
            assertionAudience: oauth.takesTokenEndpointAudience
                ? RegistrationChange.tokenEndpointAudience : RegistrationChange.issuerAudience,
            jwksURI: oauth.jwksURI, defaultACR: oauth.defaultACR.isEmpty ? nil : oauth.defaultACR,
            defaultMaxAge: oauth.defaultMaxAge, idTokenAlgorithm: oauth.idTokenAlgorithm?.rawValue,
            idTokenAlgorithmInUse: tokens.idTokenAlgorithm(of: oauth).rawValue,
            initiateLoginURI: oauth.initiateLoginURI, clientURI: oauth.clientURI, policyURI: oauth.policyURI,
            termsURI: oauth.termsURI, redirectsOn: oauth.redirectsOn, accent: oauth.accent, hasLogo: oauth.logo != nil,
            logo: oauth.logo)
    }
}

extension AdministrationError {
    static func noApplication(_ id: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no application \(id). `countersign app list` shows all of them.")
    }
}
