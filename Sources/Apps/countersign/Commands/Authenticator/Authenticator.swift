import ArgumentParser

/// The authenticator for the terminal.
struct AuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        abstract: "Show one-time codes and answer sign-in requests, here in the terminal.",
        discussion: """
            It takes any otpauth:// link, so it stands in for the app on a telephone:

              countersign authenticator enroll
              countersign authenticator codes

            With a server that asks devices about sign-ins (Countersign, or another that speaks Guardian) it shows the \
            requests, and signs the answers:

              countersign authenticator watch

            Secrets and keys lie in the keychain, a vault that a passcode opens and that the first `enroll` or `import` \
            makes. The passcode is asked for at the terminal, also when the output goes into a pipe. Where nobody can be \
            asked:

              countersign authenticator codes github --passcode-fd 3 3< passcode-file

            Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the vault or the server cannot be reached, \
            4 no such account or request.
            """,
        subcommands: [
            Enroll.self, List.self, Codes.self, Watch.self, ShowConsent.self, Allow.self, Deny.self, Remove.self,
            Export.self,
            Import.self,
        ])
}
