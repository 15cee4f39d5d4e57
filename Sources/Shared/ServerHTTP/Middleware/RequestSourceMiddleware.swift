import HTTPTypes
import Hummingbird

/// Writes into the context who sent the request and whether limits per source apply. The first middleware.
public struct RequestSourceMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let source: RequestSource
    private let exemptsLoopback: Bool

    /// - Parameter exemptsLoopback: whether limits per source do not apply to clients on this machine, as under `--dev`. A
    ///   client that a proxy names is never one of them.
    public init(_ source: RequestSource, exemptsLoopback: Bool = false) {
        self.source = source
        self.exemptsLoopback = exemptsLoopback
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        identify(request, in: &context)
        return try await next(request, context)
    }

    func identify(_ request: Request, in context: inout Context) {
        context.source = source.address(headers: request.headers, direct: context.source)
        context.userAgent = request.headers.value(of: .userAgent)
        context.isExemptFromSourceLimits = exemptsLoopback && context.source.isLoopback
    }
}
