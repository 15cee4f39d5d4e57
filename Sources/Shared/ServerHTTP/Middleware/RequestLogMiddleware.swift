import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Traces

/// Names each request, and logs it with its answer: at `info` where access is logged, else at `debug`.
///
/// What may be secret stays out: headers, bodies, the path, and the values in queries (API keys, codes of mailed links). A line names
/// the route instead, as the router has it. Only at `debug` it has the path too, and of the query the names.
///
/// The id is the sender's (`X-Request-Id`), where it sent one, else our own; all lines about the request have it, and so has its answer
/// where the sender gave it, where access is logged, and where the server failed. Where nothing of that is wanted, nothing is made.
public struct RequestLogMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let logsAccess: Bool

    /// - Parameter logsAccess: whether each request is a line at `info`.
    public init(logsAccess: Bool = false) {
        self.logsAccess = logsAccess
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let announced = AnnouncedRequest(request.headers)
        var context = context
        if let id = announced.id { context.logger[metadataKey: Context.idKey] = .string(id) }
        if let trace = announced.trace { context.logger[metadataKey: "traceId"] = .string(trace.traceID) }
        let level: Logger.Level = logsAccess ? .info : .debug
        let isLogged = context.logger.logLevel <= level
        let start = isLogged ? NIODeadline.now() : NIODeadline.uptimeNanoseconds(0)
        do {
            var response = try await next(request, context)
            if isLogged {
                let bytes = request.method == .head ? 0 : response.body.contentLength
                log(level, request, context, response.status, bytes: bytes, since: start)
            }
            if logsAccess || announced.id != nil || response.status.code >= 500 {
                response.headers[.xRequestID] = context.reference
            }
            return response
        } catch {
            if isLogged {
                let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
                log(level, request, context, status, bytes: nil, since: start)
            }
            throw error
        }
    }

    /// - Parameter bytes: of the answer's body; nil where that is not known before it is sent.
    private func log(
        _ level: Logger.Level, _ request: Request, _ context: Context, _ status: HTTPResponse.Status, bytes: Int?,
        since start: NIODeadline
    ) {
        let microseconds = (NIODeadline.now() - start).nanoseconds / 1000
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue), "route": .string(context.endpointPath ?? "unknown"),
            "status": .stringConvertible(status.code), "durationMs": .stringConvertible(Double(microseconds) / 1000),
            "client": .string(context.source.text),
        ]
        if let bytes { metadata["bytes"] = .stringConvertible(bytes) }
        if context.logger.logLevel <= .debug {
            metadata["path"] = .string(request.uri.path)
            if let query = request.uri.query { metadata["query"] = .string(Self.names(in: query)) }
        }
        context.logger.log(level: level, "request", metadata: metadata)
    }

    /// A part without an equals sign may be a value, so it is not shown.
    static func names(in query: String) -> String {
        query.split(separator: "&")
            .map { part in part.firstIndex(of: "=").map { String(part[..<$0]) } ?? "…" }
            .joined(separator: "&")
    }
}
