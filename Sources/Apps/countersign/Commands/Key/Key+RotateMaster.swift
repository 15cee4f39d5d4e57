import ArgumentParser
import CountersignCore
import CountersignServer
import Foundation

extension KeyCommand {
    struct RotateMaster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-master",
            abstract: "Replace the master key while servers run.",
            discussion: """
                The command creates a new key, waits until every running server has read it, uses it from then on, and \
                seals all secrets again with it. Once the old key is no longer needed, the command moves it from the key \
                file to FILE.retired-ID: earlier backups need it. Delete it with the last of them.

                If the command is interrupted, run it again: it continues, and creates no second key.

                Servers on other machines read their own key files. If one does not know the new key, the command names it \
                and keeps using the old key: copy the key file there, and run the command again. If it cannot write the key \
                file, insert a new key before the old one yourself. docs/recipes.md has the whole procedure.

                Mailed codes that are still valid need the old key. Then it stays, and the command says until when; run it \
                again after that.

                  countersign key rotate-master --data /var/lib/countersign
                  countersign key rotate-master --database postgres://db/countersign \\
                    --master-key-file /etc/countersign/key
                """)

        @Option(
            help: ArgumentHelp("How long to wait for servers to read the new key: 0 to 3600.", valueName: "seconds"))
        var wait = 90

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (0...3600).contains(wait) else { throw ValidationError("--wait takes 0 to 3600.") }
        }

        func run() async throws {
            try await realm.withOpenedRealm { opened in
                var rotation = try MasterKeyRotation(opened)
                rotation.patience = .seconds(wait)
                let outcome = try await rotation.run { step in
                    if let line = step.line { Terminal.say(line.printable) }
                }
                if !outcome.unreadable.isEmpty {
                    Terminal.say(
                        "warning: no key opens these values, which stay as they are: "
                            + outcome.unreadable.joined(separator: ", ").printable)
                }
                try output.show(Answer(outcome)) { outcome.lines }
            }
        }

        private struct Answer: Encodable {
            let key: String
            let isComplete: Bool
            let wasResumed: Bool
            let resealed: Int
            let retired: [String]
            let retiredFiles: [String]
            let unreadable: [String]
            let openCodes: Int
            let runAgainAfter: String?
            let keysToRemove: [String]

            init(_ outcome: MasterKeyRotation.Outcome) {
                key = outcome.key
                isComplete = outcome.openCodes == 0 && outcome.keysToRemove.isEmpty
                wasResumed = outcome.wasResumed
                resealed = outcome.resealed
                retired = outcome.retired
                retiredFiles = outcome.retiredFiles
                unreadable = outcome.unreadable
                openCodes = outcome.openCodes
                runAgainAfter = outcome.openCodesExpireAt?.ISO8601Format()
                keysToRemove = outcome.keysToRemove
            }
        }
    }
}

extension MasterKeyRotation.Step {
    /// Progress, for people; nil for what comes too often without a terminal.
    fileprivate var line: String? {
        switch self {
        case .made(let key): "Made the master key \(key)."
        case .waiting(let servers): "Waiting for servers to read it: \(servers.joined(separator: ", "))."
        case .known: nil
        case .replaced(let key): "The master key \(key) seals from now on."
        case .resealing(let place, let seen, let resealed):
            Terminal.showsProgress && seen % 2000 == 0
                ? "Sealing anew: \(seen) of \(place.rawValue) looked at, \(resealed) sealed…" : nil
        case .resealed(let count): "Sealed \(count) values anew."
        case .unused, .setAside, .finished: nil
        }
    }
}

extension MasterKeyRotation.Outcome {
    fileprivate var lines: [String] {
        var lines = [
            wasResumed && openCodes == 0
                ? "Finished the rotation that had begun: the master key \(key) seals everything."
                : "The master key \(key) seals everything."
        ]
        if let openCodesExpireAt {
            lines.append(
                "\(openCodes == 1 ? "A mailed code needs" : "\(openCodes) mailed codes need") the earlier key, which "
                    + "therefore stays. Run this again after \(openCodesExpireAt.ISO8601Format()) to retire it.")
        } else if !keysToRemove.isEmpty {
            lines.append(
                "The earlier key \(keysToRemove.joined(separator: ", ")) is no longer needed. The key file cannot be "
                    + "written: remove every line but the first yourself, and keep them as long as earlier backups."
            )
        } else {
            for (key, path) in zip(retired, retiredFiles) {
                lines.append(
                    "Retired the master key \(key): only earlier backups need it. It is in \(path); "
                        + "delete that with the last of them.")
            }
        }
        return lines
    }
}
