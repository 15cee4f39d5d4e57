import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Holds one stream of HTTP/2 to the ``ConnectionDeadlines``, and tells its connection that it is there.
///
/// A malformed request is refused with 400, and nothing of it is passed on (RFC 9113, section 8.1.1): one whose `:path` is no path or has
/// a fragment, and one with several fields `Host`, or with one that is another host than `:authority` (section 8.3.1). HTTP/1 has targets in the absolute form for proxies; here one would only
/// get around a rule for paths in front of the server.
public final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPRequestPart
    public typealias InboundOut = HTTPRequestPart
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionDeadlines
    private var timer: DeadlineTimer?
    private var connection: ConnectionDeadlineHandler?
    private var isRefused = false

    public init(_ limits: ConnectionDeadlines) {
        self.limits = limits
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        let progress = ConnectionProgress(limits, at: context.eventLoop.now)
        timer = DeadlineTimer(progress, on: context.eventLoop) { deadline in
            switch deadline.expiry {
            case .failRequest: context.fireErrorCaught(RequestDeadlineError())
            case .close, .abort: context.close(promise: nil)
            }
        }
        connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionDeadlineHandler.self)
        connection?.requestBegan()
    }

    public func handlerRemoved(context: ChannelHandlerContext) { end() }

    public func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        timer?.cancel()
        timer = nil
        connection?.answered()
        connection = nil
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request):
            timer?.update { $0.requestBegan(at: $1) }
            guard Self.isWellFormed(request) else { return refuse(context) }
        case .body: break
        case .end: timer?.update { $0.requestRead(at: $1) }
        }
        if !isRefused { context.fireChannelRead(data) }
    }

    /// Answers in place of what comes after this handler. What is left of the request has the time that a body has.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let head = HTTPResponse(status: .badRequest, headerFields: [.contentLength: "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        timer?.update { $0.answered(at: $1) }
    }

    private static func isWellFormed(_ request: HTTPRequest) -> Bool {
        hasPath(request) && hasOneHost(request)
    }

    private static func hasOneHost(_ request: HTTPRequest) -> Bool {
        let hosts = request.headerFields[values: host]
        guard hosts.count <= 1 else { return false }
        guard let named = hosts.first, let authority = request.authority, named != authority else { return true }
        return normalized(named, in: request.scheme) == normalized(authority, in: request.scheme)
    }

    /// Without the scheme's own port, and in lower case (RFC 3986, section 6.2.3; RFC 9110, section 4.2.3).
    private static func normalized(_ host: String, in scheme: String?) -> String {
        let port = scheme == "http" ? ":80" : ":443"
        return (host.hasSuffix(port) ? String(host.dropLast(port.count)) : host).lowercased()
    }

    /// The library offers no name for it, as requests of its own have an authority.
    private static let host = HTTPField.Name.known("Host")

    /// Of what is visible in ASCII, as the reader of HTTP/1 has it. `CONNECT` has none, and `OPTIONS` may ask about the whole server.
    private static func hasPath(_ request: HTTPRequest) -> Bool {
        guard let path = request.path else { return request.method == .connect }
        guard path.utf8.first == UInt8(ascii: "/") else { return path == "*" && request.method == .options }
        return path.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !path.hasFragment
    }

    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { timer?.update { $0.answered(at: $1) } }
        context.write(data, promise: promise)
    }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        timer?.update { $0.flows(isWritable, at: $1) }
        context.fireChannelWritabilityChanged()
    }
}
