/// Tells what is being done when it takes more than a moment.
enum Progress {
    /// Shows `activity…` on standard error after most of a second, at a terminal.
    static func showing<Result>(_ activity: String, _ body: () async throws -> Result) async throws -> Result {
        guard Terminal.showsProgress else { return try await body() }
        let notice = Task {
            try await Task.sleep(for: .milliseconds(700))
            Terminal.say("\(activity)…")
        }
        defer { notice.cancel() }
        return try await body()
    }
}
