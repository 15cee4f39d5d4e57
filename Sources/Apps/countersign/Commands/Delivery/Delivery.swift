import AdminServer
import ArgumentParser
import CountersignCore

/// Mails, pushes and notices on their way.
struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Show what waits to be delivered, try it again, send a test mail.",
        subcommands: [Show.self, Retry.self, TestMail.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what waits, and the newest failures.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowDelivery())
            try output.show(answer) {
                var table = Table("CHANNEL", "WAITING", "NEXT ATTEMPT", "ATTEMPTS", "RECIPIENT")
                for channel in answer.channels {
                    guard let first = channel.next.first else {
                        table.add(channel.channel, "\(channel.waiting)", nil, nil, nil)
                        continue
                    }
                    table.add(
                        channel.channel, "\(channel.waiting)", first.nextAttemptAt.text, "\(first.attempts)",
                        first.recipient)
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
            try output.show(answer) { ["\(answer.count) messages are tried at once."] }
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
        try output.show(answer) { ["A mail to \(answer.address.printable) waits to be sent."] }
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
