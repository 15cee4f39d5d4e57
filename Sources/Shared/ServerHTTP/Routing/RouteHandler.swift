import HTTPTypes
import Hummingbird

/// A route's function, as routes of this server are added: without the framework's generic code around it.
public struct RouteHandler: HTTPResponder {
    public typealias Handle = @Sendable (Request, CountersignRequestContext) async throws -> Response

    let handle: Handle

    public init(_ handle: @escaping Handle) { self.handle = handle }

    public func respond(to request: Request, context: CountersignRequestContext) async throws -> Response {
        try await handle(request, context)
    }
}

/// The framework's methods by these names take what can be made into an answer; these take answers, as nearly all functions give.
extension RouterMethods where Context == CountersignRequestContext {
    @discardableResult
    public func on(
        _ path: RouterPath, method: HTTPRequest.Method, use handle: @escaping RouteHandler.Handle
    ) -> Self {
        on(path, method: method, responder: RouteHandler(handle))
    }

    @discardableResult
    public func get(_ path: RouterPath = "", use handle: @escaping RouteHandler.Handle) -> Self {
        on(path, method: .get, use: handle)
    }

    @discardableResult
    public func post(_ path: RouterPath = "", use handle: @escaping RouteHandler.Handle) -> Self {
        on(path, method: .post, use: handle)
    }

    @discardableResult
    public func put(_ path: RouterPath = "", use handle: @escaping RouteHandler.Handle) -> Self {
        on(path, method: .put, use: handle)
    }

    @discardableResult
    public func patch(_ path: RouterPath = "", use handle: @escaping RouteHandler.Handle) -> Self {
        on(path, method: .patch, use: handle)
    }

    @discardableResult
    public func delete(_ path: RouterPath = "", use handle: @escaping RouteHandler.Handle) -> Self {
        on(path, method: .delete, use: handle)
    }
}
