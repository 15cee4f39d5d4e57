import AdminServer
import ArgumentParser
import CountersignCore

/// Mails, pushes and notices on their way.
struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Show what waits to be delivered, try it again, send tests, look at mails.",
        subcommands: [Show.self, Retry.self, TestMail.self, TestPush.self, Templates.self, Preview.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what waits, and the newest failures.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowDelivery())
            try output.show(answer) {
                var table = Table("CHANNEL", "SET UP", "WAITING", "NEXT ATTEMPT", "ATTEMPTS", "RECIPIENT")
                for channel in answer.channels {
                    guard let first = channel.next.first else {
                        table.add(channel.channel, channel.isSetUp?.yesOrNo, "\(channel.waiting)", nil, nil, nil)
                        continue
                    }
                    table.add(
                        channel.channel, channel.isSetUp?.yesOrNo, "\(channel.waiting)", first.nextAttemptAt.text,
                        "\(first.attempts)", first.recipient)
                }
                return table.lines + answer.failures.map(\.line)
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Have what waits in a channel tried again at once.",
            discussion: """
                  countersign delivery retry email
                """)

        @Argument(help: "email, push, otp or logout.")
        var channel: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RetryDelivery(channel: channel))
            try output.show(answer) {
                ["\(answer.count) \(answer.count == 1 ? "message is" : "messages are") tried at once."]
            }
        }
    }

    struct TestMail: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test-mail",
            abstract: "Send a mail that says that mails arrive. A running server sends it.",
            discussion: """
                  countersign delivery test-mail anna@example.com
                """)

        @OptionGroup var mail: TestMailOptions

        func run() async throws { try await mail.send() }
    }

    struct TestPush: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test-push",
            abstract: "Send a push that asks for nothing to a device. A running server sends it.",
            discussion: """
                  countersign delivery test-push dev_4fJ2kQ9xLm3a4fJ2
                """)

        @Argument(help: "The device: the id of a user's factor.")
        var device: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(SendTestPush(device: device))
            try output.show(answer) { ["A push to \(answer.device.printable) waits to be sent."] }
        }
    }

    struct Templates: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "templates",
            abstract: "List the kinds of mails that a server sends, and which of them your own files word.",
            discussion: """
                  countersign delivery templates --server https://login.example.com
                """)

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try Self.requireServer(realm)
            let answer = try await realm.perform(ListMailTemplates())
            try output.show(answer) {
                var table = Table("MAIL", "LANGUAGES", "YOUR OWN")
                for template in answer.templates {
                    table.add(
                        template.name, template.wordings.map(\.language).joined(separator: " "),
                        template.wordings.filter { $0.replacedAt != nil }.map(\.language).joined(separator: " "))
                }
                return table.lines
            }
        }

        /// A server has its own wordings from files; the data knows nothing of them.
        fileprivate static func requireServer(_ realm: RealmOptions) throws {
            guard realm.server == nil, RealmOptions.standIn == nil else { return }
            throw CommandFailure(.usage, "Mails are a server's: name one with --server.")
        }
    }

    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "preview",
            abstract: "Show a mail of a server with made-up values.",
            discussion: """
                  countersign delivery preview reset-password --locale de \\
                    --server https://login.example.com
                """)

        @Argument(help: "The mail, as `countersign delivery templates` names it.")
        var template: String

        @Option(help: ArgumentHelp("The language: en, de or ja.", valueName: "language"))
        var locale: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try Templates.requireServer(realm)
            let answer = try await realm.perform(PreviewMail(template: template, locale: locale))
            try output.show(answer) {
                ["Subject: \(answer.subject.printable)", ""]
                    + answer.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            }
        }
    }
}

/// What `countersign mail test` and `countersign delivery test-mail` are told: one operation under two names.
struct TestMailOptions: ParsableArguments {
    @Argument(help: "The address.")
    var address: String

    @Option(help: ArgumentHelp("The language: en, de or ja.", valueName: "language"))
    var locale: String?

    @OptionGroup var realm: RealmOptions
    @OptionGroup var output: OutputOptions

    func send() async throws {
        let answer = try await realm.perform(SendTestMail(address: address, locale: locale))
        try output.show(answer) {
            [
                "A mail to \(answer.address.printable) waits for a running server to send it.",
                "`countersign delivery show` says whether it still waits; the server's log says why an attempt failed.",
            ]
        }
    }
}

/// The mail server.
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Try the mail server.", subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Send a mail that says that mails arrive. A running server sends it.",
            discussion: """
                Whether the mail server can be reached at all, says `countersign serve --check`. The same as \
                `countersign delivery test-mail`.

                  countersign mail test anna@example.com
                """)

        @OptionGroup var mail: TestMailOptions

        func run() async throws { try await mail.send() }
    }
}
