import AdminServer
import ArgumentParser

/// What happened in the last day, hour by hour.
struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Show what happened in the last 24 hours: sign-ins, refusals, second factors, deliveries, latency.",
        discussion: """
            The numbers are of all servers together; with --json, hour by hour, durations in microseconds. What was delivered, and how long \
            requests took, is there a minute later; requests that wait for something to happen are left out.

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
            var latencies = Table("LATENCY", "REQUESTS", "MEDIAN", "99 OF 100")
            for latency in answer.latencies {
                latencies.add(
                    latency.requests, "\(latency.total)", latency.median.map(LatencySeries.text),
                    latency.high.map(LatencySeries.text))
            }
            return table.lines + [""] + latencies.lines
        }
    }
}
