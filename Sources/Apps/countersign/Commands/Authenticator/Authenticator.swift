import ArgumentParser

/// The authenticator for the terminal.
struct AuthenticatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticator",
        abstract: "Show one-time codes and answer sign-in requests, here in the terminal.",
        discussion: """
            It accepts any otpauth:// link, like the app on a phone:

              countersign authenticator enroll
              countersign authenticator codes

            With a server that sends sign-in requests to devices (Countersign, or another that speaks Guardian) it \
            shows the requests and signs the answers:

              countersign authenticator watch

            It keeps passkeys, too: see `countersign authenticator passkey --help`.

            Secrets and keys are stored in the keychain, a vault with a passcode, which the first `enroll` or `import` \
            creates. The program asks for the passcode at the terminal, also when the output goes into a pipe. Without a \
            terminal:

              countersign authenticator codes github --passcode-fd 3 3< passcode-file

            Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the vault or the server cannot be reached, \
            4 no such account, passkey or request.
            """,
        subcommands: [
            Enroll.self, List.self, Codes.self, Watch.self, ShowConsent.self, Allow.self, Deny.self, Remove.self,
            Export.self, Import.self, PasskeyCommand.self,
        ])
}
