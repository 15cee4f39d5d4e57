import AdminServer
import ArgumentParser

extension CheckCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List security checks, where their settings come from, and which applications name them.",
            discussion: """
                A server knows its checks: ask it with --server. Beside a data directory, those are listed that applications name. \
                Values that are texts are not shown, because they may be secrets.

                  countersign check list --server https://login.example.com
                  countersign check list --app com.example.bank
                """)

        @Option(help: ArgumentHelp("Only what this application names; otherwise the first 1,000.", valueName: "id"))
        var app: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListSecurityChecks(application: app))
            try output.show(answer) {
                if answer.checks.isEmpty { return ["There are no security checks."] }
                let parts = [Self.checks(answer.checks), Self.properties(answer.checks), Self.uses(answer.checks)]
                return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
            }
            guard !output.json else { return }
            if !answer.isServer { Terminal.say("No server was asked: these are the checks that applications name.") }
            if !answer.isWhole {
                Terminal.say("There are more than \(ListSecurityChecks.most) applications: name one with --app.")
            }
        }

        private static func checks(_ checks: [SecurityCheckSummary]) -> [String] {
            var table = Table("CHECK", "ASKS FOR", "TYPE", "ATTEMPTS", "STATES", "AFTER")
            for check in checks {
                table.add(
                    check.name, asked(by: check), check.type, check.maxAttempts.map(String.init),
                    check.states.map { "\($0.name) \($0.seconds) s" }.joined(separator: ", "),
                    check.dependencies.joined(separator: " "))
            }
            return table.lines
        }

        private static func asked(by check: SecurityCheckSummary) -> String? {
            switch check.kind {
            case "condition": "nothing"
            case let kind: kind
            }
        }

        private static func properties(_ checks: [SecurityCheckSummary]) -> [String] {
            guard checks.contains(where: { !$0.properties.isEmpty }) else { return [] }
            var table = Table("CHECK", "PROPERTY", "VALUE", "FROM")
            for check in checks {
                for property in check.properties {
                    table.add(check.name, property.name, value(of: property), property.source)
                }
            }
            return table.lines
        }

        private static func uses(_ checks: [SecurityCheckSummary]) -> [String] {
            guard checks.contains(where: { !$0.uses.isEmpty }) else { return [] }
            var table = Table("CHECK", "APPLICATION", "VERSION", "SCOPES", "OWN SETTINGS", "FAULTS")
            for check in checks {
                for use in check.uses {
                    let scopes = use.elements + (use.isMandatory ? ["(every token)"] : [])
                    table.add(
                        check.name, use.application, use.version, scopes.joined(separator: " "),
                        use.properties.map { "\($0.name)=\(value(of: $0))" }.joined(separator: " "),
                        use.faults.joined(separator: "; "))
                }
            }
            return table.lines
        }

        private static func value(of property: SecurityCheckSummary.Property) -> String {
            property.value ?? (property.isRead ? "(not shown)" : "(not read)")
        }
    }
}
