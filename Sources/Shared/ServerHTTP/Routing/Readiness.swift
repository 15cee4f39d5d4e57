/// Whether requests should be sent to this server, and what else is to be known of it.
///
/// It is public, so it names parts ("the store does not answer") and no addresses or paths.
public struct Readiness: Sendable, Equatable {
    /// Why no requests should be sent here; none where the server is ready.
    public var reasons: [String]
    /// Problems that do not stop the service.
    public var warnings: [String]
    /// Seconds that this server's clock is ahead of the database's, negative where it is behind; nil where there is
    /// only one clock, or the difference is unknown.
    public var clockSkew: Double?

    public init(reasons: [String] = [], warnings: [String] = [], clockSkew: Double? = nil) {
        self.reasons = reasons
        self.warnings = warnings
        self.clockSkew = clockSkew
    }
}
