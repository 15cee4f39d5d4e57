import NIOCore
import NIOHTTP1

/// Gives ``ReadyAnswers`` on the event loop of a connection of HTTP/1, where it is the connection's turn to be answered.
///
/// It comes after ``HTTP1ConnectionHandler``, which sees requests and answers as it sees all others: deadlines, `Host`, the
/// end of the connection.
final class ReadyAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answers: ReadyAnswers
    private let connection: HTTP1ConnectionHandler
    /// The answer to the request whose end is still to be read.
    private var ready: (answer: ReadyAnswers.Answer, since: NIODeadline)?

    init(_ answers: ReadyAnswers, _ connection: HTTP1ConnectionHandler) {
        (self.answers, self.connection) = (answers, connection)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Answers go out in the order of requests, and a client that does not read gets no more of them.
            if connection.hasOneRequest, context.channel.isWritable, let answer = answers.answer(to: head) {
                ready = (answer, .now())
            } else {
                context.fireChannelRead(data)
            }
        case .body:
            if ready == nil { context.fireChannelRead(data) }
        case .end:
            guard let (answer, since) = ready else { return context.fireChannelRead(data) }
            ready = nil
            context.write(wrapOutboundOut(.head(answer.head(at: answers.second))), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            answer.metrics.record(nanoseconds: (NIODeadline.now() - since).nanoseconds)
        }
    }
}
