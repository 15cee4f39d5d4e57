import CoreMetrics
import HTTPTypes
import Synchronization

/// The series of one route and method, for a route that is known before the router is asked: there are a few of them, so that none is
/// found by a hash of its labels. A series begins with the first request that it counts, as in ``RequestMetrics``, where they all are.
final class RouteSeries: Sendable {
    private struct State {
        var active: Meter?
        /// By the status of answers.
        var answered: [(status: Int, route: RequestMetrics.Route)] = []
    }

    private let metrics: RequestMetrics
    private let route: String
    private let method: String
    private let state = Mutex(State())

    /// - Parameter method: no `OPTIONS`, which no route answers.
    init(_ metrics: RequestMetrics, _ route: String, _ method: HTTPRequest.Method) {
        (self.metrics, self.route, self.method) = (metrics, route, RequestMetrics.name(of: method))
    }

    /// The requests of the method that are being answered.
    var active: Meter {
        state.withLock { state in
            if let known = state.active { return known }
            let meter = metrics.active(method)
            state.active = meter
            return meter
        }
    }

    /// The requests that were answered so.
    func answered(status: Int) -> RequestMetrics.Route {
        state.withLock { state in
            if let known = state.answered.first(where: { $0.status == status }) { return known.route }
            let route = metrics.route(route, method, status: status)
            state.answered.append((status, route))
            return route
        }
    }
}
