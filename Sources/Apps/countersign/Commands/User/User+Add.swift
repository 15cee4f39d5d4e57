import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account.",
            discussion: """
                A password is never an argument, because every user of the machine can read those.

                  countersign user add anna@example.com --generate-password
                  pass show anna | countersign user add anna@example.com --password-stdin
                """)

        @Argument(help: "The e-mail address.")
        var email: String

        @Option(help: ArgumentHelp("Take the password from a file.", valueName: "file"))
        var passwordFile: String?

        @Flag(help: "Take the password from standard input, or ask for it.")
        var passwordStdin = false

        @Flag(help: "Make a random password and print it once.")
        var generatePassword = false

        @Option(help: "What the user is called.")
        var name: String?

        @Flag(help: "The address is known to be the user's.")
        var verified = false

        @Option(help: "The user's id (default: a fresh one).")
        var id: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if [passwordFile != nil, passwordStdin, generatePassword].count(where: { $0 }) > 1 {
                throw ValidationError("Give one of --password-file, --password-stdin and --generate-password.")
            }
        }

        func run() async throws {
            var password: String?
            if let passwordFile {
                password = try SecretInput.file(passwordFile)
            } else if passwordStdin {
                password = try SecretInput.standardInput(asking: "Password for \(email)")
            }
            let answer = try await realm.perform(
                AddUser(
                    email: email, password: password.map(SecretText.init), generatesPassword: generatePassword,
                    displayName: name, emailVerified: verified, id: id))
            let hasPassword = password != nil || generatePassword
            try output.show(answer) {
                var lines = ["Added \(answer.user.shortName.printable) with the id \(answer.user.id)."]
                if let password = answer.password {
                    lines.append("The password, which is shown only now: \(password.secret.reveal())")
                }
                if !hasPassword {
                    lines.append(
                        "There is no password yet. Mail a link to choose one with "
                            + "`countersign user reset-password \(answer.user.id)`.")
                }
                return lines
            }
        }
    }
}
