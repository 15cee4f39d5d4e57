import ArgumentParser
import Foundation
import ServerHTTP

/// The program: serves, and administers what is served.
@main
struct Countersign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Strong authentication: one server, the client SDKs that apps already know.",
        discussion: """
            Start a server on this machine, with an inbox that shows all mail:

              countersign serve --dev

            Administer it, while it runs or not, from the same directory. Without --dev each command means the server \
            without --dev:

              countersign user add anna@example.com --generate-password --dev
              countersign audit tail --follow --dev

            Sign in at a server, and call an API with its token:

              countersign login
              curl -H "$(countersign token --header)" https://api.example.com/notes

            Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the server or the store cannot be reached, \
            4 not found.
            """,
        version: ServerVersion.current.description,
        subcommands: [
            Serve.self, Demo.self, UserCommand.self, GroupCommand.self, AdminCommand.self, AppCommand.self,
            ResourceCommand.self, CheckCommand.self, ClientCommand.self,
            ExtensionCommand.self, HookCommand.self,
            KeyCommand.self, DbCommand.self, AuditCommand.self, LimitCommand.self, DeliveryCommand.self,
            MailCommand.self,
            ConfigCommand.self, Apply.self, Export.self,
            FiguresCommand.self, Doctor.self, Health.self,
            AuthenticatorCommand.self,
            Login.self, Token.self, Logout.self, AccountCommand.self,
        ])

    /// Runs the command, and ends with an ``ExitStatus`` whatever happens.
    static func main() async {
        // A reader that goes away is an error of the write, and not the end in the middle of something.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the size it may have.
        signal(SIGXFSZ, SIG_IGN)
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if words.first == Serve._commandName, let plain = ServeWords(words.dropFirst()) {
                return try await Serve.start(plain)
            }
            try CommandWords.check(words)
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(with: error)
        }
    }

    /// Help and the version are asked for; everything else that ends a command is a failure, reported on standard
    /// error.
    private static func exit(with error: any Error) -> Never {
        let status: ExitStatus
        if let failure = error as? OutputFailure { failure.end() }
        if let failure = CommandFailure(error) {
            status = failure.status
            // Messages repeat what was typed, and what a server said.
            let lines = failure.message.split(separator: "\n").map { String($0).printable }
            Terminal.say("countersign: " + lines.joined(separator: "\n"))
        } else {
            let code = exitCode(for: error)
            status = code == .success ? .done : code == .validationFailure ? .usage : .refused
            if code == .success {
                let columns = HelpText.columns(ProcessInfo.processInfo.environment, terminal: Terminal.columns)
                let message = HelpText.folded(at: columns) { fullMessage(for: error, columns: $0) }
                if !message.isEmpty { Terminal.print(message) }
            } else {
                let message = fullMessage(for: error)
                if !message.isEmpty { Terminal.say(message) }
            }
        }
        status.exit()
    }
}
