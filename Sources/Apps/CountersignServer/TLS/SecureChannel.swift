import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS
import ServerHTTP

/// TLS, and in it HTTP/2 or HTTP/1.1 as the client prefers (RFC 7301), within the bounds of ``ServerConnections``.
struct SecureChannel: HTTPChannelHandler {
    /// What a client may choose from (RFC 9325, section 3.3).
    static let protocols = ["h2", "http/1.1"]

    /// A connection whose protocol turns out after the handshake.
    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    enum Negotiated: Sendable {
        case http1(HTTP1Channel.Value)
        case http2(HTTP2Channel.Value)
    }

    private let context: NIOSSLContext
    private let connections: ServerConnections
    private let http1: GuardedHTTP1
    private let http2: HTTP2Channel

    var responder: Responder { http1.channel.responder }

    init(
        _ context: NIOSSLContext, _ connections: ServerConnections, ready: ReadyAnswers?, responder: @escaping Responder
    ) {
        self.context = context
        self.connections = connections
        http1 = GuardedHTTP1(ready: ready, responder: responder)
        let limits = connections.deadlines
        http2 = HTTP2Channel(
            responder: responder,
            configuration: HTTP2ChannelConfiguration(
                idleTimeout: Duration(limits.idle), gracefulCloseTimeout: Duration(limits.drain),
                streamConfiguration: HTTP1Channel.Configuration(additionalChannelHandlers: [HTTP2StreamHandler(limits)])
            ))
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let deadlines = try connections.admit(channel, isEncrypted: true)
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> { result in
                switch result {
                case .negotiated("h2"):
                    deadlines.secured(isHTTP2: true)
                    return http2.setup(channel: channel, logger: logger).map { .http2($0) }
                case .negotiated("http/1.1"), .fallback:
                    deadlines.secured(isHTTP2: false)
                    return http1.setup(channel, deadlines).map { .http1($0) }
                case .negotiated:
                    return channel.close().flatMapThrowing { throw ChannelError.inappropriateOperationForState }
                }
            }
            try channel.pipeline.syncOperations.addHandler(negotiation)
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1(let http1): await self.http1.channel.handle(value: http1, logger: logger)
            case .http2(let http2): await self.http2.handle(value: http2, logger: logger)
            }
        } catch {
            logger.debug("no TLS: \(error)")
        }
    }
}
