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
        page.blocks += scene.command(ShowFigures())
        return page
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
