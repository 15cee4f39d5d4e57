import ArgumentParser

/// What the user who signed in does about the own account.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Change your own account at the server that you are signed in at.",
        discussion: """
            The commands call `/account/v1` with the token of `countersign login`, which needs the scope account. What \
            adds, replaces or shows something takes a sign-in of the last five minutes.

              countersign login --scope "openid offline_access account"
              countersign account show
              countersign account factors

            When the sign-in has become too old for a change:

              countersign login --max-age 0 --scope "openid offline_access account"

            Administrators change other accounts with `countersign user`.

            Exit codes: 0 done, 1 refused, 2 wrong usage, 3 the server or the vault cannot be reached, 4 not found, or no \
            user is signed in.
            """,
        subcommands: all)

    /// Each calls endpoints of `/account/v1`, and all together call every one.
    static let all: [any AccountSubcommand.Type] = [
        Show.self, Set.self, SetAddress.self, ConfirmAddress.self,
        Factors.self, AddAuthenticator.self, AddDevice.self, AddPasskey.self, ConfirmFactor.self, RenameFactor.self,
        ReportLost.self, UseAgain.self, RemoveFactor.self, RecoveryCodes.self, SetPassword.self, RemovePassword.self,
        Sessions.self, EndSession.self, EndOtherSessions.self, Applications.self, RevokeApplication.self,
        Activity.self, Disown.self, PersonalData.self, Delete.self,
    ]
}

/// A command that calls endpoints of `/account/v1`.
protocol AccountSubcommand: AsyncParsableCommand {
    /// What it calls, as ``AccountAccess`` takes it: `PATCH /factors/{id}`.
    static var endpoints: [String] { get }
}
