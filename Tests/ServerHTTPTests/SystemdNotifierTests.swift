import Foundation
import Logging
import ServiceLifecycle
import Testing

@testable import CountersignServer

/// A service manager that the tests can ask: the socket that systemd opens, bound in a directory of its own.
private final class Manager: Sendable {
    let path: String
    private let descriptor: Int32

    init() throws {
        path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        // A bound that tells an end from none.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func next() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        try #require(count > 0)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The same on a thread of its own, so that others have their turn meanwhile.
    func nextOnThread() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(with: Result { try next() }) }
        }
    }
}

struct SystemdNotifierTests {
    @Test func `The manager is told that the server is ready and that it ends`() throws {
        let manager = try Manager()
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": manager.path]))
        #expect(notifier.watchdog == nil)
        notifier.ready(at: "http://127.0.0.1:8080")
        #expect(try manager.next() == "READY=1\nSTATUS=Listening on http://127.0.0.1:8080\n")
        notifier.stopping()
        #expect(try manager.next().hasPrefix("STOPPING=1\n"))
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"],
        ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)],
    ])
    func `Without a manager nobody is told`(environment: [String: String]) {
        #expect(SystemdNotifier(environment: environment) == nil)
    }

    @Test func `A manager that has gone away harms nothing`() throws {
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"]))
        notifier.ready(at: "http://127.0.0.1:8080")
    }

    @Test(arguments: [
        ("30000000", nil, Duration.seconds(30)), ("30000000", "77", .seconds(30)), ("30000000", "78", nil),
        ("0", nil, nil),
        ("soon", nil, nil), ("-1", nil, nil), (nil, nil, nil),
    ])
    func `A watchdog is for the process that it names`(interval: String?, process: String?, expected: Duration?) throws
    {
        var environment = ["NOTIFY_SOCKET": "/run/notify"]
        environment["WATCHDOG_USEC"] = interval
        environment["WATCHDOG_PID"] = process
        #expect(try #require(SystemdNotifier(environment: environment, process: 77)).watchdog == expected)
    }

    @Test func `The watchdog is fed until the server ends`() async throws {
        let manager = try Manager()
        // A socket keeps ten datagrams that are not read, and loses the rest: so few come while the server ends.
        let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "1000000"]
        let notifier = try #require(SystemdNotifier(environment: environment))
        let group = ServiceGroup(
            services: [WatchdogService(notifier: notifier)], logger: .init(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                for _ in 0..<3 { #expect(try await manager.nextOnThread() == "WATCHDOG=1\n") }
                await group.triggerGracefulShutdown()
                var last = ""
                repeat { last = try await manager.nextOnThread() } while last == "WATCHDOG=1\n"
                #expect(last.hasPrefix("STOPPING=1\n"))
            }
            try await tasks.waitForAll()
        }
    }
}
