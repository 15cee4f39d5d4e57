import HTTPTypes
import Hummingbird

/// Refuses paths with empty segments (`//admin/v1`, `/metrics/`): 404.
///
/// The router skips such segments, what stands in front of the server may not: a rule there for `/admin/` would be got
/// around. Put it after ``FailureMiddleware``, so that the refusal is in the dialect's words.
public struct WholePathMiddleware<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.uri.path.hasEmptySegment { throw HTTPError(.notFound) }
        return try await next(request, context)
    }
}

extension String {
    /// Whether a path has an empty segment. The root has none.
    var hasEmptySegment: Bool {
        var path = self
        let slash = UInt8(ascii: "/")
        return path.withUTF8 { bytes in
            guard bytes.count > 1 else { return false }
            return bytes.last == slash || (1..<bytes.count).contains { bytes[$0 - 1] == slash && bytes[$0] == slash }
        }
    }
}
