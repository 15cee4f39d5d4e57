import HTTPTypes
import Hummingbird

/// Lets pages of every origin call an API that browsers use directly (Fetch standard, section 3.2).
///
/// The origin is reflected, and the headers that a page asks for are allowed. Credentials are not: such an API is
/// authorised by what is in the request, never by a cookie, so another origin's page can do no more than its server.
///
/// Add it to the router, not to a group: a preflight is an `OPTIONS` request for a path that has no such route. Put it
/// before ``FailureMiddleware``, so that pages can read failures too.
public struct PublicCORSMiddleware<Context: RequestContext>: RouterMiddleware {
    private let rules: [PublicCORSRule]

    /// - Parameter rules: of which the first that applies to a path counts. They stand in one middleware, since each that requests pass
    ///   costs all of them a step.
    public init(_ rules: [PublicCORSRule]) {
        self.rules = rules
    }

    public init(_ rule: PublicCORSRule) {
        self.init([rule])
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let rule = rules.first(where: { $0.appliesTo(path) }) else { return try await next(request, context) }
        let isPreflight = request.method == .options && request.headers[.accessControlRequestMethod] != nil
        if rule.isAlikeForAll(path) {
            if isPreflight { return rule.preflight(request, origin: "*") }
            var response = try await next(request, context)
            response.headers[.accessControlAllowOrigin] = "*"
            return response
        }
        guard let origin = request.headers[.origin] else {
            var response = try await next(request, context)
            response.headers.vary(by: "Origin")
            return response
        }
        if isPreflight { return rule.preflight(request, origin: origin) }
        var response = try await next(request, context)
        response.headers[.accessControlAllowOrigin] = origin
        if !rule.exposed.isEmpty { response.headers[.accessControlExposeHeaders] = rule.exposed }
        response.headers.vary(by: "Origin")
        return response
    }
}

/// What pages of other origins may do at the paths of one API.
public struct PublicCORSRule: Sendable {
    private let methods: String
    fileprivate let exposed: String
    private let maxAge: String
    fileprivate let isAlikeForAll: @Sendable (String) -> Bool
    fileprivate let appliesTo: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - methods: the methods that the API has.
    ///   - exposing: headers of answers that pages may read beside the usual ones.
    ///   - maxAge: seconds for which a browser may keep the answer to a preflight.
    ///   - appliesTo: whether the API has that path; all unless said otherwise.
    ///   - isAlikeForAll: whether a path's answers are for every origin and without one the same, so that shared caches keep one of
    ///     them: they allow `*`.
    public init(
        methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete],
        exposing: [HTTPField.Name] = [.retryAfter],
        maxAge: Int = 3600,
        appliesTo: @escaping @Sendable (_ path: String) -> Bool = { _ in true },
        isAlikeForAll: @escaping @Sendable (_ path: String) -> Bool = { _ in false }
    ) {
        self.methods = methods.map(\.rawValue).joined(separator: ", ")
        self.exposed = exposing.map(\.rawName).joined(separator: ", ")
        self.maxAge = String(maxAge)
        self.isAlikeForAll = isAlikeForAll
        self.appliesTo = appliesTo
    }

    fileprivate func preflight(_ request: Request, origin: String) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowOrigin: origin,
            .accessControlAllowMethods: methods,
            .accessControlMaxAge: maxAge,
            .vary: origin == "*" ? "Access-Control-Request-Headers" : "Origin, Access-Control-Request-Headers",
        ]
        if let requested = request.headers[.accessControlRequestHeaders] {
            headers[.accessControlAllowHeaders] = requested
        }
        return Response(status: .noContent, headers: headers)
    }
}

extension HTTPFields {
    fileprivate mutating func vary(by name: String) {
        self[.vary] = self[.vary].map { "\($0), \(name)" } ?? name
    }
}
