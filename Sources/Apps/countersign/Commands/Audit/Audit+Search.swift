import AdminServer
import ArgumentParser
import CountersignCore

extension AuditCommand {
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Look through the log, newest first.",
            discussion: """
                Times are UTC. With --json each event is a line. Where there is more, the last line on standard error says what to look \
                on from.

                  countersign audit search --kind sign-in --kind answer.refused \\
                    --since 2026-11-23
                  countersign audit search --source 192.0.2.7 --json
                """)

        @Option(help: ArgumentHelp("Only events of this user.", valueName: "id-or-email"))
        var user: String?

        @Option(
            name: .customLong("kind"),
            help: ArgumentHelp("Only events of this kind, or whose kind begins so. Can be repeated.", valueName: "kind")
        )
        var kinds: [String] = []

        @Option(help: ArgumentHelp("Only what this application asked for.", valueName: "id"))
        var application: String?

        @Option(help: ArgumentHelp("Only what came from this address.", valueName: "address"))
        var source: String?

        @Option(help: ArgumentHelp("Only events from then on.", valueName: "time"))
        var since: String?

        @Option(help: ArgumentHelp("Only events before then.", valueName: "time"))
        var until: String?

        @Option(help: ArgumentHelp("Only events before this one.", valueName: "id"))
        var before: String?

        @Option(help: ArgumentHelp("Only events after this one, the nearest to it.", valueName: "id"))
        var after: String?

        @Option(help: "How many: 1 to 1000.")
        var limit: Int?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                SearchAuditEvents(
                    user: user, kinds: kinds.isEmpty ? nil : kinds, application: application, source: source,
                    since: since, until: until, before: before, after: after, limit: limit))
            for event in answer.events {
                Terminal.print(output.json ? try OutputOptions.text(of: event, pretty: false) : event.line)
            }
            if answer.events.isEmpty, answer.next == nil, answer.previous == nil {
                Terminal.say("There are no such events.")
            }
            if let previous = answer.previous { Terminal.say("There are newer ones: --after \(previous.printable)") }
            if let next = answer.next { Terminal.say("There is more: --before \(next.printable)") }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one event.")

        @Argument(help: "The event's id.")
        var id: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowAuditEvent(id: id))
            try output.show(answer) { [answer.event.line] }
        }
    }
}
