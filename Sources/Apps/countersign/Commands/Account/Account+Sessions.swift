import AccountServer
import AdminServer
import ArgumentParser
import CountersignCore

extension AccountCommand {
    struct Sessions: AccountSubcommand {
        static let endpoints = ["GET /sessions"]
        static let configuration = CommandConfiguration(
            commandName: "sessions",
            abstract: "List where you are signed in, by device.",
            discussion: """
                  countersign account sessions
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer: AccountDevices = try await AccountAccess(signIn).call("GET /sessions")
            try output.show(answer) {
                var table = Table("SESSION", "DEVICE", "FROM", "PROVEN WITH", "APPLICATIONS", "SINCE", "LAST SEEN")
                for device in answer.devices {
                    for session in device.sessions {
                        table.add(
                            session.isCurrent ? "\(session.id) (this one)" : session.id, device.userAgent,
                            device.address, session.provenWith.joined(separator: " "),
                            session.applications.map { $0.name ?? $0.id }.joined(separator: ", "),
                            session.createdAt.text, session.lastSeenAt.text)
                    }
                }
                return table.lines
            }
        }
    }

    struct EndSession: AccountSubcommand {
        static let endpoints = ["DELETE /sessions/{id}"]
        static let configuration = CommandConfiguration(
            commandName: "end-session", abstract: "Sign out on a device.",
            discussion: """
                  countersign account end-session 4ff4c7bd-2f0e-4f5c-9b1d-4b0f1c1a9b53
                """)

        @Argument(help: "The session's id, from `countersign account sessions`.")
        var session: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let done: AccountDone = try await AccountAccess(signIn).call("DELETE /sessions/{id}", session)
            try output.show(done) { ["The session has ended."] }
        }
    }

    struct EndOtherSessions: AccountSubcommand {
        static let endpoints = ["DELETE /sessions"]
        static let configuration = CommandConfiguration(
            commandName: "end-other-sessions", abstract: "Sign out everywhere but here.",
            discussion: """
                  countersign account end-other-sessions
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer: AccountEnded = try await AccountAccess(signIn).call("DELETE /sessions")
            try output.show(answer) {
                [answer.ended == 1 ? "1 session has ended." : "\(answer.ended) sessions have ended."]
            }
        }
    }

    struct Applications: AccountSubcommand {
        static let endpoints = ["GET /applications"]
        static let configuration = CommandConfiguration(
            commandName: "applications",
            abstract: "List the applications that you have allowed something.",
            discussion: """
                  countersign account applications
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer: AccountApplications = try await AccountAccess(signIn).call("GET /applications")
            try output.show(answer) {
                guard !answer.applications.isEmpty else { return ["No applications."] }
                var table = Table("ID", "NAME", "CHECKED", "MAY", "SINCE", "LAST USED")
                for application in answer.applications {
                    table.add(
                        application.id, application.name,
                        application.isUnchecked.map { $0 ? "no: \(application.host ?? "–")" : "yes" } ?? "–",
                        (application.scopes + application.resources).joined(separator: " "), application.since.text,
                        application.lastUsedAt?.text)
                }
                return table.lines
            }
        }
    }

    struct RevokeApplication: AccountSubcommand {
        static let endpoints = ["DELETE /applications/{client}"]
        static let configuration = CommandConfiguration(
            commandName: "revoke-application", abstract: "Take back all that an application was allowed.",
            discussion: """
                  countersign account revoke-application shop
                """)

        @Argument(help: "The application's id, from `countersign account applications`.")
        var application: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let done: AccountDone = try await AccountAccess(signIn).call(
                "DELETE /applications/{client}", application)
            try output.show(done) { ["\(application.printable) may nothing any more, and its tokens are void."] }
        }
    }

    struct Activity: AccountSubcommand {
        static let endpoints = ["GET /activity"]
        static let configuration = CommandConfiguration(
            commandName: "activity",
            abstract: "Show what the log says of your account, of ninety days.",
            discussion: """
                  countersign account activity --kind signIns
                """)

        @Option(
            help: ArgumentHelp(
                "Only these: \(ActivityKind.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "kind"))
        var kind: String?

        @Option(help: "Events to show, the newest first: 1 to 200.")
        var limit: Int?

        @Option(help: ArgumentHelp("Older events: `next` of another answer.", valueName: "id"))
        var after: String?

        @Option(help: ArgumentHelp("Newer events: `previous` of another answer.", valueName: "id"))
        var before: String?

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer: AccountActivity = try await AccountAccess(signIn).call(
                "GET /activity",
                query: [
                    ("kind", kind), ("limit", limit.map(String.init)), ("after", after), ("before", before),
                ])
            try output.show(answer) {
                var table = Table("EVENT", "AT", "WHAT", "APPLICATION", "FROM", "WHY")
                for event in answer.events {
                    table.add(event.id, event.at.text, event.kind, event.application, event.address, event.reason)
                }
                return table.lines + (answer.previous.map { ["Newer: --before \($0)"] } ?? [])
                    + (answer.next.map { ["More: --after \($0)"] } ?? [])
            }
        }
    }

    struct Disown: AccountSubcommand {
        static let endpoints = ["POST /activity/{id}/disown"]
        static let configuration = CommandConfiguration(
            commandName: "disown",
            abstract: "Say of an event: that was not me.",
            discussion: """
                Ends all other sessions, freezes what that sign-in was proven with, and mails a link that sets a new \
                password.

                  countersign account disown 00063f1c2b3a4d5e0a1b2c3d
                """)

        @Argument(help: "The event's id, from `countersign account activity`.")
        var event: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let done: AccountDisowned = try await AccountAccess(signIn).call(
                "POST /activity/{id}/disown", event, AccountNothing())
            try output.show(done) {
                [
                    "Frozen: \(done.frozen.isEmpty ? "nothing" : done.frozen.joined(separator: ", ")).",
                    "Ended: \(done.endedSessions) other sessions.",
                ] + (done.resetMailed ? ["A link that sets a new password is on its way."] : [])
            }
        }
    }
}
