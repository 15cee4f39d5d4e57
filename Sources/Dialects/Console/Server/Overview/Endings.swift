import AdminServer
import CountersignCore
import Foundation
import WebPages

/// What ends soon, or has ended: certificates, tokens, secrets and keys, the soonest first. Each kind is for those who may look at it.
struct Endings {
    /// Seconds before its end from which something is said to run out.
    static let notice: TimeInterval = 30 * 86_400
    struct Ending {
        let kind: String
        let name: String
        let at: Date
        let path: String
    }

    private(set) var all: [Ending] = []

    static func read(_ scene: ConsoleScene) async throws -> Endings {
        var endings = Endings()
        func add(_ kind: String, _ name: String, _ instant: Date, _ path: String) {
            guard instant < scene.now + notice else { return }
            endings.all.append(Ending(kind: kind, name: name, at: instant, path: path))
        }
        if scene.may(ShowStart.right), let instant = scene.console.options.certificateEnds() {
            add("consoleEndingCertificate", scene.words.plain("consoleEndingThisServer"), instant, "/console/settings")
        }
        if scene.may(ListMachineTokens.right) {
            for token in try await scene.perform(ListMachineTokens(limit: MachineTokens.most)).tokens {
                add(
                    "consoleEndingToken", token.label.isEmpty ? token.id : token.label, token.expiresAt.date,
                    "/console/tokens")
            }
        }
        if scene.may(ListKeys.right) {
            for key in try await scene.perform(ListKeys()).keys {
                guard let removed = key.removedAfter else { continue }
                add("consoleEndingKey", "\(key.algorithm) \(key.id)", removed.date, "/console/keys")
            }
        }
        if scene.may(ListRegistrationTokens.right) {
            for token in try await scene.perform(ListRegistrationTokens(limit: RegistrationTokens.most)).tokens {
                add(
                    "consoleEndingRegistrationToken", token.label.isEmpty ? token.id : token.label,
                    token.expiresAt.date,
                    "/console/registrations-tokens")
            }
        }
        if scene.may(ListEndingSecrets.right) {
            let answer = try await scene.perform(ListEndingSecrets(days: Int(notice / 86_400)))
            for application in answer.applications {
                guard let until = application.formerSecretUntil else { continue }
                add(
                    "consoleEndingSecret", application.displayName ?? application.id, until.date,
                    ApplicationPages.path(of: application.id))
            }
        }
        endings.all.sort { ($0.at, $0.name) < ($1.at, $1.name) }
        return endings
    }

    /// Nothing where nothing ends.
    func blocks(_ scene: ConsoleScene) -> [PageBlock] {
        guard !all.isEmpty else { return [] }
        let words = scene.words
        return [
            .heading(words.plain("consoleRunsOut")),
            .table(
                PageTable(
                    words.plain("consoleRunsOut"),
                    columns: ["consoleName", "consoleEnding", "consoleExpires"].map { words.plain($0) },
                    rows: all.prefix(ConsoleScene.pageLength).map { ending in
                        [
                            .init(
                                PageText(chosen: ending.name), to: ending.path,
                                marks: ending.at <= scene.now ? [.init(words("consoleExpired"), .alarming)] : []),
                            .init(words(ending.kind)),
                            .init(words.instant(ending.at)),
                        ]
                    })),
        ]
    }
}
