import AdminServer
import CountersignCore
import WebPages

/// `/console/figures`: what happened in the last day, hour by hour.
enum FiguresPage {
    static let routes: [ConsoleRoute] = [
        .page("figures", of: ShowFigures.self, in: .figures, isEntry: true) { try await show($0) }
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let series = try await scene.perform(ShowFigures()).series
        var page = scene.page("console-figures", "consoleFigures")
        page.text = words("consoleFiguresText")
        for figure in series {
            let name = words(WordFamily.key("figure", figure.name))
            let title = figure.label.map {
                words("consoleFigureOf", ["name": .text(name), "label": .chosen($0)])
            }
            let summary = words(
                "consoleFigureSummary",
                ["total": .number(figure.total), "most": .number(figure.counts.max() ?? 0)])
            let heading = (title ?? name).plain
            page.blocks += [
                .heading(heading), .text(summary),
                .drawing(svg: HourlyPlot(counts: figure.counts, title: heading, summary: summary.plain).svg),
            ]
        }
        return page
    }
}
