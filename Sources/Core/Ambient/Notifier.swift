import Synchronization

/// Wakes tasks of this process that wait for a topic. A notification without a listener is lost, and other processes
/// notify only their own tasks: so a listener looks for itself after it began to listen, and from time to time.
public final class Notifier: Sendable {
    private struct Listeners: Sendable {
        var nextID: UInt64 = 0
        var byName: [String: [UInt64: AsyncStream<Void>.Continuation]] = [:]
    }

    private let listeners = Mutex(Listeners())

    init() {}

    /// Wakes all listeners of one of the topics.
    func notify(_ names: some Sequence<String>) {
        let woken = listeners.withLock { listeners in
            names.flatMap { name in listeners.byName[name].map { Array($0.values) } ?? [] }
        }
        for continuation in woken { continuation.yield() }
    }

    /// A listener, to wait with. It ends by itself when it is no longer referenced.
    func listen(to name: String) -> Listening {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = listeners.withLock { listeners in
            listeners.nextID += 1
            listeners.byName[name, default: [:]][listeners.nextID] = continuation
            return listeners.nextID
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { listeners in
                listeners.byName[name]?[id] = nil
                if listeners.byName[name]?.isEmpty == true { listeners.byName[name] = nil }
            }
        }
        return Listening(stream: stream, continuation: continuation)
    }

    struct Listening: Sendable {
        fileprivate let stream: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Returns at the first notification since `listen(to:)`, or when the time is up. For one call only.
        func wait(upTo time: Duration) async {
            let continuation = continuation
            let timer = Task {
                try? await Task.sleep(for: time)
                continuation.finish()
            }
            for await _ in stream { break }
            timer.cancel()
            continuation.finish()
        }

        func stop() { continuation.finish() }
    }

    /// The number of listeners, for tests and metrics.
    var listenerCount: Int { listeners.withLock { $0.byName.values.reduce(0) { $0 + $1.count } } }
}
