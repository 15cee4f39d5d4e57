import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The methods of every path, for requests that have another one (RFC 9110, section 15.5.6).
///
/// It is made of the list of the routes, and finds paths as the router does. Nothing is put together before the first request that no
/// route takes.
public final class PathMethods: Sendable {
    typealias Context = CountersignRequestContext

    private struct State {
        var routes: [(path: RouterPath, method: HTTPRequest.Method)] = []
        var finder: RouterResponder<Context>?
    }

    private let state = Mutex(State())

    public init() {}

    /// Says which routes there are.
    public func tell(_ routes: [Router<CountersignRequestContext>.RouteDescription]) {
        tell(routes.map { ($0.path, $0.method) })
    }

    /// The same of routes as they were added: the router's list is sorted, and a start needs none.
    func tell(_ routes: [(path: RouterPath, method: HTTPRequest.Method)]) {
        state.withLock { $0 = State(routes: routes) }
    }

    /// What `Allow` lists for a path; nil for a path that no route has.
    func allowed(at path: String, _ context: Context) async throws -> String? {
        let finder = state.withLock { state in
            if let finder = state.finder { return finder }
            let finder = Self.finder(state.routes)
            state.finder = finder
            return finder
        }
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
        let found = try await finder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
        return found.status == .ok ? found.headers[.allow] : nil
    }

    /// Answers each path with its methods.
    private static func finder(
        _ routes: [(path: RouterPath, method: HTTPRequest.Method)]
    ) -> RouterResponder<Context> {
        let router = Router(context: Context.self)
        for (path, routes) in Dictionary(grouping: routes, by: { $0.path.description }) {
            var methods = Set(routes.map { $0.method })
            if methods.contains(.get) { methods.insert(.head) }
            methods.insert(.options)
            let text = methods.map(\.rawValue).sorted().joined(separator: ", ")
            router.get(RouterPath(path)) { _, _ in Response(status: .ok, headers: [.allow: text]) }
        }
        return router.buildResponder()
    }
}
