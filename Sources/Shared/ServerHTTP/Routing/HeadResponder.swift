import HTTPTypes
import Hummingbird

/// Sends no body in answer to HEAD (RFC 9110, section 9.3.2), whatever the answer is: a client would take it for the next answer.
///
/// Wrap it around everything. That HEAD is answered where GET is, is the router's option `autoGenerateHeadEndpoints`.
public struct HeadResponder<Inner: HTTPResponder>: HTTPResponder {
    public typealias Context = Inner.Context

    private let inner: Inner

    public init(_ inner: Inner) {
        self.inner = inner
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        let response = try await inner.respond(to: request, context: context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
