import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import KeychainServices

@Suite struct SerialThreadTests {
    /// Holds a thread until it is let go.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func hold() { semaphore.wait() }
        func open() { semaphore.signal() }
    }

    private final class Counter: Sendable {
        private let state = Mutex((now: 0, most: 0, total: 0))
        var most: Int { state.withLock { $0.most } }
        var total: Int { state.withLock { $0.total } }
        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.total + 1) } }
        func leave() { state.withLock { $0.now -= 1 } }
    }

    @Test func `Jobs run one after another`() async throws {
        let thread = SerialThread(name: "test")
        let running = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await thread.run { () throws(KeychainError) in
                        running.enter()
                        running.leave()
                    }
                }
            }
        }
        #expect(running.most == 1)
        #expect(running.total == 50)
    }

    @Test func `Errors come back typed`() async {
        let thread = SerialThread(name: "test")
        await #expect(throws: KeychainError.duplicateItem) {
            try await thread.run { () throws(KeychainError) in throw .duplicateItem }
        }
    }

    @Test func `A task that is cancelled while it waits leaves the queue`() async throws {
        let thread = SerialThread(name: "test")
        let gate = Gate()
        let ran = Counter()
        let (entered, enter) = AsyncStream<Never>.makeStream()
        let first = Task {
            try await thread.run { () throws(KeychainError) in
                enter.finish()
                gate.hold()
            }
        }
        for await _ in entered {}
        let second = Task {
            try await thread.run { () throws(KeychainError) in ran.enter() }
        }
        second.cancel()
        await #expect(throws: KeychainError.cancelled) { try await second.value }
        gate.open()
        try await first.value
        #expect(ran.total == 0)
    }

    @Test func `A job that runs is interrupted`() async throws {
        let thread = SerialThread(name: "test")
        let gate = Gate()
        let began = Gate()
        let task = Task {
            try await thread.run(interrupt: { gate.open() }) { () throws(KeychainError) in
                began.open()
                gate.hold()
            }
        }
        await withCheckedContinuation { continuation in
            Thread {
                began.hold()
                continuation.resume()
            }.start()
        }
        task.cancel()
        try await task.value
    }

    @Test func `More than the limit are refused`() async throws {
        let thread = SerialThread(name: "test", limit: 2)
        let gate = Gate()
        let began = Gate()
        let first = Task {
            try await thread.run { () throws(KeychainError) in
                began.open()
                gate.hold()
            }
        }
        await withCheckedContinuation { continuation in
            Thread {
                began.hold()
                continuation.resume()
            }.start()
        }
        // Two of these three wait, and one is refused at once; which one is open.
        let others = (0..<3).map { _ in Task { try await thread.run { () throws(KeychainError) in } } }
        var refused = 0
        await withTaskGroup(of: Bool.self) { group in
            for other in others { group.addTask { (try? await other.value) == nil } }
            for await wasRefused in group {
                if wasRefused { refused += 1 }
                gate.open()
            }
        }
        try await first.value
        #expect(refused == 1)
    }
}
