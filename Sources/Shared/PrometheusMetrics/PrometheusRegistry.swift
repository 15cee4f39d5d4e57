import CoreMetrics
import Synchronization

/// Collects the values of swift-metrics, and writes it in Prometheus' text format (version 0.0.4).
///
/// Names and label names become what Prometheus allows (`http.server.active_requests` is
/// `http_server_active_requests`); counters end in `_total`, timers are histograms in seconds. The number of series is
/// bounded: what comes after the limit is dropped, so that labels that a stranger can choose cannot fill the memory.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// Series that are kept at most.
    public static let seriesLimit = 5000

    /// The registry of this process, registered with swift-metrics at the first use.
    public static let ofProcess: PrometheusRegistry = {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }()

    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    private struct State {
        var series: [Key: Series] = [:]
        var kinds: [String: Series.Kind] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// A value that is read at each scrape, such as the length of a queue.
    public struct Sample: Sendable {
        public let name: String
        public let isCounter: Bool
        public let value: Double
        public let labels: [(String, String)]

        public init(_ name: String, _ value: Double, isCounter: Bool = false, labels: [(String, String)] = []) {
            self.name = name
            self.value = value
            self.isCounter = isCounter
            self.labels = labels
        }
    }

    private func series(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
        let name = PrometheusText.name(label) + (kind == .counter ? "_total" : kind == .histogram ? "_seconds" : "")
        let key = Key(name: name, labels: PrometheusText.labels(dimensions))
        return state.withLock { state in
            if let known = state.series[key] { return known }
            let fresh = Series(kind)
            // One name has one type; metrics of another type, or beyond the limit, are not recorded.
            guard state.series.count < Self.seriesLimit, state.kinds[name, default: kind] == kind else { return fresh }
            state.kinds[name] = kind
            state.series[key] = fresh
            return fresh
        }
    }

    /// Every series in Prometheus' text format, in the order of names and labels, with the type of its name.
    func lines() -> [(name: String, kind: String, lines: String)] {
        state.withLock { $0.series }
            .sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
            .map { ($0.key.name, $0.value.kind.word, $0.value.lines(name: $0.key.name, labels: $0.key.labels)) }
    }

    // MARK: MetricsFactory

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, .gauge)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    // Series stay: Prometheus expects a counter to go on counting.
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
}
