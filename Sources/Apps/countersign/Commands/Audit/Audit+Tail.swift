import AdminServer
import ArgumentParser
import CountersignCore

extension AuditCommand {
    struct Tail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the newest events, the oldest of them first.",
            discussion: """
                Times are UTC. With --json each event is a line.

                  countersign audit tail --user anna@example.com
                  countersign audit tail --follow --json | jq .kind
                """)

        @Option(help: "How many of the newest: 1 to 1000.")
        var limit = 20

        @Option(help: ArgumentHelp("Only what happened to this user.", valueName: "id-or-email"))
        var user: String?

        @Flag(name: [.short, .long], help: "Go on with what happens from now on, until interrupted.")
        var follow = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000.") }
        }

        func run() async throws {
            try await realm.withAdministration { administration in
                // Who follows has to know more than is shown, to tell what is new.
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

/// Remembers what was shown.
///
/// Ids sort by when something happened, and a slow transaction becomes visible after a later one: so it looks back over
/// some seconds each time, and leaves out what it has shown.
struct AuditCursor {
    /// Microseconds that are looked over again.
    static let overlap: UInt64 = 10_000_000
    /// Characters of an id that are its time.
    private static let timeDigits = 16

    private(set) var after: String?
    private var shown: Set<String> = []

    init(shown events: [AuditEntry]) {
        _ = fresh(events)
    }

    /// Those that were not shown yet, which then were.
    mutating func fresh(_ events: [AuditEntry]) -> [AuditEntry] {
        let fresh = events.filter { !shown.contains($0.id) }
        shown.formUnion(fresh.map(\.id))
        if let newest = shown.max(), let time = UInt64(newest.prefix(Self.timeDigits), radix: 16) {
            let digits = String(time > Self.overlap ? time - Self.overlap : 0, radix: 16)
            let after = String(repeating: "0", count: max(0, Self.timeDigits - digits.count)) + digits
            shown = shown.filter { $0 > after }
            self.after = after
        }
        return fresh
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
        for (name, value) in details.sorted(by: { $0.key < $1.key }) { add(name, value.text) }
        return parts.joined(separator: "  ").printable
    }
}
