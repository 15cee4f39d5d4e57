import HTTPTypes
import Hummingbird

/// Refuses what no route can answer, before any route is asked.
///
/// - A body in a transfer coding that is not known here: 501 (RFC 9112, section 6.1). One in a content coding: 415 (RFC 9110, section 8.4),
///   but where it is thrown away.
/// - A target that is neither a path nor the address of a server (`v1/projects`, `http:///`): 400 (RFC 9112, section 3).
/// - A path with empty segments (`//admin/v1`, `/metrics/`): 404. The router skips such segments, what stands in front of the server may
///   not: a rule there for `/admin/` would be got around. Of pages whose address people type, the one with a slash at its end leads to the
///   page, and shows nothing itself.
/// - A path that has routes, but none for the method: 405 with `Allow` (RFC 9110, section 15.5.6). `OPTIONS` is answered 204 with `Allow`
///   (section 9.3.7), for `*` too.
///
/// Put it after ``FailureMiddleware``, so that refusals are in the dialect's words, and after ``PublicCORSMiddleware``, which answers
/// browsers' preflights.
public struct RequestTargetMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let methods: PathMethods
    private let typedPages: Set<String>
    private let discardingPaths: Set<String>

    /// - Parameters:
    ///   - methods: those of the same router.
    ///   - typedPages: paths of pages whose address people type.
    ///   - discardingPaths: paths of routes that throw a body away.
    public init(_ methods: PathMethods, typedPages: Set<String> = [], discardingPaths: Set<String> = []) {
        self.methods = methods
        self.typedPages = typedPages
        self.discardingPaths = discardingPaths
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let answer = try await answer(to: request, context) { return answer }
        return try await next(request, context)
    }

    /// - Throws: as ``Request/requireKnownCoding(unless:)``.
    func requireKnownCoding(of request: Request) throws(RequestBodyFault) {
        try request.requireKnownCoding(unless: discardingPaths.contains(request.uri.path))
    }

    /// What is answered without a route; nil where a route is asked.
    func answer(to request: Request, _ context: Context) async throws -> Response? {
        try requireKnownCoding(of: request)
        let target = request.head.path ?? ""
        guard target.utf8.first == UInt8(ascii: "/") else {
            if target == "*", request.method == .options { return Response(status: .noContent) }
            throw HTTPError(.badRequest)
        }
        let path = request.uri.path
        if path.hasEmptySegment {
            let page = String(path.dropLast())
            guard path.hasSuffix("/"), typedPages.contains(page), [.get, .head].contains(request.method) else {
                throw HTTPError(.notFound)
            }
            let query = request.uri.query.map { "?\($0)" } ?? ""
            return Response(status: .movedPermanently, headers: [.location: page + query])
        }
        // The router names the route that it found before it calls any middleware.
        guard context.endpointPath == nil, let allowed = try await methods.allowed(at: path, context) else {
            return nil
        }
        if request.method == .options { return Response(status: .noContent, headers: [.allow: allowed]) }
        throw HTTPError(.methodNotAllowed, headers: [.allow: allowed])
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
