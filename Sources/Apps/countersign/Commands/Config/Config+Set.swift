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

                With --preview nothing is changed: it says what would become weaker, and how many users the change concerns.

                  countersign config set passwords nist
                  countersign config set --preview secondFactors.state MANDATORY
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

        @Flag(help: "Say what would change and for how many users, and change nothing.")
        var preview = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let value = value.hasPrefix("@") ? try SecretInput.file(String(value.dropFirst())) : value
            if preview { return try await show(PreviewSetting(key: key, value: .string(value))) }
            let answer = try await ConfigCommand.perform(key) {
                try await realm.perform(ChangeSetting(key: key, value: .string(value), confirmed: yes ? true : nil))
            }
            try output.show(answer) {
                let (before, after) = (answer.previous.brief, answer.setting.value.brief)
                let key = answer.setting.key.printable
                return [
                    before == after ? "\(key) is \(after), as before." : "\(key) is \(after) now; it was \(before)."
                ]
            }
        }

        private func show(_ operation: PreviewSetting) async throws {
            let answer = try await ConfigCommand.perform(key) { try await realm.perform(operation) }
            try output.show(answer) {
                let (before, after) = (answer.present.value.brief, answer.setting.value.brief)
                var lines = ["\(answer.setting.key.printable) is \(before), and would be \(after)."]
                lines += answer.warnings
                lines += answer.concerned.map { "\($0.users) \(Self.sentence($0.effect))" }
                if answer.lostPasskeys > 0 { lines.append("\(answer.lostPasskeys) passkeys would not work any more.") }
                if !answer.isWhole { lines.append("That counts the \(answer.seen) users who were added last.") }
                if answer.concerned.isEmpty, answer.lostPasskeys == 0 { lines.append("No user is concerned.") }
                return lines
            }
        }

        private static func sentence(_ effect: String) -> String {
            switch ConcernedUsers.Effect(rawValue: effect) {
            case .needsSecondFactor: "users have no second factor, and would need one."
            case .mayPutOff: "users have no second factor, and could put off setting one up."
            case .cannotPutOff: "users have no second factor, and could not put off any more setting one up."
            case .losesSecondFactor: "users would sign in without a second factor."
            case .losesFactor: "users have a factor that would not be taken any more, beside another."
            case .regainsFactor: "users have a factor that would be taken again."
            case .losesWayIn: "users have passkeys, which would not be taken any more, and no password."
            case .choosesPassword: "users have a password; they would choose their next one by this rule."
            case .isAskedTerms: "users would be asked to agree to the terms."
            case nil: "users: \(effect)."
            }
        }
    }
}

extension JSONValue {
    /// Fit for a sentence: a key in PEM is not.
    fileprivate var brief: String { text.contains("\n") ? "set" : text.printable }
}
