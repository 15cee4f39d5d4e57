import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import CountersignServer

struct SystemdNotifierTests {
    @Test func `The manager is told that the server is ready and that it ends`() throws {
        let manager = try ServiceManager()
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
        let manager = try ServiceManager()
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
