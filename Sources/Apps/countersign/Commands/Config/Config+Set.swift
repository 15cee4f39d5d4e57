import AdminServer
import ArgumentParser
import CountersignCore

extension ConfigCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a setting.",
            discussion: """
                A value that begins with @ is read from that file; `none` removes a value where that is possible. The \
                command warns on standard error about weaker protection. Another domain for passkeys \
                (`passkeys.rpID`) wants --yes where there are passkeys, and says how many stop working.

                  countersign config set passwords nist
                  countersign config set secondFactors.totp.adjacentIntervals 2
                  countersign config set tokens.customTokenKeys.backend@example.com \\
                    @backend-public.pem
                """)

        @Argument(help: "The setting; `countersign config show` lists all.")
        var key: String

        @Argument(help: "Its new value.")
        var value: String

        @Flag(help: "Do not ask, although passkeys stop working.")
        var yes = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let value = value.hasPrefix("@") ? try SecretInput.file(String(value.dropFirst())) : value
            let answer = try await realm.perform(
                ChangeSetting(key: key, value: .string(value), confirmed: yes ? true : nil))
            try output.show(answer) {
                let (before, after) = (answer.previous.brief, answer.setting.value.brief)
                let key = answer.setting.key.printable
                return [
                    before == after ? "\(key) is \(after), as before." : "\(key) is \(after) now; it was \(before)."
                ]
            }
        }
    }
}

extension JSONValue {
    /// Fit for a sentence: a key in PEM is not.
    fileprivate var brief: String { text.contains("\n") ? "set" : text.printable }
}
