import AdminServer
import CountersignCore
import Foundation
import ServerHTTP
import WebPages

/// `/console`: what runs, and since when.
enum OverviewPage {
    static let routes: [ConsoleRoute] = [
        .page("", right: nil, in: .overview, isEntry: true) { try await show($0) }
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let startedAt = scene.console.options.startedAt
        return scene.page(
            "console", "consoleOverview",
            [
                .facts([
                    .init(words.plain("consoleVersion"), PageText(ServerVersion.current.description)),
                    .init(words.plain("consoleStarted"), words.instant(startedAt)),
                    .init(words.plain("consoleUptime"), words.duration(scene.now.timeIntervalSince(startedAt))),
                ])
            ])
    }
}

extension Words {
    /// How long something takes, in the largest unit that it has one of.
    func duration(_ seconds: TimeInterval) -> PageText {
        let minutes = max(0, Int(seconds / 60))
        if minutes < 120 { return self("consoleMinutes", ["count": .number(minutes)]) }
        if minutes < 48 * 60 { return self("consoleHours", ["count": .number(minutes / 60)]) }
        return self("consoleDays", ["count": .number(minutes / 1440)])
    }
}
