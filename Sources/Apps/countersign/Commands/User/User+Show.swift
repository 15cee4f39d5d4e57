import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a user with factors, sessions and lockouts.",
            discussion: """
                  countersign user show anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowUser(user: argument.user))
            try output.show(answer) {
                var table = UserCommand.describe(answer.user)
                if let role = answer.role { table.add("administers as", role) }
                for limit in answer.limits ?? [] {
                    table.add("refused: \(limit.kind)", limit.until.map { "until \($0.text)" } ?? "until it is lifted")
                }
                table.add("password set", answer.passwordChangedAt?.text ?? "never")
                table.add("sessions", String(answer.sessions))
                for (name, value) in answer.customClaims.sorted(by: { $0.key < $1.key }) {
                    table.add("claim \(name)", value.text)
                }
                for (name, value) in (answer.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
                    table.add("attribute \(name)", value.text)
                }
                var lines = table.lines + [""]
                guard !answer.factors.isEmpty else { return lines + ["No factors."] }
                var factors = Table("FACTOR", "NAME", "SINCE", "LAST USED", "STATE")
                for factor in answer.factors {
                    factors.add(
                        factor.kind, factor.name, factor.createdAt.text, factor.lastUsedAt?.text, factor.sentence)
                }
                lines += factors.lines
                return lines
            }
        }
    }
}

extension FactorSummary {
    /// Whether it can be used, in plain words.
    fileprivate var sentence: String {
        let count = wrongAnswers == 1 ? "1 wrong answer" : "\(wrongAnswers) wrong answers in a row"
        return switch state {
        case .open: wrongAnswers == 0 ? "good" : "good, after \(count)"
        case .locked: "locked until \(lockedUntil?.text ?? "later") after \(count)"
        case .disabled:
            "disabled after \(count); \(kind == "password" ? "set a new password" : "remove it with reset-mfa")"
        }
    }
}
