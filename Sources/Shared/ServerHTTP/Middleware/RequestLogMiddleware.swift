import Hummingbird
import Logging

/// Logs each request and its answer at the level `debug`.
///
/// What may be secret stays out: headers, bodies, and the values in queries (API keys, codes of mailed links). Of a
/// query only the names are logged.
public struct RequestLogMiddleware<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard context.logger.logLevel <= .debug else { return try await next(request, context) }
        let start = ContinuousClock.now
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "path": .string(request.uri.path),
        ]
        if let query = request.uri.query { metadata["query"] = .string(Self.names(in: query)) }
        do {
            let response = try await next(request, context)
            metadata["status"] = .stringConvertible(response.status.code)
            metadata["milliseconds"] = .stringConvertible(Self.milliseconds(since: start))
            context.logger.debug("request", metadata: metadata)
            return response
        } catch {
            metadata["milliseconds"] = .stringConvertible(Self.milliseconds(since: start))
            context.logger.debug("request failed", metadata: metadata)
            throw error
        }
    }

    /// A part without an equals sign may be a value, so it is not shown.
    static func names(in query: String) -> String {
        query.split(separator: "&")
            .map { part in part.firstIndex(of: "=").map { String(part[..<$0]) } ?? "…" }
            .joined(separator: "&")
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}
