import CoreMetrics
import CountersignCore
import HTTPTypes
import Synchronization

/// Counts requests and measures them, with the series of each route looked up by one hash.
///
/// The series are `http_server_requests_total`, `http_server_request_errors_total`, `http_server_active_requests` and
/// `http_server_request_duration_seconds`. A request counts as answered when its answer is handed to the connection:
/// waiting for the client to read it is not the server's time
/// (docs/decisions/0165-requests-are-measured-until-their-answer.md).
public final class RequestMetrics: Sendable {
    /// The series of one route, method and outcome.
    public struct Route: Sendable {
        private let requests: Counter
        private let duration: Timer
        private let errors: Counter?
        private let figures: (durations: RequestDurations, kind: RequestDurations.Kind)?

        fileprivate init(_ key: Key, _ figures: (RequestDurations, RequestDurations.Kind)?) {
            self.figures = figures.map { (durations: $0.0, kind: $0.1) }
            let labels = [("http.route", key.route), ("http.request.method", key.method)]
            let status = ("http.response.status_code", String(key.status))
            requests = Counter(label: "http.server.requests", dimensions: labels + [status])
            duration = Timer(
                label: "http.server.request.duration", dimensions: labels + [status], preferredDisplayUnit: .seconds)
            errors =
                key.isError
                ? Counter(
                    label: "http.server.request.errors", dimensions: labels + [("error.type", String(key.status))])
                : nil
        }

        /// One more request that took so long.
        public func record(nanoseconds: Int64) {
            requests.increment()
            errors?.increment()
            duration.recordNanoseconds(nanoseconds)
            figures.map { $0.durations.record($0.kind, nanoseconds: nanoseconds) }
        }
    }

    fileprivate struct Key: Hashable {
        let route: String
        let method: String
        let status: Int
        let isError: Bool
    }

    private struct State {
        var routes: [Key: Route] = [:]
        var active: [String: Meter] = [:]
    }

    private let state = Mutex(State())
    /// The same for people: durations by kinds of routes.
    public let durations = RequestDurations()
    private let kind: @Sendable (String) -> RequestDurations.Kind?

    /// - Parameter kind: with which kind the durations of a route are shown to people; nil for those that say nothing about the server,
    ///   such as requests that wait for something to happen. It is asked once for each route, method and status.
    public init(kind: @escaping @Sendable (String) -> RequestDurations.Kind? = { _ in nil }) {
        self.kind = kind
    }

    /// The name of a method for labels: clients can invent methods, and each label is kept for ever.
    static func name(of method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .post, .put, .patch, .delete, .head, .options: method.rawValue
        default: "_OTHER"
        }
    }

    /// The route under which an answer counts; nil where it is of no route.
    ///
    /// What no route answered has none: a refused method and `OPTIONS` alike, at whatever path. So a route has series of its own methods alone,
    /// and all that strangers can ask for beside them adds some for each of eight names of methods.
    static func label(
        of route: String?, _ method: HTTPRequest.Method, _ status: HTTPResponse.Status
    ) -> String? {
        method == .options || status == .methodNotAllowed ? nil : route
    }

    /// The series of one route and method, looked up once each.
    func series(of route: String, _ method: HTTPRequest.Method) -> RouteSeries { RouteSeries(self, route, method) }

    /// The requests of a method that are being answered.
    func active(_ method: String) -> Meter {
        state.withLock { state in
            if let known = state.active[method] { return known }
            let fresh = Meter(label: "http.server.active_requests", dimensions: [("http.request.method", method)])
            state.active[method] = fresh
            return fresh
        }
    }

    /// - Parameters:
    ///   - route: the path as the router has it, with its parameters unfilled.
    ///   - isError: whether no handler made an answer of the failure.
    func route(_ route: String, _ method: String, status: Int, isError: Bool = false) -> Route {
        let key = Key(route: route, method: method, status: status, isError: isError)
        return state.withLock { state in
            if let known = state.routes[key] { return known }
            let fresh = Route(key, kind(route).map { (durations, $0) })
            state.routes[key] = fresh
            return fresh
        }
    }
}
