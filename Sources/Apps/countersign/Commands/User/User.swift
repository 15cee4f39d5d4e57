import AdminServer
import ArgumentParser

/// Users.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Add, show, help, import, export and remove users.",
        discussion: """
            Name users by their id or e-mail address. Every command works on the data directory, also while a server runs \
            on it, or with --server through a remote server.
            """,
        subcommands: [
            Add.self, Invite.self, List.self, Search.self, Show.self, Disable.self, Enable.self, Language.self,
            SetMembers.self, Delete.self, Bulk.self, ResetPassword.self, ResetMFA.self, RemoveFactor.self,
            MailRecoveryCode.self, InviteToEnrol.self, MailConfirmation.self, Sessions.self, Checks.self,
            EndSession.self, EndSessions.self, Applications.self, RevokeApplication.self, Import.self, Export.self,
            PersonalData.self,
        ])

    /// A user as one line of a list, and as lines of its own.
    static func describe(_ user: UserSummary) -> Table {
        var table = Table()
        table.add("id", user.id)
        table.add("email", user.email.map { $0 + (user.emailVerified ? " (verified)" : " (not verified)") })
        table.add("name", user.displayName)
        table.add("language", user.locale)
        table.add("picture", user.picture)
        table.add("disabled", user.isDisabled.yesOrNo)
        if let due = user.deletionDueAt { table.add("is removed", due.text) }
        table.add("signs in with", user.providers.joined(separator: ", "))
        table.add("created", user.createdAt.text)
        table.add("last sign-in", user.lastSignInAt?.text ?? "never")
        return table
    }
}

extension UserSummary {
    /// What to call the user in a sentence.
    var shortName: String { email ?? id }
}
