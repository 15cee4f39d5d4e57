import CountersignCore
import Dispatch
import Synchronization

/// Holds a store's writer in the middle of a write, until the test has done what it wants to do meanwhile.
///
/// Bodies run on the database's own thread, so that blocking one keeps no task from running. It gives up after ten
/// minutes, so that a broken store fails a test and does not hang it, however slow the machine is.
final class Gate: Sendable {
    struct Stuck: Error {}

    private let semaphore = DispatchSemaphore(value: 0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let wasReached = Mutex(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// A gate that holds the store's writer, and the write that it holds.
    ///
    /// A write that a slow machine did not begin before the store's limits were over is tried again.
    static func holding(_ store: any Store) async -> (gate: Gate, held: Task<Void, any Error>) {
        let gate = Gate()
        let held: Task<Void, any Error> = Task {
            let end = ContinuousClock.now + .seconds(600)
            while true {
                do {
                    return try await store.write { _ in try gate.pass() }
                } catch {
                    guard !gate.wasReached.withLock({ $0 }), ContinuousClock.now < end else {
                        gate.continuation.finish()
                        throw error
                    }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        await gate.isReached()
        return (gate, held)
    }

    /// Called in the body: waits.
    func pass() throws {
        wasReached.withLock { $0 = true }
        continuation.yield()
        guard semaphore.wait(timeout: .now() + 600) == .success else { throw Stuck() }
    }

    func isReached() async {
        for await _ in stream { return }
    }

    func open() {
        semaphore.signal()
    }
}

/// Waits until something is so, for ten minutes at most.
func eventually(_ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while !condition() {
        guard ContinuousClock.now < end else { throw Gate.Stuck() }
        try await Task.sleep(for: .milliseconds(1))
    }
}
