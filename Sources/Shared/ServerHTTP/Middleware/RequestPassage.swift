import HTTPTypes
import Hummingbird
import JSON

/// What every request passes on its way to its route, and its answer on the way back, in one step: from outside to inside source,
/// measures, log, security headers, CORS, failures and target, as each of these types has it.
///
/// As middleware each for itself they would hand request, context and answer on through code of the framework that is generic over
/// all of them (docs/decisions/0510).
public struct RequestPassage: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let source: RequestSourceMiddleware
    private let metrics: RequestMetricsMiddleware
    private let log: RequestLogMiddleware
    private let security: SecurityHeadersMiddleware
    private let crossOrigin: PublicCORSMiddleware
    private let failures: FailureMiddleware
    private let targets: RequestTargetMiddleware
    private let requests: RequestMetrics

    public init(
        _ source: RequestSourceMiddleware, _ requests: RequestMetrics, _ log: RequestLogMiddleware,
        _ security: SecurityHeadersMiddleware, _ crossOrigin: PublicCORSMiddleware, _ failures: FailureMiddleware,
        _ targets: RequestTargetMiddleware
    ) {
        self.source = source
        self.requests = requests
        metrics = RequestMetricsMiddleware(requests)
        self.log = log
        self.security = security
        self.crossOrigin = crossOrigin
        self.failures = failures
        self.targets = targets
    }

    /// What depends on the route alone: looked up once where the route is known before a request comes.
    final class Place: Sendable {
        let path: String
        fileprivate let rule: PublicCORSMiddleware.Applied?
        fileprivate let series: RouteSeries

        fileprivate init(_ path: String, _ rule: PublicCORSMiddleware.Applied?, _ series: RouteSeries) {
            (self.path, self.rule, self.series) = (path, rule, series)
        }
    }

    /// - Parameter path: of a route without parameters, as the router writes it.
    func place(of path: String, _ method: HTTPRequest.Method) -> Place {
        Place(path, crossOrigin.rule(of: path), requests.series(of: path, method))
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await pass(request, context, to: nil, next)
    }

    /// - Parameter place: the route that `next` is, and that the context names; nil where the router has chosen.
    func pass(
        _ request: Request, _ context: Context, to place: Place?, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var identified = context
        source.identify(request, in: &identified)
        let context = identified
        let measurement = metrics.begin(request, at: place?.series)
        do {
            let response = try await log.handle(request, context: context) { request, context in
                try await answer(request, context, at: place, next)
            }
            metrics.end(measurement, request, context, response.status)
            return response
        } catch {
            metrics.end(measurement, request, context, failing: error)
            throw error
        }
    }

    private func answer(
        _ request: Request, _ context: Context, at place: Place?, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let rule = if let place { place.rule } else { crossOrigin.rule(of: request.uri.path) }
        var response: Response
        if let preflight = rule?.answerToPreflight(request) {
            response = preflight
        } else {
            do {
                try request.requireFewMarks()
                if place != nil {
                    // A route that is known before has a target that is one; its body may still be in a form that is none.
                    try targets.requireKnownCoding(of: request)
                    response = try await next(request, context)
                } else if let refusal = try await targets.answer(to: request, context) {
                    response = refusal
                } else {
                    response = try await next(request, context)
                }
            } catch {
                response = try failures.answer(to: error, request, context)
            }
            rule?.admit(request, to: &response.headers)
        }
        security.protect(&response.headers)
        return response
    }
}

extension Request {
    /// Sees that no field would take long to compare. Programs write ASCII there.
    fileprivate func requireFewMarks() throws(HTTPError) {
        for field in headers where !StackedMarks.areFew(in: field.value) { throw HTTPError(.badRequest) }
    }
}
