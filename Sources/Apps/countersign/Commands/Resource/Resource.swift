import AdminServer
import ArgumentParser

/// APIs that access tokens are issued for.
struct ResourceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resource",
        abstract: "Register the APIs that access tokens are issued for.",
        subcommands: [Add.self, List.self, Remove.self])

    static func describe(_ resource: ResourceSummary) -> [String] {
        var table = Table()
        table.add("identifier", resource.uri)
        table.add("name", resource.name)
        table.add(
            "scopes",
            resource.scopes.map { scope in scope.minimumACR.map { "\(scope.name) (\($0))" } ?? scope.name }
                .joined(separator: " "))
        for scope in resource.scopes {
            if let text = scope.text { table.add("text of \(scope.name)", text) }
            for (language, text) in (scope.texts ?? [:]).sorted(by: { $0.key < $1.key }) {
                table.add("text of \(scope.name) (\(language))", text)
            }
            table.add("claims of \(scope.name)", scope.claims?.joined(separator: " "))
        }
        table.add("owner", resource.owner)
        table.add("tokens live", resource.lifetime.map { "\($0) s" })
        table.add("tokens", resource.tokenFormat)
        table.add("tokens by", resource.tokenAlgorithm)
        return table.lines
    }
}

extension ResourceSummary {
    /// The least assurance of all scopes, or of those that have one; nil where any session will do.
    var assurance: String? {
        if let commonACR { return commonACR }
        let apart = scopes.compactMap { scope in scope.minimumACR.map { "\(scope.name)=\($0)" } }
        return apart.isEmpty ? nil : apart.joined(separator: " ")
    }
}
