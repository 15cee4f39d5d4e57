import AdminServer
import CountersignCore
import Foundation
import ServerHTTP
import WebPages

/// `/console`: what runs, since when, what waits, and what runs out.
enum OverviewPage {
    static let routes: [ConsoleRoute] = [
        .page("", right: nil, in: .overview, isEntry: true) { try await show($0) }
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let startedAt = scene.console.options.startedAt
        var facts: [PageBlock.Fact] = [
            .init(words.plain("consoleVersion"), PageText(ServerVersion.current.description)),
            .init(words.plain("consoleStarted"), words.instant(startedAt)),
            .init(words.plain("consoleUptime"), words.duration(scene.now.timeIntervalSince(startedAt))),
        ]
        if scene.may(ListKeys.right) { facts.append(try await servers(scene)) }
        if scene.may(ShowDelivery.right) { facts.append(try await waiting(scene)) }
        var warnings = try await HookPages.warnings(scene)
        warnings += try await SealWords.warnings(scene)
        if scene.may(RunDoctor.right) {
            warnings.append(
                DoctorPage.standing(
                    try await scene.console.findings.answer(scene),
                    link: .init(words("consoleDoctor"), to: "/console/doctor"),
                    scene))
        }
        var page = scene.page("console", "consoleOverview", warnings + [.facts(facts)])
        if scene.may(ShowFigures.right) { page.blocks += try await figures(scene) }
        page.blocks += try await Endings.read(scene).blocks(scene)
        return page
    }

    /// The servers that said lately that they work on this database.
    private static func servers(_ scene: ConsoleScene) async throws -> PageBlock.Fact {
        let names = try await scene.perform(ListKeys()).masterKey.servers.map(\.name)
        return .init(
            scene.words.plain("consoleServers"), PageText(chosen: names.isEmpty ? "–" : names.joined(separator: ", ")),
            link: .init(scene.words("consoleShow"), to: "/console/keys"))
    }

    /// Mails and pushes that were not delivered yet.
    private static func waiting(_ scene: ConsoleScene) async throws -> PageBlock.Fact {
        let channels = try await scene.perform(ShowDelivery()).channels
        let texts = channels.map { channel in
            "\(scene.words.plain(WordFamily.key("channel", channel.channel))) \(channel.waiting)"
        }
        return .init(
            scene.words.plain("consoleWaiting"),
            texts.isEmpty ? PageText("0") : PageText(texts.joined(separator: ", ")),
            link: .init(scene.words("consoleShow"), to: "/console/delivery"))
    }

    /// Sign-ins and refusals of the last day, hour by hour.
    private static func figures(_ scene: ConsoleScene) async throws -> [PageBlock] {
        let words = scene.words
        let answer = try await scene.perform(ShowFigures())
        return [("sign-ins", "consoleSignIns"), ("refusals", "consoleRefusals")].flatMap { name, title -> [PageBlock] in
            let series = answer.series.filter { $0.name == name }
            let counts = answer.hours.indices.map { hour in
                series.reduce(0) { $0 + (hour < $1.counts.count ? $1.counts[hour] : 0) }
            }
            let summary = words.plain(
                "consoleOfLastDay",
                ["count": .number(counts.reduce(0, +)), "highest": .number(counts.max() ?? 0)])
            return [
                .heading(words.plain(title)), .text(PageText(summary)),
                .drawing(
                    svg: HourlyPlot(
                        counts: counts, hours: answer.hours.map(\.date), title: words.plain(title), summary: summary
                    ).svg),
            ]
        }
    }
}

extension Words {
    /// How long something takes, in the largest unit that it has two of.
    func duration(_ seconds: TimeInterval) -> PageText {
        let minutes = max(0, Int(seconds / 60))
        if minutes < 120 { return self("consoleMinutes", ["count": .number(minutes)]) }
        if minutes < 48 * 60 { return self("consoleHours", ["count": .number(minutes / 60)]) }
        return self("consoleDays", ["count": .number(minutes / 1440)])
    }
}
