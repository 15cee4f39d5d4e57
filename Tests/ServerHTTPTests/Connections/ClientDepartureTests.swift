import Logging
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import Testing

@testable import ServerHTTP

@Suite("Waits on behalf of a client", .timeLimit(.minutes(20)))
struct ClientDepartureTests {
    private struct Fault: Error {}

    /// Begins a wait that is longer than any test.
    private static func wait(_ channel: any Channel, _ began: AsyncStream<Void>.Continuation) async throws -> Bool? {
        try await ClientDeparture(channel).awaiting {
            began.finish()
            try await Task.sleep(for: .seconds(7200))
            return true
        }
    }

    private struct Waiter: Service {
        let began: AsyncStream<Void>.Continuation
        let ended: AsyncStream<Bool?>.Continuation

        func run() async throws {
            ended.yield(try await ClientDepartureTests.wait(NIOAsyncTestingChannel(), began))
            ended.finish()
        }
    }

    @Test(arguments: [true, false])
    func `A wait ends when its client goes, or closes its half of the connection`(isHalf: Bool) async throws {
        let channel = NIOAsyncTestingChannel()
        let (beginning, began) = AsyncStream<Void>.makeStream()
        async let ended = Self.wait(channel, began)
        for await _ in beginning {}
        if isHalf {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            channel.close(mode: .all, promise: nil)
        }
        let result = try await ended
        #expect(result == nil)
    }

    @Test func `A wait ends when the server stops`() async throws {
        let (beginning, began) = AsyncStream<Void>.makeStream()
        let (endings, ended) = AsyncStream<Bool?>.makeStream()
        let group = ServiceGroup(services: [Waiter(began: began, ended: ended)], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in beginning {}
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        let results = await endings.reduce(into: [Bool?]()) { $0.append($1) }
        #expect(results == [nil])
    }

    @Test func `A wait that nothing ends has its result, or its error`() async throws {
        let departure = ClientDeparture(NIOAsyncTestingChannel())
        let result = try await departure.awaiting { 5 }
        #expect(result == 5)
        await #expect(throws: Fault.self) { try await departure.awaiting { () async throws -> Int in throw Fault() } }
    }
}
