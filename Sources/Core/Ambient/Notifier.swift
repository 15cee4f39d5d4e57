import Synchronization

/// Wakes tasks of this process that wait for a topic. A notification without a listener is lost: so a listener looks for
/// itself after it began to listen, and what came before that is found by its look.
///
/// Other processes notify only their own tasks. ``DeviceWatch`` finds what they sent to devices, and what was decided there; other listeners look
/// from time to time.
public final class Notifier: Sendable {
    private struct Listeners: Sendable {
        var nextID: UInt64 = 0
        var byName: [String: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
    }

    private let listeners = Mutex(Listeners())

    init() {}

    /// The most listeners for requests that wait (``admit(to:)``). Each is a connection or a stream of HTTP/2.
    static let limit = 50_000
    /// The most of them for one topic.
    static let limitEach = 16

    /// Wakes all listeners of one of the topics.
    func notify(_ names: some Sequence<String>) {
        let woken = listeners.withLock { listeners in
            names.flatMap { name in listeners.byName[name].map { Array($0.values) } ?? [] }
        }
        for continuation in woken { continuation.yield() }
    }

    /// A listener of the server's own, to wait with. It ends by itself when it is no longer referenced.
    func listen(to name: String) -> Listening {
        listeners.withLock { Self.add(name, to: &$0) }.listening(self)
    }

    /// A listener for a request that waits.
    /// - Throws: ``StoreError`` of code `overloaded` where there are as many as there may be.
    func admit(to name: String) throws -> Listening {
        let added = listeners.withLock { listeners -> Added? in
            guard listeners.count < Self.limit, listeners.byName[name]?.count ?? 0 < Self.limitEach else { return nil }
            return Self.add(name, to: &listeners)
        }
        guard let added else {
            throw StoreError(.overloaded, "As many requests wait as this server lets wait.")
        }
        return added.listening(self)
    }

    private struct Added {
        let name: String
        let id: UInt64
        let stream: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation

        /// Outside of the lock, because a stream may end at once.
        func listening(_ notifier: Notifier) -> Listening {
            continuation.onTermination = { [weak notifier, name, id] _ in notifier?.remove(id, of: name) }
            return Listening(stream: stream, continuation: continuation)
        }
    }

    private static func add(_ name: String, to listeners: inout Listeners) -> Added {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        listeners.nextID += 1
        listeners.count += 1
        listeners.byName[name, default: [:]][listeners.nextID] = continuation
        return Added(name: name, id: listeners.nextID, stream: stream, continuation: continuation)
    }

    private func remove(_ id: UInt64, of name: String) {
        listeners.withLock { listeners in
            guard listeners.byName[name]?.removeValue(forKey: id) != nil else { return }
            listeners.count -= 1
            if listeners.byName[name]?.isEmpty == true { listeners.byName[name] = nil }
        }
    }

    struct Listening: Sendable {
        fileprivate let stream: AsyncStream<Void>
        fileprivate let continuation: AsyncStream<Void>.Continuation

        /// Returns at the first notification since `listen(to:)`, when the time is up, or when the task is cancelled. For one
        /// call only.
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

        /// The notifications, until ``stop()`` or the end of the task. Those that come before one is awaited are one. For one reader.
        var notifications: AsyncStream<Void> { stream }

        func stop() { continuation.finish() }
    }

    /// The number of listeners, for tests and metrics.
    var listenerCount: Int { listeners.withLock { $0.count } }

    /// The topics with listeners that begin so.
    func topics(under prefix: String) -> Set<String> {
        listeners.withLock { listeners in Set(listeners.byName.keys.lazy.filter { $0.hasPrefix(prefix) }) }
    }

    func hasListeners(under prefix: String) -> Bool {
        listeners.withLock { listeners in listeners.byName.keys.contains { $0.hasPrefix(prefix) } }
    }
}
