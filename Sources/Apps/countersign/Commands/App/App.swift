import AdminServer
import ArgumentParser
import CountersignCore

/// Applications.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Register and change applications.",
        discussion: "An application's id is what OAuth calls the client id and Firebase options call the API key.",
        subcommands: [Add.self, Set.self, List.self, Show.self, Remove.self])

    static func describe(_ application: ApplicationSummary) -> [String] {
        var table = Table()
        table.add("id", application.id)
        table.add("name", application.displayName)
        table.add("client", application.isConfidential ? "confidential (has a secret)" : "public (no secret)")
        table.add("redirect URIs", application.redirectURIs.joined(separator: " "))
        table.add("challenge types", application.challengeTypes.joined(separator: " "))
        table.add("scopes", application.scopes.joined(separator: " "))
        table.add("audiences", application.audiences?.joined(separator: " ") ?? "any (none was ever set)")
        table.add(
            "attributes",
            application.attributes.map { attribute in
                let pattern = attribute.pattern.map { ":/\($0)/" } ?? ""
                return "\(attribute.name):\(attribute.type)\(attribute.isRequired ? ":required" : "")\(pattern)"
            }.joined(separator: " "))
        table.add("requires MFA", application.requiresSecondFactor.yesOrNo)
        table.add("reveals addresses", application.revealsAddresses.yesOrNo)
        table.add("created", application.createdAt.text)
        return table.lines
    }

    static func describe(_ answer: AddApplication.Answer) -> [String] {
        var lines = describe(answer.application)
        if let secret = answer.secret {
            lines += ["", "The client secret, shown only once: \(secret.secret.reveal())"]
        }
        return lines
    }
}
