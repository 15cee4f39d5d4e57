import CoreMetrics
import HTTPTypes
import Hummingbird
import NIOCore

/// Counts and measures each request for ``RequestMetrics``.
///
/// It leaves the answer's body as it is, so that head and body go out in one write. (Hummingbird's own middleware wraps
/// the body, which makes three writes and three changes of thread of every answer.)
public struct RequestMetricsMiddleware<Context: RequestContext>: RouterMiddleware {
    private let metrics: RequestMetrics

    public init(_ metrics: RequestMetrics) {
        self.metrics = metrics
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = NIODeadline.now()
        let method = RequestMetrics.name(of: request.method)
        let active = metrics.active(method)
        active.increment()
        defer { active.decrement() }
        do {
            let response = try await next(request, context)
            let route = RequestMetrics.label(of: context.endpointPath, request.method, response.status)
            metrics.route(route ?? "Unknown", method, status: response.status.code)
                .record(nanoseconds: (NIODeadline.now() - start).nanoseconds)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            let route = RequestMetrics.label(of: context.endpointPath, request.method, status)
            metrics.route(route ?? "NotFound", method, status: status.code, isError: true)
                .record(nanoseconds: (NIODeadline.now() - start).nanoseconds)
            throw error
        }
    }
}
