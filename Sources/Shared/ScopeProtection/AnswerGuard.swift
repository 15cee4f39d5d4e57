import NIOCore
import NIOHTTP1

/// Gives up a connection on which something came that was not asked for: HTTP/1.1 tells answers apart by their order alone, and the next
/// question would get it as its answer (RFC 9112, section 9.2).
///
/// What arrives after the next question was sent cannot be told from that question's answer, by any client.
enum AnswerGuard {
    /// A question that meets it was not sent.
    struct Unasked: Error {}

    /// For a pipeline that has the decoder of answers.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        let parts = Parts()
        try pipeline.addHandler(Bytes(parts), position: ChannelPipeline.SynchronousOperations.Position.before(decoder))
        try pipeline.addHandler(parts, position: ChannelPipeline.SynchronousOperations.Position.after(decoder))
    }

    /// What goes into the decoder.
    private final class Bytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let parts: Parts

        init(_ parts: Parts) { self.parts = parts }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !parts.isGivenUp else { return }
            guard parts.isAsked else { return giveUp(context) }
            var bytes = unwrapInboundIn(data)
            parts.isHolding = true
            // The last byte goes by itself: an answer that was whole without it is followed by something.
            if bytes.readableBytes > 1, let most = bytes.readSlice(length: bytes.readableBytes - 1) {
                context.fireChannelRead(wrapInboundOut(most))
            }
            guard parts.isAsked else {
                parts.isGivenUp = true
                parts.release()
                return giveUp(context)
            }
            context.fireChannelRead(wrapInboundOut(bytes))
            parts.release()
        }

        private func giveUp(_ context: ChannelHandlerContext) {
            parts.isGivenUp = true
            context.fireErrorCaught(Unasked())
        }
    }

    /// What comes out of it, and what is sent. The client may send its next question from within the end of an answer, so that the end
    /// waits until all bytes that came with it were looked at.
    private final class Parts: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// Whether an answer is still to end.
        private(set) var isAsked = false
        var isGivenUp = false
        /// Whether an end waits for ``release()``.
        var isHolding = false
        private var end: (context: ChannelHandlerContext, part: NIOAny)?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .end = unwrapInboundIn(data) {
                isAsked = false
                if isHolding {
                    end = (context, data)
                    return
                }
            }
            context.fireChannelRead(data)
        }

        func release() {
            isHolding = false
            guard let (context, part) = end else { return }
            end = nil
            context.fireChannelRead(part)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // The decoder's, about what follows an answer that is whole.
            if end == nil { context.fireErrorCaught(error) }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if isGivenUp {
                promise?.fail(Unasked())
                return
            }
            if case .head = unwrapOutboundIn(data) { isAsked = true }
            context.write(data, promise: promise)
        }
    }
}
