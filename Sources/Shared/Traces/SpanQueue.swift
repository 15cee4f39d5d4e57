import Synchronization

/// Finished spans that wait to be exported. It takes as many as it has room for and never waits: a collector that is away costs spans
/// and nothing else.
public final class SpanQueue: Sendable {
    /// What became of spans, for metrics.
    public struct Statistics: Sendable, Equatable {
        public internal(set) var waiting = 0
        public internal(set) var exported = 0
        /// Those that found no room.
        public internal(set) var overflown = 0
        /// Those that no collector took, or took and refused.
        public internal(set) var refused = 0
    }

    private struct State {
        var spans: [FinishedSpan] = []
        var statistics = Statistics()
    }

    public let capacity: Int
    /// A batch is full. Notified once for many.
    public let filled: AsyncStream<Void>
    private let notice: AsyncStream<Void>.Continuation
    private let batch: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: spans that may wait.
    ///   - batch: spans that are worth a request before its time.
    public init(capacity: Int = 8192, batch: Int = 512) {
        (self.capacity, self.batch) = (capacity, batch)
        (filled, notice) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ span: FinishedSpan) {
        let isFilled = state.withLock { state in
            guard state.spans.count < capacity else {
                state.statistics.overflown += 1
                return false
            }
            state.spans.append(span)
            return state.spans.count == batch
        }
        if isFilled { notice.yield() }
    }

    /// The oldest, at most a batch, which no longer wait. Each is to be counted as ``exported(_:)`` or ``refused(_:)``.
    public func take() -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(batch))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Puts back what was taken last, as far as there is room.
    public func giveBack(_ spans: [FinishedSpan]) {
        state.withLock { state in
            let fitting = spans.suffix(max(0, capacity - state.spans.count))
            state.statistics.overflown += spans.count - fitting.count
            state.spans.insert(contentsOf: fitting, at: 0)
        }
    }

    /// A collector has so many.
    public func exported(_ count: Int) { state.withLock { $0.statistics.exported += count } }

    /// So many are lost.
    public func refused(_ count: Int) { state.withLock { $0.statistics.refused += count } }

    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.spans.count
            return statistics
        }
    }
}
