import CoreMetrics
import Synchronization

/// One line of numbers: a counter, a gauge, or a histogram of durations.
final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
    enum Kind: Sendable {
        case counter
        case gauge
        case histogram

        var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    /// Upper bounds of the histogram's buckets, in seconds: from a cached answer to a password hash in a queue.
    static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        /// The counter's or gauge's value; the sum of a histogram.
        var value = 0.0
        var count = 0
        /// Those of each bucket alone; what is written out counts those of the buckets below, too.
        var buckets = [Int](repeating: 0, count: Series.bounds.count)
    }

    let kind: Kind
    private let state = Mutex(State())

    init(_ kind: Kind) {
        self.kind = kind
    }

    func lines(name: String, labels: String) -> String {
        let state = state.withLock { $0 }
        guard kind == .histogram else {
            return "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(PrometheusText.number(state.value))\n"
        }
        var text = ""
        let prefix = labels.isEmpty ? "" : "\(labels),"
        var count = 0
        for (bound, more) in zip(Self.bounds, state.buckets) {
            count += more
            text += "\(name)_bucket{\(prefix)le=\"\(PrometheusText.number(bound))\"} \(count)\n"
        }
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(state.count)\n"
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(suffix) \(PrometheusText.number(state.value))\n"
        text += "\(name)_count\(suffix) \(state.count)\n"
        return text
    }

    private func add(_ amount: Double) {
        guard amount.isFinite else { return }
        state.withLock { $0.value += amount }
    }

    // Counters and gauges.
    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Int64) { state.withLock { $0.value = Double(value) } }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func reset() { state.withLock { $0 = State() } }

    // Timers.
    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1_000_000_000
        state.withLock { state in
            state.value += seconds
            state.count += 1
            if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { state.buckets[index] += 1 }
        }
    }
}
