import Hummingbird

/// Writes into the context who sent the request. The first middleware, where a proxy is trusted.
public struct RequestSourceMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let source: RequestSource

    public init(_ source: RequestSource) {
        self.source = source
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.source = source.address(headers: request.headers, connection: context.remoteAddress)
        return try await next(request, context)
    }
}
