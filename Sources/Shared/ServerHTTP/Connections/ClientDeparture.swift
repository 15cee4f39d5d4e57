import NIOCore
import ServiceLifecycle

/// Notices that a client has gone before it was answered: it closed the connection, its half of it, or the stream of HTTP/2.
///
/// For requests that wait for something on the client's behalf. Others are answered in no time, and need no such watch.
public struct ClientDeparture: Sendable {
    private let channel: any Channel

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Waits on the client's behalf, for as long as the client is there and the server goes on.
    /// - Parameter body: the wait. It is cancelled when the client goes, and when the server stops.
    /// - Returns: nil where the wait was cut short: the client asks again, which other servers answer meanwhile.
    public func awaiting<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T? {
        do {
            return try await cancelWhenGracefulShutdown { try await cancelling(body) }
        } catch is CancellationError {
            return nil
        }
    }

    /// Runs the body, and cancels it when the client goes.
    private func cancelling<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        let (departures, departure) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = ClientDepartureHandler.add(to: channel, telling: departure)
        defer { watch.whenSuccess { $0.remove() } }
        return try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // Ends when the client has gone, or when it is cancelled because the body has its result.
                for await _ in departures { break }
                throw CancellationError()
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

/// The first handler of a connection while a request waits.
private final class ClientDepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let departure: AsyncStream<Void>.Continuation

    private init(_ departure: AsyncStream<Void>.Continuation) {
        self.departure = departure
    }

    /// What takes the handler away again.
    struct Watch: Sendable {
        let channel: any Channel
        let handler: NIOLoopBound<ClientDepartureHandler>

        func remove() {
            channel.pipeline.syncOperations.removeHandler(handler.value, promise: nil)
        }
    }

    static func add(
        to channel: any Channel, telling departure: AsyncStream<Void>.Continuation
    ) -> EventLoopFuture<Watch> {
        channel.eventLoop.submit {
            let handler = ClientDepartureHandler(departure)
            do {
                // Whether the channel is active says less: one that never was connected has not been left.
                try channel.pipeline.syncOperations.addHandler(handler, position: .first)
            } catch {
                // The channel was closed, and its handlers are gone.
                departure.yield()
                throw error
            }
            return Watch(channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        departure.yield()
        context.fireChannelInactive()
    }

    /// A channel that is closed loses its handlers, also one that was added after it said that it is inactive.
    func handlerRemoved(context: ChannelHandlerContext) { departure.yield() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { departure.yield() }
        context.fireUserInboundEventTriggered(event)
    }
}
