import AdminServer
import CountersignCore
import Foundation
import WebPages

/// `/console/figures`: what happened in the last day, and how long requests took, hour by hour: as plots, and as a table for those who do
/// not see them.
enum FiguresPage {
    static let routes: [ConsoleRoute] = [
        .page("figures", of: ShowFigures.self, in: .figures, isEntry: true) { try await show($0) }
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let answer = try await scene.perform(ShowFigures())
        var page = scene.page("console-figures", "consoleFigures")
        page.text = words("consoleFiguresText")
        for figure in answer.series {
            let name = words(WordFamily.key("figure", figure.name))
            let title = figure.label.map {
                words(
                    "consoleFigureOf",
                    ["name": .text(name), "label": .text(FigureWords.label($0, of: figure.name, scene))])
            }
            let summary = words(
                "consoleFigureSummary",
                ["total": .number(figure.total), "most": .number(figure.counts.max() ?? 0)])
            let heading = (title ?? name).plain
            page.blocks += [
                .heading(heading), .text(summary),
                .drawing(
                    svg: HourlyPlot(
                        counts: figure.counts, hours: answer.hours.map(\.date), title: heading, summary: summary.plain
                    ).svg),
            ]
        }
        page.blocks.append(.text(words("consoleFiguresMeasured")))
        for latency in answer.latencies { page.blocks += blocks(latency, answer.hours.map(\.date), words) }
        page.blocks += [
            .heading(words.plain("consoleHourByHour")),
            .table(hourly(answer, words), none: words("consoleLatencyNone")),
        ]
        page.blocks += scene.command(ShowFigures())
        return page
    }

    /// How long requests of one kind took.
    private static func blocks(_ latency: LatencySeries, _ hours: [Date], _ words: Words) -> [PageBlock] {
        let heading = words.plain(
            "consoleLatencyOf", ["kind": .text(words(WordFamily.key("latency", latency.requests)))])
        guard let median = latency.median, let high = latency.high else {
            return [.heading(heading), .text(words("consoleLatencyNone"))]
        }
        let summary = words(
            "consoleLatencySummary",
            [
                "count": .number(latency.total), "median": .text(PageText(LatencySeries.text(median))),
                "high": .text(PageText(LatencySeries.text(high))),
            ])
        return [
            .heading(heading), .text(summary),
            .drawing(
                svg: HourlyPlot(
                    counts: latency.medians, hours: hours, title: heading, summary: summary.plain,
                    outlines: latency.highs, number: { LatencySeries.text($0) }
                ).svg),
        ]
    }

    /// The hours in which something happened, the newest first, with what happened in the day at all.
    private static func hourly(_ answer: ShowFigures.Answer, _ words: Words) -> PageTable {
        var names: [String] = []
        for series in answer.series where series.total > 0 && !names.contains(series.name) { names.append(series.name) }
        let sums = names.map { name in
            answer.hours.indices.map { hour in
                answer.series.filter { $0.name == name && hour < $0.counts.count }.reduce(0) { $0 + $1.counts[hour] }
            }
        }
        let latencies = answer.latencies.filter { $0.total > 0 }
        let rows = answer.hours.indices.reversed().compactMap { hour -> [PageTable.Cell]? in
            guard sums.contains(where: { $0[hour] > 0 }) || latencies.contains(where: { $0.counts[hour] > 0 }) else {
                return nil
            }
            let counts = zip(names, sums).filter { $0.1[hour] > 0 }.map { name, sum in
                words.plain(
                    "consoleFigureOf",
                    ["name": .text(words(WordFamily.key("figure", name))), "label": .number(sum[hour])])
            }
            var cells: [PageTable.Cell] = [
                .init(words.instant(answer.hours[hour].date)),
                .init(PageText(counts.isEmpty ? "–" : counts.joined(separator: words.plain("listSeparator")))),
            ]
            for latency in latencies {
                guard latency.counts[hour] > 0 else {
                    cells.append(.init(PageText("–")))
                    continue
                }
                let median = PageText(LatencySeries.text(latency.medians[hour]))
                let high = PageText(LatencySeries.text(latency.highs[hour]))
                cells.append(.init(words("consoleLatencyCell", ["median": .text(median), "high": .text(high)])))
            }
            return cells
        }
        return PageTable(
            words.plain("consoleHourByHour"),
            columns: [words.plain("consoleHour"), words.plain("consoleFigures")]
                + latencies.map {
                    words.plain(
                        "consoleLatencyOf", ["kind": .text(words(WordFamily.key("latency", $0.requests)))])
                },
            rows: rows)
    }
}

/// What figures are of, in words.
enum FigureWords {
    /// The reason of refusals, or the kind of second factors; the program's own word where there is none for it.
    static func label(_ label: String, of figure: String, _ scene: ConsoleScene) -> PageText {
        if figure == "refusals" { return reason(label, scene) }
        let key = WordFamily.key("proof", label)
        return scene.console.options.site.messages.has(key) ? scene.words(key) : PageText(chosen: label)
    }

    /// Why an answer was refused.
    static func reason(_ reason: String, _ scene: ConsoleScene) -> PageText {
        let key = WordFamily.key("reason", reason)
        return scene.console.options.site.messages.has(key) ? scene.words(key) : PageText(chosen: reason)
    }
}
