import AdminServer
import ArgumentParser
import CountersignCore
import Foundation
import ServerHTTP

/// What an application is registered with.
struct RegistrationOptions: ParsableArguments {
    @Option(help: "The application's name.")
    var name: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Generate a client secret and print it once, or make the application public.")
    var secret: Bool?

    @Option(help: ArgumentHelp("Read the client secret from a file: 24 random characters or more.", valueName: "file"))
    var secretFile: String?

    @Option(
        help: ArgumentHelp(
            "Read the public keys with which the application signs assertions (private_key_jwt) from a file: a JSON Web Key Set. "
                + "An empty name removes them.", valueName: "file"))
    var jwks: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("An allowed redirect URI. Can be repeated; an empty one clears the list.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        help: ArgumentHelp(
            "For how many hours the present secret counts beside the new one, so that your servers change over one by one.",
            valueName: "hours"))
    var secretOverlap: Int?

    @Option(help: ArgumentHelp("web, browser, native, service or device.", valueName: "kind"))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "The grant types that the application may use, separated by spaces or commas.", valueName: "types"))
    var grantTypes: [String] = []

    @Option(
        help: ArgumentHelp(
            "How the application authenticates: none, client_secret_basic, client_secret_post or private_key_jwt.",
            valueName: "method"))
    var authMethod: String?

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp(
            "Where a browser may be led after signing out. Can be repeated; an empty one clears the list.",
            valueName: "uri"))
    var postLogoutRedirectURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp("Where the server tells that a session ended; an empty one removes it.", valueName: "uri"))
    var backchannelLogoutURI: String?

    @Flag(inversion: .prefixedNo, help: "Whether the application is your own: users are not asked for consent.")
    var firstParty: Bool?

    @Flag(name: .customLong("require-par"), inversion: .prefixedNo, help: "Whether requests have to be pushed (PAR).")
    var requirePAR: Bool?

    @Flag(name: .customLong("require-dpop"), inversion: .prefixedNo, help: "Whether tokens have to be bound to a key.")
    var requireDPoP: Bool?

    @Option(
        help: ArgumentHelp(
            "How tokens spell the issuer: standard, or auth0 with a slash at the end.", valueName: "style"))
    var issuerStyle: String?

    @Option(
        name: .customLong("resource"),
        help: ArgumentHelp(
            "An API that the application may ask tokens for. Can be repeated; an empty one clears the list.",
            valueName: "uri"))
    var resources: [String] = []

    @Option(
        help: ArgumentHelp(
            "What assertions of the application are for: issuer, or token-endpoint for an old library.",
            valueName: "audience"))
    var assertionAudience: String?

    @Option(
        name: .customLong("jwks-uri"),
        help: ArgumentHelp(
            "Where the application publishes the keys that it signs assertions with; an empty one removes it.",
            valueName: "uri"))
    var jwksURI: String?

    @Option(
        name: .customLong("default-acr"),
        help: ArgumentHelp(
            "The assurance to ask for where a request names none: aal1, aal2, phr or phrh, the preferred first. An empty one removes it.",
            valueName: "levels"))
    var defaultACR: [String] = []

    @Option(
        help: ArgumentHelp(
            "How old a sign-in may be where a request does not say; none removes it.", valueName: "seconds"))
    var defaultMaxAge: String?

    @Option(
        name: .customLong("id-token-alg"),
        help: ArgumentHelp(
            "What ID tokens are signed with: ES256 or RS256; an empty one leaves it to the server's settings. A new "
                + "application of kind web has RS256.",
            valueName: "algorithm"))
    var idTokenAlgorithm: String?

    @Option(
        name: .customLong("initiate-login-uri"),
        help: ArgumentHelp(
            "Where the application begins a sign-in: pages lead back there. An empty one removes it.", valueName: "uri")
    )
    var initiateLoginURI: String?

    @Option(
        name: .customLong("client-uri"),
        help: ArgumentHelp("The application's home page; an empty one removes it.", valueName: "uri"))
    var clientURI: String?

    @Option(
        name: .customLong("policy-uri"),
        help: ArgumentHelp(
            "The application's privacy policy, which the consent page links to; an empty one removes it.",
            valueName: "uri"))
    var policyURI: String?

    @Option(
        name: .customLong("tos-uri"),
        help: ArgumentHelp(
            "The application's terms of use, which the consent page links to; an empty one removes it.",
            valueName: "uri"))
    var termsURI: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the redirect URIs lead on to another site or to an app: then users get there by a page.")
    var redirectsOn: Bool?

    @Option(
        help: ArgumentHelp(
            "The colour of buttons and links on the application's pages of a sign-in, as #rrggbb; an empty one removes it.",
            valueName: "colour"))
    var accent: String?

    @Option(
        help: ArgumentHelp(
            "For administrators alone: who owns the application, what it is for. An empty one removes it.",
            valueName: "text"))
    var note: String?

    @Option(
        name: .customLong("contact"),
        help: ArgumentHelp(
            "How to reach who is responsible for the application. Can be repeated; an empty one clears the list.",
            valueName: "address"))
    var contacts: [String] = []

    @Option(help: ArgumentHelp("Any of oob, password and redirect, separated by spaces or commas.", valueName: "types"))
    var challengeTypes: [String] = []

    @Option(
        help: ArgumentHelp(
            "The scopes that the application may request, separated by spaces or commas.", valueName: "scopes"))
    var scopes: [String] = []

    @Option(
        name: .customLong("audience"),
        help: ArgumentHelp(
            "An API that access tokens are issued for, besides this server. Can be repeated; an empty one clears the "
                + "list.", valueName: "uri"))
    var audiences: [String] = []

    @Option(
        name: .customLong("attribute"),
        help: ArgumentHelp(
            "An attribute to ask for at sign-up; the type is string, integer or boolean, and a string may have a regular "
                + "expression to match. Can be repeated.",
            valueName: "name:type[:required][:/regex/]"))
    var attributes: [String] = []

    @Flag(
        name: .customLong("require-mfa"), inversion: .prefixedNo,
        help: "Whether a sign-in without a second factor is refused.")
    var requireMFA: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether answers disclose that an address has no account. Weaker: strangers can list your users.")
    var revealAddresses: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the application is disabled: no protocol knows it then, and nothing of it is lost.")
    var disabled: Bool?

    @Option(
        help: ArgumentHelp(
            "Read from a file what each version of the application asks of clients of security checks: a JSON list, as app show --json has "
                + "under versions. An empty name removes them.", valueName: "file"))
    var versions: String?

    func validate() throws {
        if secret != nil && secretFile != nil { throw ValidationError("Give one of --secret and --secret-file.") }
        if secretOverlap != nil && secret != true && secretFile == nil {
            throw ValidationError("--secret-overlap takes a new secret beside it: give --secret or --secret-file.")
        }
        if let defaultMaxAge, defaultMaxAge != "none", Int(defaultMaxAge) == nil {
            throw ValidationError("\"\(defaultMaxAge)\" is no number of seconds. Write one, or none.")
        }
        _ = try parsedAttributes()
    }

    func change() throws -> RegistrationChange {
        var change = RegistrationChange()
        change.displayName = name
        change.hasSecret = secret
        change.secret = try secretFile.map { SecretText(try SecretInput.file($0)) }
        change.jwks = try jwks.map(Self.keySet)
        change.redirectURIs = redirectURIs.isEmpty ? nil : redirectURIs.filter { !$0.isEmpty }
        change.secretOverlap = secretOverlap
        change.kind = kind
        change.grantTypes = words(grantTypes)
        change.authMethod = authMethod
        change.postLogoutRedirectURIs =
            postLogoutRedirectURIs.isEmpty ? nil : postLogoutRedirectURIs.filter { !$0.isEmpty }
        change.backchannelLogoutURI = backchannelLogoutURI
        change.isFirstParty = firstParty
        change.requiresPAR = requirePAR
        change.requiresDPoP = requireDPoP
        change.issuerStyle = issuerStyle
        change.resources = resources.isEmpty ? nil : resources.filter { !$0.isEmpty }
        change.assertionAudience = assertionAudience
        change.jwksURI = jwksURI
        change.defaultACR = words(defaultACR)
        change.defaultMaxAge = defaultMaxAge.map { Int($0) ?? -1 }
        change.idTokenAlgorithm = idTokenAlgorithm
        change.initiateLoginURI = initiateLoginURI
        change.clientURI = clientURI
        change.policyURI = policyURI
        change.termsURI = termsURI
        change.redirectsOn = redirectsOn
        change.accent = accent
        change.ownerNote = note
        change.contacts = contacts.isEmpty ? nil : contacts.filter { !$0.isEmpty }
        change.challengeTypes = words(challengeTypes)
        change.scopes = words(scopes)
        change.audiences = audiences.isEmpty ? nil : audiences.filter { !$0.isEmpty }
        change.attributes = attributes.isEmpty ? nil : try parsedAttributes()
        change.requiresSecondFactor = requireMFA
        change.revealsAddresses = revealAddresses
        change.isDisabled = disabled
        if let versions { try Self.read(versions: versions, into: &change) }
        return change
    }

    /// What a file says of versions, as strictly as a server takes it: a member that is misspelt protects nothing.
    private static func read(versions path: String, into change: inout RegistrationChange) throws {
        if path.isEmpty {
            change.versions = []
            return
        }
        let bytes = try InputFile.bytes(path)
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: bytes), case .array = value else {
            throw CommandFailure(
                .usage, "\(path) is no JSON list. `countersign app show --json` has one under versions.")
        }
        do {
            let decoded = try StrictJSON.decode(RegistrationChange.self, from: .object(["versions": value]))
            change.versions = decoded.versions
        } catch let unknown as StrictJSON.UnknownMember {
            throw CommandFailure(.usage, "\(path): there is no member \"\(unknown.path)\".")
        } catch let fault as RequestBodyFault {
            throw CommandFailure(.usage, "\(path): \(fault.sentence)")
        }
    }

    private static func keySet(_ path: String) throws -> JSONValue {
        if path.isEmpty { return .object(["keys": .array([])]) }
        let bytes = try InputFile.bytes(path)
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: bytes) else {
            throw CommandFailure(.usage, "\(path) is not JSON. A key set is {\"keys\": [ … ]}.")
        }
        return value
    }

    /// Nil where the option was not given; empty where it was given empty.
    private func words(_ values: [String]) -> [String]? {
        if values.isEmpty { return nil }
        return values.flatMap(\.typedWords)
    }

    private func parsedAttributes() throws -> [ApplicationSummary.Attribute] {
        try attributes.filter { !$0.isEmpty }.map { text in
            guard let attribute = ApplicationSummary.Attribute(written: text) else {
                throw ValidationError(
                    "\"\(text)\" is no attribute. Write NAME:TYPE or NAME:TYPE:required, with :/REGEX/ after it where "
                        + "there is a pattern; for instance city:string.")
            }
            return attribute
        }
    }
}
