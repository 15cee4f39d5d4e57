import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird

/// What tells an orchestrator whether to restart the server and whether to send it requests.
///
/// - `GET /health/live`: 200 `{"status":"alive"}` as long as the process answers at all.
/// - `GET /health/ready`: 200 `{"status":"ready"}`, or 503 `{"reasons":[…],"status":"unavailable"}` with `Retry-After`
///   (RFC 9110, section 10.2.3). Where servers share a database, `clockSkewSeconds` says how far this server's clock is
///   ahead of the database's, and `warnings` problems that do not stop the service.
public struct HealthRoutes: Sendable {
    private let readiness: @Sendable () async -> Readiness

    /// Seconds after which asking again is worth it.
    static let retryAfter = 2

    /// - Parameter readiness: called for each request.
    public init(readiness: @escaping @Sendable () async -> Readiness) {
        self.readiness = readiness
    }

    /// - Parameter reasons: why no requests should be sent here; none when the server is ready. Called for each request.
    public init(reasonsNotToBeReady reasons: @escaping @Sendable () async -> [String]) {
        self.init { Readiness(reasons: await reasons()) }
    }

    private static let livePath = "/health/live"

    /// It never changes.
    public static var live: ReadyAnswers.Source { ReadyAnswers.Source(livePath) { Data() } }

    public func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(RouterPath(Self.livePath)) { _, _ in
            try Response.json(JSONValue.object(["status": .string("alive")]))
        }
        router.get("health/ready") { [readiness] _, _ in try await readiness().response() }
    }
}

extension Readiness {
    fileprivate func response() throws -> Response {
        let isReady = reasons.isEmpty
        var members: [String: JSONValue] = ["status": .string(isReady ? "ready" : "unavailable")]
        if !isReady { members["reasons"] = .array(reasons.map { .string($0) }) }
        if !warnings.isEmpty { members["warnings"] = .array(warnings.map { .string($0) }) }
        // Thousandths: what lies below is the way there and back. The sum makes 0 of -0.
        if let clockSkew { members["clockSkewSeconds"] = .number((clockSkew * 1000).rounded() / 1000 + 0) }
        var response = try Response.json(
            JSONValue.object(members), status: isReady ? .ok : .serviceUnavailable)
        if !isReady { response.headers.append(contentsOf: HTTPFields.retryAfter(HealthRoutes.retryAfter)) }
        return response
    }
}
