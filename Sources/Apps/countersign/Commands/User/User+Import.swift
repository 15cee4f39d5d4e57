import AdminServer
import ArgumentParser
import Foundation

extension UserCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import users from a file, with their passwords and authenticators.",
            discussion: """
                The file has a user on each line, as JSON in the shape of Identity Toolkit's accounts:batchCreate, as `user \
                export` writes it; the file of `firebase auth:export users.json` is accepted too. A line says how its \
                password was hashed (hashAlgorithm, signerKey, rounds, …); the options below apply to lines that do not.

                  countersign user import users.jsonl --dry-run
                  countersign user import users.json --hash-algo SCRYPT --hash-key-file key \\
                    --salt-separator Bw== --rounds 8 --mem-cost 14

                The command reports bad lines with their number and a reason, imports the others, and exits with code 1. \
                After a hundred bad lines it stops, because the file or an option is likely to be wrong (--fault-limit). \
                After an interruption run the same command again: it counts identical users as already there. It refuses \
                users who exist with other data, unless you add --overwrite. A file without a user is exit code 4. \
                docs/recipes.md has more under "Import".
                """)

        @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
        var file: String

        @Flag(help: "Check every line and write nothing.")
        var dryRun = false

        @Flag(help: "Write nothing unless every line is valid: the file is read twice.")
        var strict = false

        @Flag(
            help: "Replace existing users with other data, password and authenticators included. They are signed out.")
        var overwrite = false

        @Flag(
            help:
                "Import users of other identity providers (Google, …) without these identities, instead of refusing them."
        )
        var dropIdentities = false

        @Option(help: ArgumentHelp("Skip users who begin before this line.", valueName: "line"))
        var resumeFrom = 1

        @Option(help: ArgumentHelp("Stop after this number of refused rows; 0 means never.", valueName: "rows"))
        var faultLimit = 100

        @OptionGroup(title: "Password hashes, for lines that do not describe them") var hashing: HashOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if strict && file == "-" {
                throw ValidationError("--strict reads the file twice, which standard input cannot. Name a file.")
            }
            if faultLimit < 0 { throw ValidationError("--fault-limit takes 0 or more.") }
            if resumeFrom < 1 { throw ValidationError("Lines count from 1.") }
        }

        func run() async throws {
            var settings = UserImport.Settings(
                hash: try hashing.settings(), overwrites: overwrite, dropsIdentities: dropIdentities,
                isRehearsal: dryRun || strict, firstLine: resumeFrom, faultLimit: faultLimit)
            let summary = try await realm.withAdministration { administration in
                let first = try await pass(administration, settings)
                guard strict, !dryRun, first.refused == 0 else { return first }
                settings.isRehearsal = false
                return try await pass(administration, settings)
            }
            try output.show(summary) { lines(of: summary) }
            if summary.isEmpty {
                throw CommandFailure(
                    .notFound, file == "-" ? "There is no user on standard input." : "There is no user in \(file).")
            }
            guard summary.refused == 0 else {
                if summary.isStopped {
                    throw CommandFailure(
                        .refused,
                        "\(summary.refused) rows were refused, and the rest of the file was not read. Is it the right "
                            + "file, and do the options fit? --fault-limit 0 goes on to the end.")
                }
                let rows = summary.refused == 1 ? "One row was" : "\(summary.refused) rows were"
                throw CommandFailure(
                    .refused,
                    strict && !dryRun
                        ? "\(rows) refused, and nothing was written."
                        : "\(rows) refused. Correct the file and run the same command again; it skips the others."
                )
            }
        }

        private func pass(
            _ administration: any Administration, _ settings: UserImport.Settings
        ) async throws -> UserImport.Summary {
            var size: Int?
            let handle: FileHandle
            if file == "-" {
                handle = .standardInput
            } else {
                // A directory is opened like a file, and then gives nothing to read.
                var isDirectory: ObjCBool = false
                guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue,
                    let opened = FileHandle(forReadingAtPath: file)
                else {
                    throw CommandFailure(.usage, "\(file) cannot be read. Name an existing file.")
                }
                // A pipe has no places to go back to.
                guard !strict || (try? opened.offset()) != nil else {
                    throw CommandFailure(.usage, "--strict reads the file twice, which a pipe cannot. Name a file.")
                }
                handle = opened
                size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int
            }
            var run = UserImport(administration, settings, size: size, isSilent: output.json)
            return try await run.run(handle)
        }

        private func lines(of summary: UserImport.Summary) -> [String] {
            let verb = summary.isDryRun ? "Would import" : "Imported"
            var parts = ["\(verb) \(summary.imported)"]
            if summary.replaced > 0 { parts.append("\(summary.isDryRun ? "replace" : "replaced") \(summary.replaced)") }
            parts.append("\(summary.alreadyThere) already there")
            parts.append("\(summary.refused) refused")
            if summary.skipped > 0 { parts.append("\(summary.skipped) passed over") }
            return [parts.joined(separator: ", ") + "."]
        }
    }
}
