import HTTPTypes
import Hummingbird
import Logging

/// Lets requests through whose token is enough for an API, and answers the others. The token is ``ValidToken/current`` in what
/// follows.
public struct ProtectedResourceMiddleware<Context: RequestContext>: RouterMiddleware {
    private let resource: ProtectedResource
    private let requirement: ScopeRequirement
    private let longestForm: Int

    /// Guards the routes behind it: their requests need a token for `resource` that meets `requirement`.
    /// - Parameter longestForm: bytes of a form (`application/x-www-form-urlencoded`) that is let in. All of it is looked through for a
    ///   second token, and so is kept in memory; a longer one is answered 413. Bodies of other types are not read.
    public init(_ resource: ProtectedResource, _ requirement: ScopeRequirement, longestForm: Int = 1 << 16) {
        self.resource = resource
        self.requirement = requirement
        self.longestForm = longestForm
    }

    /// Calls `next` for a request that is let in. Any other gets the status and `WWW-Authenticate` of its
    /// ``ResourceRefusal``, and `next` is not called.
    /// A form beside a token is read here, to find a second token in it, and stays readable for the handler.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        let presented = ResourceRequest(
            method: request.method.rawValue, target: request.uri.string,
            authorization: request.headers[values: .authorization], proofs: request.headers[values: .dpop],
            form: try await form(of: &request))
        switch await resource.judge(presented, requirement) {
        case .admitted(let token, let nonce):
            var response = try await ValidToken.$current.withValue(token) { try await next(request, context) }
            if let nonce { response.headers[.dpopNonce] = nonce }
            return response
        case .refused(let refusal):
            if refusal.status == 503 { context.givenLogger.error("a token could not be validated: the issuer is away") }
            return Response(refusal)
        }
    }

    /// The body of a form, where there is a token that one in it would stand beside.
    ///
    /// However it is sent: in pieces without a length, a form has the same fields.
    /// - Throws: `NIOTooManyBytesError`, which is answered 413.
    private func form(of request: inout Request) async throws -> String? {
        guard request.headers[.authorization] != nil,
            request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { return nil }
        return String(buffer: try await request.collectBody(upTo: longestForm))
    }
}

extension RequestContextSource {
    /// The logger of the context's own type, which `RequestContext.logger` does not ask for.
    var givenLogger: Logger { logger }
}

extension Response {
    /// The answer to a request that is not let in.
    init(_ refusal: ResourceRefusal) {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.wwwAuthenticate] = refusal.challenge
        headers[.dpopNonce] = refusal.nonce
        headers[.retryAfter] = refusal.retryAfter.map { "\($0)" }
        self.init(status: HTTPResponse.Status(code: refusal.status), headers: headers)
    }
}

extension HTTPField.Name {
    /// RFC 9449, sections 4.1 and 8.1.
    static let dpop = known("DPoP")
    static let dpopNonce = known("DPoP-Nonce")

    private static func known(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is the name of a header field") }
        return name
    }
}

extension RouterMethods {
    /// The routes that are added to what this gives ask for a token of that scope, for that API:
    ///
    ///     router.requires("notes", of: api).get("notes") { _, _ in … }
    public func requires(_ scope: String, of resource: ProtectedResource) -> RouterGroup<Context> {
        requires(ScopeRequirement(scope), of: resource)
    }

    /// The same, with more to ask for than a scope.
    public func requires(_ requirement: ScopeRequirement, of resource: ProtectedResource) -> RouterGroup<Context> {
        group().add(middleware: ProtectedResourceMiddleware(resource, requirement))
    }

    /// Answers at ``ProtectedResource/metadataPath`` what clients need to get a token for the API (RFC 9728).
    public func publishMetadata(of resource: ProtectedResource) {
        let body = resource.metadata
        get(RouterPath(resource.metadataPath)) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/json", .cacheControl: "public, max-age=300",
                    .accessControlAllowOrigin: "*",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        }
    }
}
