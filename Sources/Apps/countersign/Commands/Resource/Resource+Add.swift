import AdminServer
import ArgumentParser

extension ResourceCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register an API, or replace the one with its identifier.",
            discussion: """
                  countersign resource add https://api.example.com --scopes "read write"
                  countersign resource add https://notes.example.com --scopes notes \\
                    --scope-text "notes=Read your notes" \\
                    --scope-text "notes@de=Ihre Notizen lesen"
                  countersign resource add https://pay.example.com --scopes pay \\
                    --min-acr aal2 --owner shop
                  countersign resource add https://pay.example.com --scopes "see pay" \\
                    --scope-acr pay=aal2
                """)

        @Argument(help: "The API's identifier: an absolute URI, which tokens have as audience.")
        var uri: String

        @Option(help: "What people are shown.")
        var name: String?

        @Option(help: ArgumentHelp("The API's scopes, separated by spaces or commas.", valueName: "scopes"))
        var scopes: [String] = []

        @Option(
            help: ArgumentHelp(
                "What the consent page says of a scope, in any language or in one. May be repeated.",
                valueName: "scope[@language]=text"))
        var scopeText: [String] = []

        @Option(
            help: ArgumentHelp(
                "What a scope opens of the user's custom claims and attributes (plan, attributes.city). May be repeated.",
                valueName: "scope=claim,…"))
        var scopeClaims: [String] = []

        @Option(
            help: ArgumentHelp("The least assurance of a session that gets a scope: aal1 or aal2.", valueName: "level"))
        var minAcr: String?

        @Option(
            help: ArgumentHelp(
                "The least assurance of one scope, which counts more than that of all. May be repeated.",
                valueName: "scope=level"))
        var scopeAcr: [String] = []

        @Option(help: ArgumentHelp("The application that asks about the API's tokens.", valueName: "client"))
        var owner: String?

        @Option(help: ArgumentHelp("How long access tokens live: 60 to 86400.", valueName: "seconds"))
        var lifetime: Int?

        @Option(
            help: ArgumentHelp(
                "What access tokens are: jwt, or opaque for an API that asks about each (introspection).",
                valueName: "format"))
        var token: String?

        @Option(
            help: ArgumentHelp(
                "What access tokens are signed with, for an API that reads one alone: ES256 or RS256.",
                valueName: "algorithm"))
        var tokenAlg: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let words = scopes.flatMap(\.typedWords)
            var texts: [String: [String: String]] = [:]
            for text in scopeText {
                let (scope, language, said) = try Self.scopeText(text, of: words)
                texts[scope, default: [:]][language] = said
            }
            var claims: [String: [String]] = [:]
            for option in scopeClaims {
                let (scope, names) = try Self.scopeClaims(option, of: words)
                claims[scope, default: []] += names
            }
            var levels: [String: String] = [:]
            for option in scopeAcr {
                let (scope, level) = try Self.scopeLevel(option, of: words)
                levels[scope] = level
            }
            let answer = try await realm.perform(
                PutResource(
                    uri: uri, displayName: name, scopes: words, scopeTexts: texts.isEmpty ? nil : texts,
                    scopeClaims: claims.isEmpty ? nil : claims, minimumACR: minAcr,
                    scopeACRs: levels.isEmpty ? nil : levels,
                    owner: owner, lifetime: lifetime, tokenFormat: token, tokenAlgorithm: tokenAlg))
            try output.show(answer) { ResourceCommand.describe(answer.resource) }
        }

        /// `scope=level`, read by the names of scopes as well.
        private static func scopeLevel(_ option: String, of scopes: [String]) throws -> (scope: String, level: String) {
            for scope in scopes.sorted(by: { $0.count > $1.count }) where option.hasPrefix(scope + "=") {
                return (scope, String(option.dropFirst(scope.count + 1)))
            }
            throw ValidationError(
                "\"\(option)\" names no level of a scope: write it as scope=aal2 with a scope of --scopes.")
        }

        /// `scope=claim,claim`, read by the names of scopes as well.
        private static func scopeClaims(
            _ option: String, of scopes: [String]
        ) throws -> (scope: String, names: [String]) {
            for scope in scopes.sorted(by: { $0.count > $1.count }) where option.hasPrefix(scope) {
                let rest = option.dropFirst(scope.count)
                guard rest.first == "=" else { continue }
                return (scope, rest.dropFirst().typedWords)
            }
            throw ValidationError(
                "\"\(option)\" names no claims of a scope: write them as scope=claim,claim with a scope of --scopes.")
        }

        /// `scope=text` or `scope@language=text`. Scopes may have both signs in them, so it is read by the names that were given.
        private static func scopeText(
            _ option: String, of scopes: [String]
        ) throws -> (scope: String, language: String, text: String) {
            for scope in scopes.sorted(by: { $0.count > $1.count }) where option.hasPrefix(scope) {
                let rest = option.dropFirst(scope.count)
                if rest.first == "=" { return (scope, "", String(rest.dropFirst())) }
                let parts = rest.dropFirst().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if rest.first == "@", parts.count == 2 { return (scope, String(parts[0]), String(parts[1])) }
            }
            throw ValidationError(
                "\"\(option)\" is no text of a scope: write it as scope=text or scope@language=text, with a scope of --scopes."
            )
        }
    }
}
