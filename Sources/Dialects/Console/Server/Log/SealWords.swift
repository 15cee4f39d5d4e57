import AdminServer
import CountersignCore
import Foundation
import WebPages

/// What the console says of the sealed log.
enum SealWords {
    /// Up to where the log is sealed and checked, or the first range that does not hold.
    static func standing(_ scene: ConsoleScene) async throws -> PageBlock {
        let words = scene.words
        let seals = try await scene.perform(ShowAuditSeals())
        if let fault = seals.fault {
            var standing = broken(fault, scene)
            if scene.may(AcceptAuditFault.right) {
                standing.link = .init(
                    words("consoleLogAccept"),
                    to: PagePath("/console/log-accept", [("seal", String(fault.seal))]).text)
            }
            return .standing(standing)
        }
        guard let sealed = seals.sealedThrough else { return .standing(.init(.plain, words("consoleLogUnsealed"))) }
        return .standing(
            .init(
                .good, words("consoleLogSealed", ["time": .text(words.instant(sealed.date))]),
                seals.checkedThrough.map { [words("consoleLogChecked", ["time": .text(words.instant($0.date))])] } ?? []
            ))
    }

    /// Nothing where nothing is wrong.
    static func warnings(_ scene: ConsoleScene) async throws -> [PageBlock] {
        guard scene.may(ShowAuditSeals.right),
            let fault = try await scene.perform(ShowAuditSeals(onlyFault: true)).fault
        else { return [] }
        var standing = broken(fault, scene)
        standing.link = .init(scene.words("consoleLog"), to: "/console/log")
        return [.standing(standing)]
    }

    private static func broken(_ fault: AuditFaultSummary, _ scene: ConsoleScene) -> PageBlock.Standing {
        let words = scene.words
        func text(_ time: Timestamp?) -> PageText { time.map { words.instant($0.date) } ?? PageText("–") }
        let seal = PageText(String(fault.seal))
        return .init(
            .alarming, words("consoleLogBroken"),
            [
                FigureWords.reason(fault.kind, scene),
                words(
                    "consoleLogBrokenRange",
                    ["seal": .text(seal), "after": .text(text(fault.after)), "through": .text(text(fault.through))]),
                words(
                    "consoleLogBrokenHelp",
                    [
                        "verify": .text(PageText(code: "countersign audit verify")),
                        "accept": .text(PageText(code: "countersign audit accept \(fault.seal)")),
                    ]),
            ])
    }
}
