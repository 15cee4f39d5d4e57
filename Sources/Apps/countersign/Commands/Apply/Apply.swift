import AdminServer
import ArgumentParser
import CountersignCore
import CountersignServer
import Foundation

/// Makes a server what a file says.
struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make applications, APIs, groups, extensions and settings what a file says.",
        discussion: """
            The file is YAML, in the form that `countersign export` writes. What would become different is shown first, and done \
            after a yes. A second time there is nothing to do.

            What the file does not mention stays: a member of an entry, and an entry too. With --prune entries are removed that the \
            file does not have, of the kinds that it has a section for.

            Secrets do not stand in the file. `secret: {file: PATH}` reads one from a file beside it, `secret: {environment: NAME}` \
            from a variable, and `secret: generate` has the server make one for a new application and prints it once. An \
            application that has a secret keeps it, unless --set-secrets is given.

              countersign export > setup.yaml
              countersign apply setup.yaml --dry-run
              countersign apply setup.yaml --yes
            """)

    @Argument(help: "The file; - reads standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(help: "Do it without asking.")
    var yes = false

    @Flag(help: "Show what would become different, and do nothing.")
    var dryRun = false

    @Flag(help: "Remove entries that the file does not have, of the kinds that it has a section for.")
    var prune = false

    @Flag(help: "Set the secrets of applications that have one already, too.")
    var setSecrets = false

    @Flag(help: "Do what makes passkeys unusable, such as another passkeys.rpID.")
    var losePasskeys = false

    @OptionGroup var realm: RealmOptions
    @OptionGroup var output: OutputOptions

    /// Attempts that leave no fewer changes to do, where others change the same at the same time.
    private static let vainAttempts = 4

    func validate() throws {
        if yes, dryRun { throw ValidationError("--yes does what --dry-run leaves out: give one of the two.") }
    }

    func run() async throws {
        let wanted = try read()
        try await realm.withAdministration { administration in
            var isAgreed = yes
            var (fewest, vain) = (Int?.none, 0)
            var (done, all) = (0, 0)
            while true {
                let present = try await Setup(of: administration)
                let plan = SetupPlan(from: present, to: wanted, prunes: prune, setsSecrets: setSecrets)
                let secrets = try await judge(plan, present, administration)
                if fewest == nil {
                    try show(plan)
                    all = plan.changes.count
                }
                // Each change that another makes first is one fewer.
                let isFewer = fewest.map { plan.changes.count < $0 } ?? true
                vain = isFewer ? 0 : vain + 1
                fewest = min(plan.changes.count, fewest ?? plan.changes.count)
                if plan.changes.isEmpty || dryRun { return }
                if !isAgreed {
                    guard Terminal.canAsk else {
                        throw CommandFailure(.refused, "Nothing was done. Add --yes to do it without asking.")
                    }
                    guard Terminal.confirms("Do that?") else { throw CommandFailure(.refused, "Nothing was done.") }
                    isAgreed = true
                }
                var work = SetupWork(
                    administration: administration, secrets: secrets, losesPasskeys: losePasskeys)
                do {
                    try await work.perform(plan.changes)
                    return finish(work)
                } catch let refusal as SetupWork.Refusal {
                    for text in work.generated { Terminal.print(text) }
                    // Another `apply` may have been first: what is left is found anew.
                    done += work.done
                    if refusal.isByOthers, vain < Self.vainAttempts { continue }
                    let made = done == 0 ? "Nothing was changed." : "\(done) of \(all) changes were made before."
                    throw CommandFailure(
                        ExitStatus(refusal.error.code),
                        "\(place(refusal.line))\(refusal.change.kind.noun) \(refusal.change.name): \(refusal.error.message)\n\(made)"
                    )
                }
            }
        }
    }

    private func read() throws -> Setup {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        // One byte more than is allowed, so that a file that is too long is told as one. A device may have no end.
        guard let data = try? handle.map({ try $0.read(upToCount: LocatedYAML.sizeLimit + 1) ?? Data() }) else {
            throw CommandFailure(.usage, "\(file) cannot be read. Name an existing file.")
        }
        guard data.count <= LocatedYAML.sizeLimit else {
            throw CommandFailure(.usage, "\(file) has more than \(LocatedYAML.sizeLimit >> 20) MiB.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.usage, "The content of \(file) is not UTF-8.")
        }
        do {
            return try Setup(yaml: text)
        } catch {
            throw failure(error.faults)
        }
    }

    private func failure(_ faults: [LocatedYAML.Fault], _ more: [String] = []) -> CommandFailure {
        CommandFailure(.usage, (faults.sorted().map { place($0.line) + $0.text } + more).joined(separator: "\n"))
    }

    private func place(_ line: Int?) -> String { line.map { "\(file):\($0): " } ?? "" }

    /// What can be known to go wrong before anything is changed, all of it; and the secrets, read. The server judges each change by the
    /// function that does it.
    private func judge(
        _ plan: SetupPlan, _ present: Setup, _ administration: any Administration
    ) async throws -> [String: SecretText] {
        var faults: [LocatedYAML.Fault] = []
        var secrets: [String: SecretText] = [:]
        for change in plan.changes {
            let line = change.line ?? 1
            if let secret = change.secret {
                do throws(CommandFailure) {
                    secrets[change.name] = try Self.read(secret, beside: file)
                } catch {
                    faults.append(.init(line: change.lines["secret"] ?? line, text: error.message))
                }
            }
            if let refusal = try await SetupWork.rehearse(
                change, of: plan.changes, secrets[change.name], administration)
            {
                faults.append(
                    .init(
                        line: refusal.line ?? line,
                        text: "\(change.kind.noun) \(change.name): \(refusal.error.message)".printable))
            }
            guard change.kind == .settings, let value = change.members["value"] else { continue }
            do {
                _ = try await administration.perform(PreviewSetting(key: change.name, value: value))
            } catch let error as AdministrationError where error.code == .invalid || error.code == .notFound {
                // Two that belong together may be right together.
                let isAlone = plan.changes.count { $0.kind == .settings } == 1
                if isAlone || !error.message.contains("Change the other one first") {
                    faults.append(.init(line: line, text: error.message))
                }
            }
        }
        if !faults.isEmpty { throw failure(faults, ["Nothing was changed."]) }
        return secrets
    }

    /// Nil where the server makes it.
    private static func read(_ source: Setup.SecretSource, beside file: String) throws(CommandFailure) -> SecretText? {
        switch source {
        case .generate: return nil
        case .environment(let name):
            guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
                throw CommandFailure(.usage, "the variable \(name) is not set")
            }
            return SecretText(text)
        case .file(let path):
            let folder = file == "-" ? "." : file.parentDirectory
            let place = path.hasPrefix("/") ? path : "\(folder)/\(path)"
            do {
                return SecretText(try SecretInput.file(place))
            } catch {
                throw CommandFailure(
                    .usage, "the secret cannot be read: \((error as? CommandFailure)?.message ?? "\(error)")")
            }
        }
    }

    // MARK: Words

    private struct Report: Encodable {
        struct Change: Encodable {
            struct Member: Encodable {
                let name: String
                let before: JSONValue?
                let after: JSONValue?
            }

            let action: String
            let kind: String
            let name: String
            let members: [Member]
            let setsSecret: Bool
        }

        let changes: [Change]
    }

    private func show(_ plan: SetupPlan) throws {
        if output.json {
            let changes = plan.changes.map { change in
                Report.Change(
                    action: change.action.rawValue, kind: change.kind.rawValue, name: change.name,
                    members: change.differences.map { .init(name: $0.name, before: $0.before, after: $0.after) },
                    setsSecret: change.secret != nil)
            }
            Terminal.print(try OutputOptions.text(of: Report(changes: changes), pretty: true))
            return
        }
        if plan.changes.isEmpty { return Terminal.print("Nothing to do.") }
        for change in plan.changes { for line in change.text { Terminal.print(line) } }
        let count = plan.changes.count
        Terminal.print("\(count) \(count == 1 ? "change" : "changes").")
    }

    private func finish(_ work: SetupWork) {
        for text in work.generated { Terminal.print(text) }
        for warning in work.warnings { Terminal.say("warning: \(warning.printable)") }
        if !output.json { Terminal.say("Done.") }
    }
}
