import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

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
            return http1.setup(channel, deadlines)
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
        _ connection: any Channel, _ deadlines: ConnectionDeadlineHandler
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        // As `HTTP1Channel.setup`, but for our own handlers.
        connection.eventLoop.makeCompletedFuture {
            let pipeline = connection.pipeline.syncOperations
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = channel.configuration.httpDecoder.maxHeaderFieldSize
            limits.maxHeaderListSize = channel.configuration.httpDecoder.maxHeaderListSize
            limits.maxHeaderFieldCount = channel.configuration.httpDecoder.maxHeaderFieldCount
            // Requests that come one after another are taken one after another by what reads them; errors are told by the handlers
            // below, and headers are valid by their type. `configureHTTPServerPipeline` adds the same two by way of an array, whose
            // elements it casts.
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)))
            let handler = HTTP1ConnectionHandler(deadlines)
            try pipeline.addHandler(handler)
            if let ready { try pipeline.addHandler(ReadyAnswerHandler(ready, handler)) }
            try pipeline.addHandler(HTTP1Codec())
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: connection,
                configuration: NIOAsyncChannel.Configuration(isOutboundHalfClosureEnabled: true))
        }
    }
}
