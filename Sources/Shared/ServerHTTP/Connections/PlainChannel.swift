import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1 without TLS, within the bounds of ``ServerConnections``.
public struct PlainChannel: HTTPChannelHandler {
    private let http1: GuardedHTTP1
    private let connections: ServerConnections

    public var responder: Responder { http1.channel.responder }

    /// - Parameter ready: what is answered without the responder.
    public init(_ connections: ServerConnections, ready: ReadyAnswers? = nil, responder: @escaping Responder) {
        self.connections = connections
        http1 = GuardedHTTP1(ready: ready, responder: responder)
    }

    public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        do {
            let deadlines = try connections.admit(channel, isEncrypted: false)
            return http1.setup(channel, deadlines, logger: logger)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    public func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.channel.handle(value: value, logger: logger)
    }
}

/// A connection of HTTP/1, after its TLS handshake where there is one.
public struct GuardedHTTP1: Sendable {
    public let channel: HTTP1Channel
    private let ready: ReadyAnswers?

    public init(ready: ReadyAnswers? = nil, responder: @escaping HTTPChannelHandler.Responder) {
        self.ready = ready
        // Times are ConnectionDeadlineHandler's.
        channel = HTTP1Channel(responder: responder, configuration: HTTP1Channel.Configuration(idleTimeout: nil))
    }

    public func setup(
        _ connection: any Channel, _ deadlines: ConnectionDeadlineHandler, logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        let handler = NIOLoopBound(HTTP1ConnectionHandler(deadlines), eventLoop: connection.eventLoop)
        return channel.setup(channel: connection, logger: logger).flatMapThrowing { [ready] value in
            let pipeline = connection.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(handler.value, position: .after(decoder))
            if let ready {
                try pipeline.addHandler(ReadyAnswerHandler(ready, handler.value), position: .after(handler.value))
            }
            return value
        }
    }
}
