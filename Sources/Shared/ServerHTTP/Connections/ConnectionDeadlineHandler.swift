import NIOCore

/// Holds a connection to its ``ConnectionDeadlines``. It is the first handler of a connection, before TLS, and the later ones tell
/// it what they have read and written.
public final class ConnectionDeadlineHandler: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    public typealias InboundOut = ByteBuffer
    public typealias OutboundIn = ByteBuffer
    public typealias OutboundOut = ByteBuffer

    private let limits: ConnectionDeadlines
    private let isEncrypted: Bool
    private let onExpiry: (ConnectionProgress.Stage) -> Void
    private var timer: DeadlineTimer?

    init(
        _ limits: ConnectionDeadlines, isEncrypted: Bool = false,
        onExpiry: @escaping (ConnectionProgress.Stage) -> Void = { _ in }
    ) {
        (self.limits, self.isEncrypted, self.onExpiry) = (limits, isEncrypted, onExpiry)
    }

    // MARK: What later handlers tell

    /// The TLS handshake is done, and the protocol is known.
    public func secured(isHTTP2: Bool) { timer?.update { $0.secured(hasStreams: isHTTP2, at: $1) } }

    func requestBegan() { timer?.update { $0.requestBegan(at: $1) } }
    func requestRead() { timer?.update { $0.requestRead(at: $1) } }
    func answered() { timer?.update { $0.answered(at: $1) } }
    func ends() { timer?.update { $0.ends(at: $1) } }

    // MARK: The channel

    public func handlerAdded(context: ChannelHandlerContext) {
        let progress = ConnectionProgress(limits, isEncrypted: isEncrypted, at: context.eventLoop.now)
        timer = DeadlineTimer(progress, on: context.eventLoop) { [onExpiry] deadline in
            onExpiry(deadline.stage)
            switch deadline.expiry {
            case .failRequest: context.fireErrorCaught(RequestDeadlineError())
            // From the end of the pipeline, through TLS.
            case .close: context.channel.close(promise: nil)
            case .abort: context.close(promise: nil)
            }
        }
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    public func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer?.update { $0.received(at: $1) }
        context.fireChannelRead(data)
    }

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        timer?.update { $0.flows(isWritable, at: $1) }
        context.fireChannelWritabilityChanged()
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { timer?.update { $0.drains(at: $1) } }
        context.fireUserInboundEventTriggered(event)
    }

    public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { ends() }
        context.close(mode: mode, promise: promise)
    }
}
