import CountersignCore

/// How long to wait before the next try: longer after each, and never the same for two who failed together.
struct Backoff: Sendable {
    let first: Duration
    let longest: Duration

    /// Between two tries to connect.
    static let connecting = Backoff(first: .milliseconds(50), longest: .seconds(1))
    /// Before a write that lost a race runs again. It costs a commit or two.
    static let losing = Backoff(first: .milliseconds(1), longest: .milliseconds(20))

    /// - Parameter failures: at least 1.
    /// - Returns: anything between nothing and twice as much as after the failure before.
    func wait(after failures: Int, _ random: any RandomSource) -> Duration {
        let doublings = min(failures - 1, 16)
        let limit = min(first * (1 << doublings), longest)
        let part = random.bytes(2).reduce(0) { $0 << 8 | Int($1) }
        return limit * part / 65536
    }
}
