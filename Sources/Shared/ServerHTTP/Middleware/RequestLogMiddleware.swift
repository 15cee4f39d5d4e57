import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Traces
import Tracing

/// Names each request, and logs it with its answer: at `info` where access is logged, else at `debug`.
///
/// What may be secret stays out: headers, bodies, the path, and the values in queries (API keys, codes of mailed links). A line names
/// the route instead, as the router has it. Only at `debug` it has the path too, and of the query the names.
///
/// The id is the sender's (`X-Request-Id`), where it sent one, else our own; all lines about the request have it, and so has its answer
/// where the sender gave it, where access is logged, and where the server failed. Where nothing of that is wanted, nothing is made.
///
/// A `traceparent` is continued: by a span where there is a tracer, else as it came, so that services that are called for the request
/// get it.
public struct RequestLogMiddleware: RouterMiddleware {
    public typealias Context = CountersignRequestContext

    private let logsAccess: Bool
    private let tracer: SpanTracer?

    /// - Parameters:
    ///   - logsAccess: whether each request is a line at `info`.
    ///   - tracer: makes a span for each request; nil where there are no traces.
    public init(logsAccess: Bool = false, tracer: SpanTracer? = nil) {
        (self.logsAccess, self.tracer) = (logsAccess, tracer)
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let announced = AnnouncedRequest(request.headers)
        var context = context
        if let id = announced.id { context.logger[metadataKey: Context.idKey] = .string(id) }
        if tracer == nil, announced.trace == nil { return try await log(request, context, announced, next) }
        var surroundings = ServiceContext.topLevel
        surroundings.tracePosition = announced.trace.map { TracePosition($0) }
        if let tracer { return try await trace(request, context, announced, tracer, in: surroundings, next) }
        context.logger[metadataKey: "traceId"] = announced.trace.map { .string($0.traceID) }
        return try await ServiceContext.$current.withValue(surroundings) {
            try await log(request, context, announced, next)
        }
    }

    /// The span of the request, by the semantic conventions for HTTP. It has no path, address or header.
    private func trace(
        _ request: Request, _ context: Context, _ announced: AnnouncedRequest, _ tracer: SpanTracer,
        in surroundings: ServiceContext, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let method = RequestMetrics.name(of: request.method)
        let span = tracer.startSpan(
            context.endpointPath.map { "\(method) \($0)" } ?? method, context: surroundings, ofKind: .server)
        defer { span.end() }
        context.logger[metadataKey: "traceId"] = .string(span.position.trace.hex)
        func note(_ status: HTTPResponse.Status) {
            guard span.isRecording else { return }
            var attributes: SpanAttributes = [
                "http.request.method": .string(method), "http.response.status_code": .int64(Int64(status.code)),
                "countersign.request_id": .string(context.reference),
            ]
            attributes["http.route"] = context.endpointPath
            if status.code >= 500 {
                attributes["error.type"] = String(status.code)
                span.setStatus(SpanStatus(code: .error))
            }
            span.attributes = attributes
        }
        do {
            let response = try await ServiceContext.$current.withValue(span.context) { [context] in
                try await log(request, context, announced, next)
            }
            note(response.status)
            return response
        } catch {
            note((error as? any HTTPResponseError)?.status ?? .internalServerError)
            throw error
        }
    }

    private func log(
        _ request: Request, _ context: Context, _ announced: AnnouncedRequest,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let level: Logger.Level = logsAccess ? .info : .debug
        let isLogged = context.logLevel <= level
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
        if context.logLevel <= .debug {
            metadata["path"] = .string(request.uri.path)
            if let query = request.uri.query { metadata["query"] = .string(Self.names(in: query)) }
        }
        context.logger.log(level: level, "request", metadata: metadata)
    }

    /// A part without an equals sign may be a value, so it is not shown.
    static func names(in query: String) -> String {
        query.utf8.split(separator: UInt8(ascii: "&"))
            .map { part in part.firstIndex(of: UInt8(ascii: "=")).map { String(Substring(part[..<$0])) } ?? "…" }
            .joined(separator: "&")
    }
}
