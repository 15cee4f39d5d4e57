import AdminServer
import ArgumentParser

extension UserCommand {
    struct MailRecoveryCode: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mail-recovery-code",
            abstract: "Mail a user who lost the second factors a recovery code that is good after a day.",
            discussion: """
                Earlier codes are void. A user who did not ask for it has until then to sign in and make other codes.

                  countersign user mail-recovery-code anna@example.com
                """)

        @Option(
            help: ArgumentHelp("Hours until the code is good: 1 to 168. 24 where nothing is said.", valueName: "hours"))
        var hold: Int?

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AdminServer.MailRecoveryCode(user: argument.user, hold: hold))
            try output.show(answer) {
                [
                    "A code is on its way to \(answer.user.shortName.printable). It is good from \(answer.goodFrom.text) on."
                ]
            }
        }
    }

    struct InviteToEnrol: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite-to-enrol",
            abstract: "Mail a user a link that sets up a second factor.",
            discussion: """
                The link is for one device or app, within five days.

                  countersign user invite-to-enrol anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AdminServer.InviteToEnrol(user: argument.user))
            try output.show(answer) { ["Invited \(answer.user.shortName.printable) to set up a second factor."] }
        }
    }

    struct MailConfirmation: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mail-confirmation",
            abstract: "Mail a user a link that confirms the address.",
            discussion: """
                  countersign user mail-confirmation anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AdminServer.MailConfirmation(user: argument.user))
            try output.show(answer) { ["A link is on its way to \(answer.user.shortName.printable)."] }
        }
    }
}
