import HTTPTypes
import Hummingbird

/// Lets pages of every origin call an API that browsers use directly (Fetch standard, section 3.2).
///
/// The origin is reflected, and the headers that a page asks for are allowed. Credentials are not: such an API is
/// authorised by what is in the request, never by a cookie, so another origin's page can do no more than its server.
///
/// Add it to the router, not to a group: a preflight is an `OPTIONS` request for a path that has no such route. Put it
/// before ``FailureMiddleware``, so that pages can read failures too.
public struct PublicCORSMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

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
        guard let applied = rule(of: request.uri.path) else { return try await next(request, context) }
        if let answer = applied.answerToPreflight(request) { return answer }
        var response = try await next(request, context)
        applied.admit(request, to: &response.headers)
        return response
    }

    /// The rule for a path; nil where none applies.
    func rule(of path: String) -> Applied? {
        rules.first { $0.appliesTo(path) }.map { Applied(rule: $0, isAlikeForAll: $0.isAlikeForAll(path)) }
    }

    /// A rule and what it says of one path.
    struct Applied: Sendable {
        fileprivate let rule: PublicCORSRule
        fileprivate let isAlikeForAll: Bool

        /// The answer to a request by which a browser asks for leave; nil for every other.
        func answerToPreflight(_ request: Request) -> Response? {
            guard request.method == .options, request.headers.contains(.accessControlRequestMethod) else { return nil }
            if isAlikeForAll { return rule.preflight(request, origin: "*") }
            return request.headers.value(of: .origin).map { rule.preflight(request, origin: $0) }
        }

        /// Says in an answer's headers which pages may read it.
        func admit(_ request: Request, to headers: inout HTTPFields) {
            if isAlikeForAll {
                headers[.accessControlAllowOrigin] = "*"
                return
            }
            if let origin = request.headers.value(of: .origin) {
                headers[.accessControlAllowOrigin] = origin
                if !rule.exposed.isEmpty { headers[.accessControlExposeHeaders] = rule.exposed }
            }
            headers.varyByOrigin()
        }
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
    fileprivate mutating func varyByOrigin() {
        self[.vary] = value(of: .vary).map { "\($0), Origin" } ?? "Origin"
    }
}
