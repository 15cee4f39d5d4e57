import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import CountersignServer

@Suite("Services beside the server")
struct ServicesBesideTests {
    private struct Fault: Error {}

    /// What the services did, in order.
    private final class Record: Sendable {
        let ended = Mutex<[String]>([])
        let began: AsyncStream<String>
        let announce: AsyncStream<String>.Continuation

        init() { (began, announce) = AsyncStream<String>.makeStream() }
    }

    private struct Recorded: NamedService {
        let description: String
        let record: Record
        var fails = false

        func run() async throws {
            record.announce.yield(description)
            if fails { throw Fault() }
            try? await gracefulShutdown()
            record.ended.withLock { $0.append(description) }
        }
    }

    private static func group(_ services: [any NamedService]) -> ServiceGroup {
        let logger = Logger(label: "test")
        return ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: $0.description)
                }, logger: logger))
    }

    @Test
    func `They end after the server, the last of them first`() async throws {
        let record = Record()
        let services = ["first", "second", "third"].map { Recorded(description: $0, record: record) }
        let beside = ServicesBeside(services, logger: Logger(label: "test"))
        let group = Self.group([beside, Recorded(description: "server", record: record)])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                var began: Set<String> = []
                for await name in record.began {
                    began.insert(name)
                    if began.count == 4 { break }
                }
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
        #expect(record.ended.withLock { $0 } == ["server", "third", "second", "first"])
    }

    @Test
    func `They begin when the server listens, and not at all where it does not come to that`() async throws {
        for listens in [true, false] {
            let record = Record()
            let (beginning, begin) = AsyncStream<Void>.makeStream()
            let beside = ServicesBeside(
                [Recorded(description: "first", record: record)], after: beginning, logger: Logger(label: "test"))
            let group = Self.group([beside, Recorded(description: "server", record: record)])
            var began: [String] = []
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                for await name in record.began {
                    began.append(name)
                    if began == ["server"], listens { begin.finish() }
                    if began.count == (listens ? 2 : 1) { break }
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(began == (listens ? ["server", "first"] : ["server"]))
            #expect(record.ended.withLock { $0 } == began)
        }
    }

    @Test
    func `Where one fails, the whole does, by its error`() async throws {
        let record = Record()
        let beside = ServicesBeside(
            [
                Recorded(description: "first", record: record),
                Recorded(description: "second", record: record, fails: true),
            ], logger: Logger(label: "test"))
        let group = Self.group([beside, Recorded(description: "server", record: record)])
        await #expect(throws: Fault.self) { try await group.run() }
        #expect(record.ended.withLock { Set($0) } == ["first", "server"])
    }

    /// A name that the library makes of a service's text has all that is in the service.
    @Test
    func `All that a server runs is logged by its name`() async throws {
        let log = CapturedLog()
        try await LiveServer.run(log: log) { _, _ in }
        let names = log.lines.filter { $0.hasPrefix("debug Starting service sl-service=") }
            .map { $0.split(separator: "=", maxSplits: 1)[1] }
        #expect(Set(names).isSuperset(of: ["Countersign", "HTTP server", "Services"]))
        #expect(names.allSatisfy { !$0.contains("(") }, "\(names)")
    }
}
