import AdminServer
import ArgumentParser
import CountersignCore

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
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("An allowed redirect URI. Can be repeated; an empty one clears the list.", valueName: "uri"))
    var redirectURIs: [String] = []

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

    func validate() throws {
        if secret != nil && secretFile != nil { throw ValidationError("Give one of --secret and --secret-file.") }
        _ = try parsedAttributes()
    }

    func change() throws -> RegistrationChange {
        var change = RegistrationChange()
        change.displayName = name
        change.hasSecret = secret
        change.secret = try secretFile.map { SecretText(try SecretInput.file($0)) }
        change.redirectURIs = redirectURIs.isEmpty ? nil : redirectURIs.filter { !$0.isEmpty }
        change.challengeTypes = words(challengeTypes)
        change.scopes = words(scopes)
        change.audiences = audiences.isEmpty ? nil : audiences.filter { !$0.isEmpty }
        change.attributes = attributes.isEmpty ? nil : try parsedAttributes()
        change.requiresSecondFactor = requireMFA
        change.revealsAddresses = revealAddresses
        return change
    }

    /// Nil where the option was not given; empty where it was given empty.
    private func words(_ values: [String]) -> [String]? {
        if values.isEmpty { return nil }
        return values.flatMap { $0.split { $0 == " " || $0 == "," }.map(String.init) }
    }

    private func parsedAttributes() throws -> [ApplicationSummary.Attribute] {
        try attributes.filter { !$0.isEmpty }.map { text in
            // Names and types have no slash in them: from the first :/ on it is the pattern.
            let mark = text.firstRange(of: ":/")
            let definition = mark.map { text[..<$0.lowerBound] } ?? text[...]
            let pattern = mark.map { text[$0.upperBound...] }
            let parts = definition.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 || parts.count == 3 && parts[2] == "required", !parts[0].isEmpty,
                pattern?.hasSuffix("/") ?? true
            else {
                throw ValidationError(
                    "\"\(text)\" is no attribute. Write NAME:TYPE or NAME:TYPE:required, with :/REGEX/ behind it where "
                        + "there is a pattern; for instance city:string.")
            }
            return ApplicationSummary.Attribute(
                name: parts[0], type: parts[1], isRequired: parts.count == 3,
                pattern: pattern.map { String($0.dropLast()) })
        }
    }
}
