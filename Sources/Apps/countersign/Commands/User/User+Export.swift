import AdminServer
import ArgumentParser
import CountersignCore
import Foundation

extension UserCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Export users to a file, with their passwords and authenticators.",
            discussion: """
                The file has a user on each line, as JSON in the shape of Identity Toolkit's accounts:batchCreate, for `user \
                import`. It contains password hashes and the secrets of authenticators, unencrypted: its reader can compute \
                the codes. Only its owner can read it, and it appears when it is complete.

                  countersign user export users.jsonl
                  countersign user export | age -r "$RECIPIENT" > users.jsonl.age

                Each user is consistent, but the users are read one page after the other. The log records the export.
                """)

        private struct Answer: Encodable {
            let users: Int
            let withoutPassword: [String]
            let file: String
            let seconds: Double
        }

        @Argument(help: ArgumentHelp("The file; - or nothing is standard output.", valueName: "file"))
        var file = "-"

        @Flag(help: "Replace a file of that name.")
        var replace = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if output.json && file == "-" {
                throw ValidationError("--json prints the result, so the users need a file. Name one.")
            }
        }

        func run() async throws {
            if file == "-" {
                if Terminal.isOutputTerminal {
                    Terminal.say(
                        "warning: password hashes and secrets of authenticators follow, on a terminal that may keep them."
                    )
                }
                _ = try await realm.withAdministration { administration in
                    try await copy(from: administration) { try Terminal.emit($0) }
                }
                return
            }
            let answer = try await realm.withAdministration { administration in
                let target = try PrivateOutput(file, replaces: replace)
                let removal = Leftover(target.draft)
                defer { withExtendedLifetime(removal) {} }
                let answer: Answer
                do {
                    answer = try await copy(from: administration) { try target.write($0 + "\n") }
                } catch {
                    target.discard()
                    throw error
                }
                try target.complete()
                return answer
            }
            try output.show(answer) {
                var lines = ["Wrote \(answer.users) users to \(file). Keep it as safe as the server."]
                if !answer.withoutPassword.isEmpty {
                    lines.append(
                        "Without the password, because no other system takes the hash: "
                            + answer.withoutPassword.map(\.printable).joined(separator: ", "))
                }
                return lines
            }
        }

        private func copy(
            from administration: any Administration, write: (String) throws -> Void
        ) async throws -> Answer {
            var (after, run, users, total) = (String?.none, String?.none, 0, Int?.none)
            var withoutPassword: [String] = []
            var meter = ProgressMeter("written", isSilent: output.json)
            repeat {
                let page = try await administration.perform(ExportUsers(after: after, run: run))
                for line in page.lines { try write(line.secret.reveal()) }
                users += page.lines.count
                withoutPassword += page.withoutPassword.prefix(max(0, 1000 - withoutPassword.count))
                total = total ?? page.total
                meter.show(users, fraction: total.map { $0 > 0 ? Double(users) / Double($0) : 1 })
                (after, run) = (page.next, page.run)
            } while after != nil
            meter.clear()
            return Answer(
                users: users, withoutPassword: withoutPassword, file: file,
                seconds: (meter.elapsed * 1000).rounded() / 1000)
        }
    }
}
