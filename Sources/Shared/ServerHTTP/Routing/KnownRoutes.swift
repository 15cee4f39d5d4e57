import HTTPTypes
import Hummingbird
import Synchronization

/// A route whose path has no parameters.
final class KnownRoute: Sendable {
    let method: HTTPRequest.Method
    let place: RequestPassage.Place
    private let passage: RequestPassage
    private let handle: RouteHandler.Handle

    init(
        _ method: HTTPRequest.Method, _ place: RequestPassage.Place, _ passage: RequestPassage,
        _ handle: @escaping RouteHandler.Handle
    ) {
        (self.method, self.place, self.passage, self.handle) = (method, place, passage, handle)
    }

    /// As the router answers it.
    func respond(to request: Request, context: CountersignRequestContext) async throws -> Response {
        context.coreContext.endpointPath.value = place.path
        do {
            return try await passage.pass(request, context, to: place, handle)
        } catch let error as any HTTPResponseError {
            return try error.response(from: request, context: context)
        }
    }
}

/// Routes without parameters by their whole paths: those of the parts of a server that are put together.
final class KnownRoutes: Sendable {
    private let routes = Mutex<[String: [KnownRoute]]>([:])
    private let rules: [@Sendable (_ path: String) -> String]

    /// - Parameter rules: what becomes of paths before they are looked for (``PathNormalizer``).
    init(rules: [@Sendable (_ path: String) -> String]) { self.rules = rules }

    func add(_ known: [KnownRoute]) {
        routes.withLock { routes in
            for route in known {
                let path = route.place.path
                // A path that a rule changes is looked for as another.
                if rules.reduce(path, { $1($0) }) == path { routes[path, default: []].append(route) }
            }
        }
    }

    /// The route for a request; nil where a router has to look.
    func route(of head: HTTPRequest) -> KnownRoute? {
        guard let target = head.path else { return nil }
        let query = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = query.map { String(target[..<$0]) } ?? target
        guard let found = routes.withLock({ $0[path] }) else { return nil }
        let method = head.method
        return found.first { $0.method == method }
    }
}
