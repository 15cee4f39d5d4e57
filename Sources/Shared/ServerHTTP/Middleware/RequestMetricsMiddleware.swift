import CoreMetrics
import HTTPTypes
import Hummingbird
import NIOCore

/// Counts and measures each request for ``RequestMetrics``.
///
/// It leaves the answer's body as it is, so that head and body go out in one write. (Hummingbird's own middleware wraps
/// the body, which makes three writes and three changes of thread of every answer.)
public struct RequestMetricsMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let metrics: RequestMetrics

    public init(_ metrics: RequestMetrics) {
        self.metrics = metrics
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let measurement = begin(request, at: nil)
        do {
            let response = try await next(request, context)
            end(measurement, request, context, response.status)
            return response
        } catch {
            end(measurement, request, context, failing: error)
            throw error
        }
    }

    /// A request that is being answered.
    struct Measurement {
        fileprivate let start: NIODeadline
        fileprivate let active: Meter
        /// The series of its route, where that is known before the router is asked.
        fileprivate let series: RouteSeries?
    }

    /// - Parameter series: those of the request's route and method; nil where the route is not known yet.
    func begin(_ request: Request, at series: RouteSeries?) -> Measurement {
        let active = series?.active ?? metrics.active(RequestMetrics.name(of: request.method))
        active.increment()
        return Measurement(start: .now(), active: active, series: series)
    }

    /// The request was answered.
    func end(_ measurement: Measurement, _ request: Request, _ context: Context, _ status: HTTPResponse.Status) {
        end(measurement, request, context, status, isError: false)
    }

    /// No handler made an answer of a failure.
    func end(_ measurement: Measurement, _ request: Request, _ context: Context, failing error: any Error) {
        let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
        end(measurement, request, context, status, isError: true)
    }

    private func end(
        _ measurement: Measurement, _ request: Request, _ context: Context, _ status: HTTPResponse.Status, isError: Bool
    ) {
        let nanoseconds = (NIODeadline.now() - measurement.start).nanoseconds
        measurement.active.decrement()
        if let series = measurement.series, !isError, status != .methodNotAllowed {
            return series.answered(status: status.code).record(nanoseconds: nanoseconds)
        }
        let route = RequestMetrics.label(of: context.endpointPath, request.method, status)
        metrics.route(
            route ?? (isError ? "NotFound" : "Unknown"), RequestMetrics.name(of: request.method), status: status.code,
            isError: isError
        ).record(nanoseconds: nanoseconds)
    }
}
