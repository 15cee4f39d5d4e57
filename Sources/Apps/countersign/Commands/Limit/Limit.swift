import AdminServer
import ArgumentParser
import CountersignCore

/// What is refused because of too many attempts.
struct LimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "List what is refused because of too many attempts, and lift it.",
        subcommands: [List.self, Lift.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List what is refused at the moment, and until when.",
            discussion: """
                  countersign limit list
                """)

        @OptionGroup var page: PageOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListLimits(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                var table = Table("LIMIT", "OF", "USER", "COUNT", "UNTIL")
                for limit in answer.limits {
                    table.add(limit.kind, limit.subject, limit.userID, "\(limit.count)", limit.until?.text ?? "lifted")
                }
                var lines = answer.limits.isEmpty ? ["Nothing is refused."] : table.lines
                if answer.limits.contains(where: { ["mails-to", "claim"].contains($0.kind) }) {
                    lines.append(
                        "What is counted for an e-mail address is lifted by the address too: limit lift mails-to anna@example.com"
                    )
                }
                return lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Lift: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lift",
            abstract: "Lift one, as `limit list` names it.",
            discussion: """
                Wrong passwords and mails for an e-mail address are counted under a digest of it: name the digest or the address.

                  countersign limit lift answers 192.0.2.7
                  countersign limit lift mails-to anna@example.com
                """)

        @Argument(help: "What is limited.")
        var kind: String

        @Argument(help: "Whom or what it limits.")
        var subject: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(LiftLimit(kind: kind, subject: subject))
            try output.show(answer) { ["The limit \(answer.kind.printable) of \(answer.subject.printable) is lifted."] }
        }
    }
}
