import CountersignCore
import HTTPTypes
import Hummingbird

/// What tells an orchestrator whether to restart the server and whether to send it requests.
///
/// - `GET /health/live`: 200 `{"status":"alive"}` as long as the process answers at all.
/// - `GET /health/ready`: 200 `{"status":"ready"}`, or 503 `{"reasons":[…],"status":"unavailable"}`.
public struct HealthRoutes: Sendable {
    private let reasons: @Sendable () async -> [String]

    /// - Parameter reasons: why no requests should be sent here; none when the server is ready. Everybody can read
    ///   them, so they name parts ("the store does not answer") and no addresses or paths. Called for each request.
    public init(reasonsNotToBeReady reasons: @escaping @Sendable () async -> [String]) {
        self.reasons = reasons
    }

    public func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get("health/live") { _, _ in
            try Response.json(JSONValue.object(["status": .string("alive")]))
        }
        router.get("health/ready") { [reasons] _, _ in
            let reasons = await reasons()
            if reasons.isEmpty { return try Response.json(JSONValue.object(["status": .string("ready")])) }
            return try Response.json(
                JSONValue.object([
                    "status": .string("unavailable"), "reasons": .array(reasons.map { .string($0) }),
                ]), status: .serviceUnavailable)
        }
    }
}
