import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sessions",
            abstract: "List a user's sessions.",
            discussion: """
                A session is a sign-in, by whichever protocol; under it stands what each application got of it. Those that are over are \
                listed until the server removes them. The newest come first.

                  countersign user sessions anna@example.com
                """)

        @OptionGroup var argument: UserArgument

        @Flag(help: "List only those that go on.")
        var living = false

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListSessions(
                    user: argument.user, living: living ? true : nil, limit: page.limit, after: page.after,
                    before: page.before))
            try output.show(answer) {
                guard !answer.sessions.isEmpty else { return ["No sessions."] }
                var table = Table("SESSION", "APPLICATION", "PROVEN WITH", "SINCE", "FROM", "STATE")
                for session in answer.sessions {
                    let proofs = session.proofs.joined(separator: " ")
                    func add(_ application: String?, _ since: Timestamp, _ state: String) {
                        table.add(session.id, application, proofs, since.text, session.address, state)
                    }
                    if session.isBrowser || session.grants.isEmpty {
                        add(session.isBrowser ? "(a browser)" : nil, session.createdAt, session.state)
                    }
                    for grant in session.grants {
                        add(
                            grant.application, grant.createdAt,
                            session.isLiving && !grant.isLiving ? "over" : session.state)
                    }
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct EndSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-session",
            abstract: "End one of a user's sessions.",
            discussion: """
                The session's id is the sid of its tokens; countersign user sessions lists them. Its refresh tokens are refused from now \
                on, and so are its access tokens by this server. Other sessions of the user stay; to end all of them, disable the user or \
                reset the password.

                  countersign user end-session a@b.example 4ff4c7bd-2f0e-4f5c-9b1d-4b0f1c1a9b53
                """)

        @OptionGroup var argument: UserArgument

        @Argument(help: "The session's id.")
        var session: String

        @Option(help: ArgumentHelp("End only what this application got of the session.", valueName: "client-id"))
        var app: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                AdminServer.EndSession(user: argument.user, session: session, application: app))
            try output.show(answer) {
                let what =
                    app.map { "what \($0.printable) has of the session \(session.printable)" }
                    ?? "the session \(session.printable)"
                return [
                    answer.wasLiving
                        ? "Ended \(what) of \(answer.user.shortName.printable)."
                        : "\(what.prefix(1).uppercased() + what.dropFirst()) was over before."
                ]
            }
        }
    }
}

extension SessionSummary {
    fileprivate var state: String {
        if isLiving { return "open" }
        return endedAt.map { "ended \($0.text)" } ?? "over"
    }
}
