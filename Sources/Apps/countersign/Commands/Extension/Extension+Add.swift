import AdminServer
import ArgumentParser

extension ExtensionCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register a service.",
            discussion: """
                  countersign extension add --event token-issuance-start \\
                    --url https://api.example.com/claims --app notes \\
                    --claim customRoles:my_roles --claim dateOfBirth \\
                    --constant policy_version=2
                  countersign extension add --event otp-send \\
                    --url https://api.example.com/codes --on-error fallback

                The server's configuration says which networks it may call (extensions.allowedNetworks). https is required, \
                except on this machine under --dev. `countersign extension check` tests the service.
                """)

        @Option(
            help: ArgumentHelp(
                "token-issuance-start, otp-send, attribute-collection-start or attribute-collection-submit.",
                valueName: "event"))
        var event: String

        @Option(help: ArgumentHelp("The address of the service: https://…", valueName: "url"))
        var url: String

        @Option(help: "The extension's name.")
        var name: String?

        @Option(
            help: ArgumentHelp(
                "api://HOST/APPID with the URL's host; the APPID is the audience of the calls' tokens (default: generated).",
                valueName: "uri"))
        var resourceID: String?

        @Option(
            name: .customLong("app"),
            help: ArgumentHelp(
                "The application that it serves. Can be repeated (default: all).", valueName: "id"))
        var applications: [String] = []

        @Option(help: ArgumentHelp("Milliseconds that a call may take: 200 to 2000.", valueName: "ms"))
        var timeout = 1000

        @Option(help: "How often a failed call is repeated: 0 or 1.")
        var retries = 0

        @Option(
            help: ArgumentHelp(
                "What to do with a code that the service does not accept: refuse, or fallback to mail.",
                valueName: "behavior"))
        var onError: String?

        @Option(
            name: .customLong("claim"),
            help: ArgumentHelp(
                "A claim of the service for tokens, and its name there. Can be repeated.",
                valueName: "id[:name]"))
        var claims: [String] = []

        @Option(
            name: .customLong("constant"),
            help: ArgumentHelp("A constant claim. Can be repeated.", valueName: "name=value"))
        var constants: [String] = []

        @Option(help: ArgumentHelp("Which tokens get the claims: id, access (default: both).", valueName: "tokens"))
        var claimsIn: String?

        @Option(
            help: ArgumentHelp(
                "The extension in whose place it comes; where it is refused, that one stays.", valueName: "id"))
        var replaces: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            _ = try mappings()
        }

        func run() async throws {
            let answer = try await realm.perform(
                AddExtension(
                    event: event, targetURL: url, displayName: name, resourceID: resourceID,
                    applications: applications, timeout: timeout, retries: retries, onError: onError,
                    claims: try mappings(),
                    tokens: claimsIn.map(\.typedWords),
                    replaces: replaces))
            try output.show(answer) { ExtensionCommand.describe(answer.extension) }
        }

        private func mappings() throws -> [ExtensionSummary.Claim] {
            let provided = try claims.map { text -> ExtensionSummary.Claim in
                // A name of a claim may be a URL: only the first colon separates.
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.allSatisfy({ !$0.isEmpty }), let id = parts.first else {
                    throw ValidationError(
                        "\"\(text)\" is no claim. Write ID or ID:NAME, for instance customRoles:my_roles.")
                }
                return ExtensionSummary.Claim(id: id, jwtClaimType: parts.count == 2 ? parts[1] : nil)
            }
            let fixed = try constants.map { text -> ExtensionSummary.Claim in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw ValidationError(
                        "\"\(text)\" is no constant. Write NAME=VALUE, for instance policy_version=2.")
                }
                return ExtensionSummary.Claim(value: parts[1], jwtClaimType: parts[0])
            }
            return provided + fixed
        }
    }
}
