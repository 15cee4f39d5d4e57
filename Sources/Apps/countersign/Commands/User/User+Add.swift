import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Create an account.",
            discussion: """
                A password is never an argument, because every user of the machine can read arguments.

                  countersign user add anna@example.com --generate-password
                  pass show anna | countersign user add anna@example.com --password-stdin
                """)

        @Argument(help: "The e-mail address.")
        var email: String

        @Option(help: ArgumentHelp("Read the password from a file.", valueName: "file"))
        var passwordFile: String?

        @Flag(help: "Read the password from standard input, or ask for it.")
        var passwordStdin = false

        @Flag(help: "Generate a random password and print it once.")
        var generatePassword = false

        @Option(help: "The user's name.")
        var name: String?

        @Option(help: ArgumentHelp("The user's language, as en, de or ja.", valueName: "language"))
        var locale: String?

        @Flag(help: "Mark the address as verified.")
        var verified = false

        @Option(help: "The user's id (default: generated).")
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
                    displayName: name, locale: locale, emailVerified: verified, id: id))
            let hasPassword = password != nil || generatePassword
            try output.show(answer) {
                var lines = ["Added \(answer.user.shortName.printable) with the id \(answer.user.id)."]
                if let password = answer.password {
                    lines.append("The password, shown only once: \(password.secret.reveal())")
                }
                if !hasPassword {
                    lines.append(
                        "The account has no password. Mail a link to choose one with "
                            + "`countersign user reset-password \(answer.user.id)`.")
                }
                return lines
            }
        }
    }
}
