import NIOCore
import NIOPosix

/// Many connections at once, all on one thread, so that the generator takes one core at most.
struct Load: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// What a load came to.
    struct Outcome: Sendable {
        let operations: Int
        let requests: Int
        let seconds: Double
        /// Milliseconds, in ascending order.
        let latencies: [Double]

        var perSecond: Double { Double(operations) / seconds }

        /// - Parameter share: 0 to 1.
        func latency(_ share: Double) -> Double {
            latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
        }
    }

    /// Runs one script for each connection until the time is over or the scripts have nothing left to do. Operations that
    /// have begun are finished, and count.
    func run(
        port: Int, connections: Int, seconds: Double, _ script: @escaping @Sendable (Int) throws -> any Script
    ) async throws -> Outcome {
        let loop = group.next()
        var channels: [any Channel] = []
        var results: [EventLoopFuture<Tally>] = []
        for number in 0..<connections {
            let result = loop.makePromise(of: Tally.self)
            results.append(result.futureResult)
            let script = try script(number)
            do {
                channels.append(
                    try await ClientBootstrap(group: loop)
                        .channelInitializer { channel in
                            channel.eventLoop.makeCompletedFuture {
                                try channel.pipeline.syncOperations.addHandler(LoadConnection(script, result: result))
                            }
                        }
                        .connect(host: "127.0.0.1", port: port).get())
            } catch {
                result.fail(error)
                throw error
            }
        }
        let start = NIODeadline.now()
        let begin = Begin(deadline: start + .nanoseconds(Int64(seconds * 1e9)))
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(begin) }
        let tallies = try await EventLoopFuture.whenAllSucceed(results, on: loop).get()
        let end = tallies.map(\.end).max() ?? start
        return Outcome(
            operations: tallies.reduce(0) { $0 + $1.durations.count },
            requests: tallies.reduce(0) { $0 + $1.requests },
            seconds: max(1e-9, Double((end - start).nanoseconds) / 1e9),
            latencies: tallies.flatMap(\.durations).sorted().map { Double($0) / 1e6 })
    }

    /// Keeps connections open that have each sent one request which is not answered meanwhile, and closes them afterwards.
    /// - Throws: ``AnsweredTooEarly`` where one was answered or closed.
    func holding<T>(
        port: Int, connections: Int, request: (Int) -> ByteBuffer, while body: () async throws -> T
    ) async throws -> T {
        let loop = group.next()
        var channels: [any Channel] = []
        func close() async { for channel in channels { try? await channel.close() } }
        do {
            for number in 0..<connections {
                let channel = try await ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: port).get()
                channels.append(channel)
                try await channel.writeAndFlush(request(number))
            }
            let result = try await body()
            guard channels.allSatisfy(\.isActive) else { throw AnsweredTooEarly() }
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    /// Milliseconds from sending the cause until the request that waits for it, on a connection of its own, is answered with 200.
    /// - Parameter pause: between the request that waits and the cause.
    func latency(port: Int, of waiting: ByteBuffer, after pause: Duration, from cause: ByteBuffer) async throws
        -> Double
    {
        let (waiter, answer) = try await asking(port: port)
        let (asker, reply) = try await asking(port: port)
        do {
            try await waiter.writeAndFlush(waiting)
            try await Task.sleep(for: pause)
            let start = NIODeadline.now()
            try await asker.writeAndFlush(cause)
            let end = try await answer.get()
            _ = try await reply.get()
            try await waiter.close()
            try await asker.close()
            return Double((end - start).nanoseconds) / 1e6
        } catch {
            try? await waiter.close()
            try? await asker.close()
            throw error
        }
    }

    /// A connection, and when its first answer of 200 arrived.
    private func asking(port: Int) async throws -> (any Channel, EventLoopFuture<NIODeadline>) {
        let loop = group.next()
        let answered = loop.makePromise(of: NIODeadline.self)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstAnswer(answered))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return (channel, answered.futureResult)
    }

    private final class FirstAnswer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answered: EventLoopPromise<NIODeadline>

        init(_ answered: EventLoopPromise<NIODeadline>) {
            self.answered = answered
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let now = NIODeadline.now()
            let text = String(buffer: unwrapInboundIn(data))
            if text.hasPrefix("HTTP/1.1 200") {
                answered.succeed(now)
            } else {
                answered.fail(UnexpectedAnswer(status: 0, body: text))
            }
        }

        func channelInactive(context: ChannelHandlerContext) { answered.fail(ConnectionLost()) }
    }

    struct AnsweredTooEarly: Error, CustomStringConvertible {
        let description = "The server closed a connection of a request that waits."
    }

    func shutDown() async throws { try await group.shutdownGracefully() }
}
