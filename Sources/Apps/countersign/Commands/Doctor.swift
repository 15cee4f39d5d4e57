import AdminServer
import ArgumentParser

/// What published standards ask for, and whether the present settings meet it.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Judge the present settings by OWASP ASVS 5.0 and NIST SP 800-63B-4.",
        discussion: """
            It lists what is not met, with what would mend it; with --all everything. It ends with 1 where something is not met that \
            the standard insists on, so that a script can watch over it. What you do without on purpose is named with --except.

              countersign doctor
              countersign doctor --level 1 --assurance 1 --all
              countersign doctor --except ASVS-6.2.12 --except NIST-3.2.2b
            """)

    @Option(help: ArgumentHelp("The verification level of ASVS: 1, 2 or 3 (default: 2).", valueName: "level"))
    var level: Int?

    @Option(help: ArgumentHelp("The assurance level of NIST (AAL): 1, 2 or 3 (default: 2).", valueName: "level"))
    var assurance: Int?

    @Option(help: ArgumentHelp("A requirement that does not count. Can be repeated.", valueName: "id"))
    var except: [String] = []

    @Flag(help: "List what is met, too.")
    var all = false

    @OptionGroup var realm: RealmOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await realm.perform(
            RunDoctor(level: level, assurance: assurance, except: except.isEmpty ? nil : except))
        try output.show(answer) { lines(answer, columns: Terminal.columns) }
        if !answer.isMet {
            // What is wrong stands above.
            throw ExitCode(ExitStatus.refused.rawValue)
        }
    }

    private func lines(_ answer: RunDoctor.Answer, columns: Int?) -> [String] {
        var lines: [String] = []
        for finding in answer.requirements where all || finding.state == .notMet || finding.state == .unknown {
            let text = "\(Self.mark(finding)) \(finding.id.printable)  \(finding.text.printable)"
            lines += FoldedText.lines(of: text, indent: 5, columns: columns)
            for reason in finding.reasons {
                lines += FoldedText.lines(of: "      \(reason.why.printable)", indent: 6, columns: columns)
                // A command stays on its line: it is copied.
                if let remedy = reason.remedy { lines.append("      -> \(remedy.printable)") }
            }
        }
        let count = { (state: RequirementFinding.State) in answer.requirements.count { $0.state == state } }
        let sum =
            "ASVS level \(answer.level), NIST AAL\(answer.assurance): \(count(.met)) met, \(count(.notMet)) not met, "
            + "\(count(.unknown)) unknown, \(count(.elsewhere)) decided elsewhere, \(count(.inapplicable)) without object."
        return lines + FoldedText.lines(of: sum, indent: 0, columns: columns)
    }

    private static func mark(_ finding: RequirementFinding) -> String {
        switch finding.state {
        case .met: "ok  "
        case .notMet: finding.isExcepted ? "skip" : finding.isMandatory ? "FAIL" : "hint"
        case .unknown: "?   "
        case .elsewhere, .inapplicable: "-   "
        }
    }
}
