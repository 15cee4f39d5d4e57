import AdminServer
import ArgumentParser
import CountersignCore

extension AuditCommand {
    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tail",
            abstract: "Show the newest events, oldest first.",
            discussion: """
                Times are UTC. With --json each event is a line.

                  countersign audit tail --user anna@example.com
                  countersign audit tail --follow --json | jq .kind
                """)

        @Option(help: "How many of the newest: 1 to 1000.")
        var limit = 20

        @Option(help: ArgumentHelp("Only events of this user.", valueName: "id-or-email"))
        var user: String?

        @Flag(name: [.short, .long], help: "Keep showing new events until interrupted.")
        var follow = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
        }

        func run() async throws {
            try await realm.withAdministration { administration in
                // Following needs more events than are shown, to find the new ones.
                let answer = try await administration.perform(
                    ListAuditEvents(user: user, limit: follow ? 1000 : limit))
                for event in answer.events.suffix(limit) { try show(event) }
                guard follow else { return }
                var cursor = AuditCursor(shown: answer.events)
                while true {
                    try await Task.sleep(for: .seconds(1))
                    let newest = try await administration.perform(
                        ListAuditEvents(user: user, after: cursor.after, limit: 1000))
                    for event in cursor.fresh(newest.events) { try show(event) }
                }
            }
        }

        private func show(_ event: AuditEntry) throws {
            Terminal.print(output.json ? try OutputOptions.text(of: event, pretty: false) : event.line)
        }
    }
}

extension AuditEntry {
    /// `2026-07-29T08:15:00Z  sign-in.succeeded  user=… app=… from=…`
    var line: String {
        var parts = ["\(at.text)  \(kind)"]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { parts.append("\(name)=\(value.contains(" ") ? "\"\(value)\"" : value)") }
        }
        add("reason", reason)
        add("user", userID)
        add("app", clientID)
        add("dialect", dialect)
        add("from", source)
        // A line has no room for what each member was and is: `--json` has it.
        for (name, value) in details.sorted(by: { $0.key < $1.key }) where !["before", "after"].contains(name) {
            add(name, value.text)
        }
        return parts.joined(separator: "  ").printable
    }
}
