import CoreMetrics
import PrometheusMetrics
import Testing

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    @Test func `Counters gauges and timers are written as Prometheus reads them`() {
        let counter = Counter(
            label: "hb.requests", dimensions: [("route", "/a\"b\\c\nd"), ("method", "GET")], factory: registry)
        counter.increment(by: 2)
        Meter(label: "active", dimensions: [], factory: registry).set(3)
        let timer = Timer(label: "took", dimensions: [("x", "1")], preferredDisplayUnit: .seconds, factory: registry)
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let samples: [PrometheusRegistry.Sample] = [
            .init("store.waiting", 7), .init("store.commits_total", 9, isCounter: true),
        ]
        let text = registry.text() + PrometheusRegistry.text(of: samples)
        let expected = [
            "# TYPE hb_requests_total counter", #"hb_requests_total{method="GET",route="/a\"b\\c\nd"} 2"#,
            "# TYPE active gauge", "active 3", "# TYPE took_seconds histogram",
            #"took_seconds_bucket{x="1",le="0.001"} 0"#, #"took_seconds_bucket{x="1",le="0.0025"} 1"#,
            #"took_seconds_bucket{x="1",le="10"} 1"#, #"took_seconds_bucket{x="1",le="+Inf"} 2"#,
            #"took_seconds_sum{x="1"} 20.002"#, #"took_seconds_count{x="1"} 2"#, "# TYPE store_waiting gauge",
            "store_waiting 7", "# TYPE store_commits_total counter", "store_commits_total 9",
        ]
        let lines = text.split(separator: "\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(line) in \(text)") }
    }

    @Test func `The same labels are one series`() {
        for _ in 0..<3 {
            Counter(label: "hits", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
            Counter(label: "hits", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        }
        #expect(registry.text().contains(#"hits_total{a="1",b="2"} 6"#))
    }

    @Test func `Labels that strangers choose do not fill the memory`() {
        for number in 0..<(PrometheusRegistry.seriesLimit + 100) {
            Counter(label: "paths", dimensions: [("path", "\(number)")], factory: registry).increment()
        }
        let count = registry.text().split(separator: "\n").count { $0.hasPrefix("paths_total") }
        #expect(count == PrometheusRegistry.seriesLimit)
    }
}
