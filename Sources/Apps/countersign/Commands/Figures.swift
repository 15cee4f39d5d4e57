import AdminServer
import ArgumentParser

/// What happened in the last day, hour by hour.
struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Show what happened in the last 24 hours: sign-ins, refusals, second factors, failures.",
        discussion: """
            The numbers are those of the log, of all servers together; with --json, hour by hour.

              countersign figures
            """)

    @OptionGroup var realm: RealmOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let answer = try await realm.perform(ShowFigures())
        try output.show(answer) {
            var table = Table("FIGURE", "OF", "24 HOURS", "HIGHEST HOUR", "LAST HOUR")
            for series in answer.series {
                table.add(
                    series.name, series.label, "\(series.total)", "\(series.counts.max() ?? 0)",
                    "\(series.counts.last ?? 0)")
            }
            return table.lines
        }
    }
}
