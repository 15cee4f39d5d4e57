import HTTPTypes
import Hummingbird

/// Takes the routes of one part of a server (``RouteParts``): for Hummingbird's router, and those whose path has no parameters also for a
/// table by their whole paths (``KnownRoutes``), as most of the paths are that are asked for often.
///
/// The router finds a route by the parts of its path, each of which it compares with the parts that other routes have there. A path without
/// parameters comes first there too, so that the table has the same route.
public final class ServerRoutes: RouterMethods {
    public typealias Context = CountersignRequestContext

    private let router = Router(context: CountersignRequestContext.self, options: .autoGenerateHeadEndpoints)
    private let passage: RequestPassage
    /// All of them, as they were added.
    private(set) var added: [(path: RouterPath, method: HTTPRequest.Method)] = []
    /// Those without parameters.
    private(set) var known: [KnownRoute] = []
    /// Whether a middleware was added that later routes have to pass.
    private var hasOtherMiddleware = false

    /// - Parameter passage: what requests pass for every route, and where there is none.
    init(_ passage: RequestPassage) {
        self.passage = passage
        router.add(middleware: passage)
    }

    /// Every route that was added, in no particular order.
    var list: [Router<CountersignRequestContext>.RouteDescription] { router.routes }

    @discardableResult
    public func on<Responder: HTTPResponder>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self where Responder.Context == CountersignRequestContext {
        router.on(path, method: method, responder: responder)
        added.append((path, method))
        // What HEAD and OPTIONS are answered is for others to see to.
        guard path.hasNoParameters, !hasOtherMiddleware, method != .head, method != .options else { return self }
        let handle: RouteHandler.Handle
        if let handler = responder as? RouteHandler {
            handle = handler.handle
        } else {
            handle = { request, context in try await responder.respond(to: request, context: context) }
        }
        known.append(KnownRoute(method, passage.place(of: path.description, method), passage, handle))
        return self
    }

    /// Routes that are added after it pass this too; they are the router's alone.
    @discardableResult
    public func add(
        middleware: any MiddlewareProtocol<Request, Response, CountersignRequestContext>
    ) -> Self {
        router.add(middleware: middleware)
        hasOtherMiddleware = true
        return self
    }

    /// All routes by the router.
    var responder: RouterResponder<CountersignRequestContext> { router.buildResponder() }
}

extension RouterPath {
    /// Whether it stands for one path alone.
    var hasNoParameters: Bool { allSatisfy { $0 == .path(Substring($0.description)) } }
}
