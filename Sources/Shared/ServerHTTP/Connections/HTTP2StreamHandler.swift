import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Holds one stream of HTTP/2 to the ``ConnectionDeadlines``, and tells its connection that it is there.
///
/// A request whose `:path` is no path is malformed, and its stream ends without an answer (RFC 9113, sections 8.1.1 and 8.3.1). HTTP/1 has
/// targets in the absolute form for proxies; here one would only get around a rule for paths in front of the server.
public final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPRequestPart
    public typealias InboundOut = HTTPRequestPart
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    private let limits: ConnectionDeadlines
    private var timer: DeadlineTimer?
    private var connection: ConnectionDeadlineHandler?
    private var isMalformed = false

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
        guard !isMalformed else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            guard Self.hasPath(request) else {
                isMalformed = true
                return context.close(promise: nil)
            }
            timer?.update { $0.requestBegan(at: $1) }
        case .body: break
        case .end: timer?.update { $0.requestRead(at: $1) }
        }
        context.fireChannelRead(data)
    }

    /// `CONNECT` has none, and `OPTIONS` may ask about the whole server.
    private static func hasPath(_ request: HTTPRequest) -> Bool {
        guard let path = request.path else { return request.method == .connect }
        return path.utf8.first == UInt8(ascii: "/") || (path == "*" && request.method == .options)
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
