import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct PersonalData: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "data", abstract: "Show all data about one user, for that user.",
            discussion: """
                One JSON document: profile, factors, sessions, attempts, mails, counters and log entries, without secrets: \
                no hashes, codes, links or tokens. The log records the request. What remains after a user is deleted is in \
                docs/recipes.md, "Stored data about a user".

                  countersign user data anna@example.com > anna.json
                """)

        private struct Document: Encodable {
            let data: UserData
            /// The newest first.
            let log: [AuditEntry]
        }

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions

        func run() async throws {
            let document = try await realm.withAdministration { administration in
                var answer = try await administration.perform(ShowUserData(user: argument.user))
                guard let data = answer.data else {
                    throw CommandFailure(.unreachable, "The server answers without the data.")
                }
                var log = answer.log
                // By the id: the address might be another's by now.
                while let earlier = answer.earlierThan {
                    answer = try await administration.perform(
                        ShowUserData(user: data.profile.id, logBefore: earlier))
                    log += answer.log
                }
                return Document(data: data, log: log)
            }
            Terminal.print(try OutputOptions.text(of: document, pretty: true))
        }
    }
}
