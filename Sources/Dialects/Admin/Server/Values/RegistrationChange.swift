import CountersignCore
import Foundation
import SecurityChecks

/// What is to be different about an application's registration. What is nil stays; an empty list empties.
public struct RegistrationChange: Codable, Sendable {
    public var displayName: String?
    /// The client secret, where the application brings its own: at least ``leastSecretLength`` characters.
    public var secret: SecretText?
    /// True makes a new secret, which is given back once; false makes the application public.
    public var hasSecret: Bool?
    /// The public keys with which the application signs assertions (RFC 7517, section 5; at most ``AssertionKey/most``);
    /// `{"keys": []}` removes them.
    public var jwks: JSONValue?
    /// Hours for which the secret of before counts beside a new one, which is made or given with it: 1 to ``longestOverlap``.
    public var secretOverlap: Int?
    public var redirectURIs: [String]?
    /// `web`, `browser`, `native`, `service` or `device`.
    public var kind: String?
    /// `grant_type`s that the application may use.
    public var grantTypes: [String]?
    /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`.
    public var authMethod: String?
    public var postLogoutRedirectURIs: [String]?
    /// An empty one removes it.
    public var backchannelLogoutURI: String?
    public var isFirstParty: Bool?
    public var requiresPAR: Bool?
    public var requiresDPoP: Bool?
    /// `standard` or `auth0`.
    public var issuerStyle: String?
    /// The APIs that the application may ask tokens for.
    public var resources: [String]?
    /// What assertions may be for: `issuer`, or `token-endpoint` beside it.
    public var assertionAudience: String?
    /// Where the application publishes the keys that it signs assertions with; an empty one removes it.
    public var jwksURI: String?
    /// `acr` values that are asked for where a request names none.
    public var defaultACR: [String]?
    /// Seconds since the sign-in, where a request names none; -1 removes it.
    public var defaultMaxAge: Int?
    /// What ID tokens and logout tokens are signed with: `ES256` or `RS256`; an empty text leaves it to the server's settings.
    public var idTokenAlgorithm: String?
    /// Where the application begins a sign-in that it was not asked for; an empty one removes it.
    public var initiateLoginURI: String?
    /// The application's home page, privacy policy and terms of use; an empty one removes it.
    public var clientURI: String?
    public var policyURI: String?
    public var termsURI: String?
    /// Whether its redirect URIs lead on to another site or to an app: then users get there by a page.
    public var redirectsOn: Bool?
    /// The colour of its pages of a sign-in, as `#rrggbb`; an empty one removes it.
    public var accent: String?
    /// For administrators alone: who owns the application, what it is for. At most 500 characters; an empty one removes it.
    public var ownerNote: String?
    /// How to reach those who are responsible for the application: at most 8 texts, such as addresses; an empty list shows what the
    /// application says itself.
    public var contacts: [String]?
    /// Of `oob`, `password`, `redirect`.
    public var challengeTypes: [String]?
    public var scopes: [String]?
    /// What access tokens may be issued for, beside the server's own APIs; `*` for any.
    public var audiences: [String]?
    public var attributes: [ApplicationSummary.Attribute]?
    public var requiresSecondFactor: Bool?
    public var revealsAddresses: Bool?
    /// Whether no protocol knows the application for now.
    public var isDisabled: Bool?
    /// What each version asks of its clients, for security checks.
    public var versions: [ApplicationVersion]?

    public init() {}

    /// Secrets are kept as one plain hash, so that a short one could be guessed from a stolen database.
    public static let leastSecretLength = 24
    /// Hours that two secrets may overlap.
    public static let longestOverlap = 720
    static let knownChallengeTypes = ["oob", "password", "redirect"]
    static let knownAttributeTypes = ["string", "integer", "boolean"]

    /// - Throws: ``AdministrationError`` of code `invalid`.
    func validate() throws {
        if secret != nil && hasSecret != nil {
            throw AdministrationError(.invalid, "Give a secret or have one generated, not both.")
        }
        if let secret, secret.secret.reveal().count < Self.leastSecretLength {
            throw AdministrationError(
                .invalid, "The secret is too short: it needs at least \(Self.leastSecretLength) random characters.")
        }
        _ = try assertionKeys()
        try validateOAuth()
        try validateNotes()
        for uri in redirectURIs ?? [] where !Self.isRedirectURI(uri) {
            throw AdministrationError(
                .invalid,
                "\"\(uri)\" is no redirect URI: it has a scheme other than javascript, data, vbscript, file and blob, "
                    + "visible ASCII alone, and no fragment.")
        }
        for type in challengeTypes ?? [] where !Self.knownChallengeTypes.contains(type) {
            throw AdministrationError(
                .invalid,
                "\"\(type)\" is no challenge type. There are \(Self.knownChallengeTypes.joined(separator: ", ")).")
        }
        for scope in scopes ?? [] where !Self.isScope(scope) {
            throw AdministrationError(
                .invalid, "\"\(scope)\" is no scope: it has no white space, quotes or backslashes.")
        }
        for audience in audiences ?? [] where !Self.isAudience(audience) {
            throw AdministrationError(
                .invalid,
                "\"\(audience)\" is no audience: it has 1 to \(ApplicationRegistration.longestAudience) printable ASCII "
                    + "characters and no white space, for instance https://api.example.com.")
        }
        for attribute in attributes ?? [] {
            guard Self.knownAttributeTypes.contains(attribute.type) else {
                throw AdministrationError(
                    .invalid,
                    "The attribute \(attribute.name) is of the unknown type \"\(attribute.type)\". There are "
                        + "\(Self.knownAttributeTypes.joined(separator: ", ")).")
            }
            guard !attribute.name.isEmpty, attribute.name.utf8.count <= 128, Self.isScope(attribute.name) else {
                throw AdministrationError(.invalid, "\"\(attribute.name)\" is no name of an attribute.")
            }
            if let pattern = attribute.pattern { try Self.check(pattern, of: attribute) }
        }
        try versions?.validate()
        if let attributes, Set(attributes.map(\.name)).count != attributes.count {
            throw AdministrationError(.invalid, "An attribute is there twice.")
        }
    }

    /// What operators write for each other is a line of text, wherever it is shown.
    private func validateNotes() throws {
        try AdministrationError.check(displayName: displayName)
        try AdministrationError.check(ownerNote: ownerNote)
        guard let contacts else { return }
        guard contacts.count <= ApplicationRegistration.mostContacts else {
            throw AdministrationError(
                .invalid, "An application has \(ApplicationRegistration.mostContacts) contacts at most.")
        }
        for contact in contacts where !PlainText.isLine(contact, longest: ApplicationRegistration.longestContact) {
            throw AdministrationError(
                .invalid,
                "A contact has 1 to \(ApplicationRegistration.longestContact) characters, such as dev@example.com.")
        }
    }

    /// Nil where they stay.
    private func assertionKeys() throws -> [AssertionKey]? {
        guard let jwks else { return nil }
        if jwks == .object(["keys": .array([])]) { return [] }
        do {
            return try AssertionKey.keys(ofJWKS: jwks)
        } catch {
            throw AdministrationError(.invalid, error.sentence)
        }
    }

    private static func check(_ pattern: String, of attribute: ApplicationSummary.Attribute) throws {
        guard attribute.type == "string" else {
            throw AdministrationError(
                .invalid, "The attribute \(attribute.name) is no string; only strings have a pattern.")
        }
        do {
            _ = try AttributePattern(pattern)
        } catch {
            throw AdministrationError(
                .invalid, "The pattern of the attribute \(attribute.name) is not taken: \(error.description).")
        }
    }

    /// RFC 6749, section 3.1.2: absolute, without fragment. Schemes that run in a page are not taken.
    private static func isRedirectURI(_ text: String) -> Bool {
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            components.fragment == nil
        else { return false }
        return !["javascript", "data", "vbscript", "file", "blob"].contains(scheme)
    }

    /// RFC 6749, section 3.3.
    private static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }

    /// RFC 7519, section 4.1.3: a text, usually a URI.
    private static func isAudience(_ text: String) -> Bool {
        (1...ApplicationRegistration.longestAudience).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The secret to be set, where one is, and whether to tell it.
    enum SecretChange: Sendable {
        case none
        case given(SecretText)
        case generated(SecretText)
        case removed

        var generated: SecretText? {
            if case .generated(let secret) = self { secret } else { nil }
        }

        /// - Parameter overlap: until when the secret of before counts too.
        func apply(to registration: inout ApplicationRegistration, keepingFormerUntil overlap: Date?) {
            switch self {
            case .none: break
            case .given(let text): registration.setSecret(text.secret, keepingFormerUntil: overlap)
            case .generated(let text):
                registration.setSecret(text.secret, isDrawn: true, keepingFormerUntil: overlap)
            case .removed: registration.setSecret(nil, keepingFormerUntil: overlap)
            }
        }
    }

    func secret(random: any RandomSource) -> SecretChange {
        if let secret { return .given(secret) }
        return switch hasSecret {
        case nil: .none
        case true?: .generated(SecretText(ApplicationRegistration.drawnSecret(random: random).reveal()))
        case false?: .removed
        }
    }

    func apply(to registration: inout ApplicationRegistration, secret: SecretChange, at now: Date) {
        if let displayName { registration.displayName = displayName.isEmpty ? nil : displayName }
        secret.apply(to: &registration, keepingFormerUntil: secretOverlap.map { now + Double($0) * 3600 })
        apply(to: &registration.oauth)
        if let keys = try? assertionKeys() { registration.assertionKeys = keys }
        if let redirectURIs { registration.redirectURIs = redirectURIs }
        if let ownerNote { registration.ownerNote = ownerNote.isEmpty ? nil : ownerNote }
        if let contacts { registration.contacts = contacts }
        if let challengeTypes { registration.challengeTypes = challengeTypes }
        if let scopes { registration.setScopes(scopes) }
        if let audiences { registration.audiences = audiences }
        if let attributes {
            registration.attributes = attributes.map {
                ApplicationRegistration.Attribute(
                    name: $0.name, type: $0.type, isRequired: $0.isRequired, pattern: $0.pattern)
            }
        }
        if let requiresSecondFactor { registration.requiresSecondFactor = requiresSecondFactor }
        if let revealsAddresses { registration.revealsAddresses = revealsAddresses }
        if let isDisabled { registration.isDisabled = isDisabled }
        if let versions { registration.versions = versions }
    }

    /// What becomes weaker by it, and what does nothing yet.
    /// - Parameter known: the APIs that there are.
    func warnings(for id: ClientID, among known: [Resource]) -> [String] {
        let missing = (resources ?? []).filter { uri in !known.contains { $0.uri == uri } }
        return weaknesses(of: id)
            + missing.map {
                "There is no API \($0): \(id) cannot ask for it until `countersign resource add \($0)` registers it."
            }
    }

    private func weaknesses(of id: ClientID) -> [String] {
        var warnings: [String] = []
        if versions?.contains(where: \.refreshTokens) ?? false {
            warnings.append(
                "\(id) has refresh tokens for its clients: a user who passed a check once stays signed in as long as the app is "
                    + "used every thirty days, without being asked again. Leave them off where people are to prove themselves."
            )
        }
        if audiences?.contains(ApplicationRegistration.anyAudience) ?? false {
            warnings.append(
                "\(id) gets access tokens for any audience: with it, a user's sign-in there opens every API that trusts this "
                    + "server. Name the audiences, unless this is a development server."
            )
        }
        if assertionAudience == Self.tokenEndpointAudience {
            warnings.append(
                "\(id) may sign assertions for the token endpoint: this does not conform to RFC 10070, because another server could "
                    + "obtain such an assertion and show it here. Replace the application's library."
            )
        }
        guard revealsAddresses == true else { return warnings }
        return warnings + [
            "\(id) reveals addresses: a client learns which addresses have an account, and can collect "
                + "them to try passwords on. Leave it off unless the app cannot do without."
        ]
    }
}
