import CoreMetrics
import PrometheusMetrics
import Testing

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    @Test func `Counters gauges and timers are written as Prometheus reads them`() {
        let counter = Counter(
            label: "requests", dimensions: [("route", "/a\"b\\c\nd"), ("method", "GET")], factory: registry)
        counter.increment(by: 2)
        Meter(label: "active", dimensions: [], factory: registry).set(3)
        let timer = Timer(label: "took", dimensions: [("x", "1")], preferredDisplayUnit: .seconds, factory: registry)
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let samples: [PrometheusRegistry.Sample] = [
            .init("store.waiting", 7), .init("store.commits_total", 9, isCounter: true),
            .init("build_info", 1, labels: [("version", "1.0"), ("commit", "a\"b")]),
            .init("store.waiting", 8, labels: [("x", "1")]), .init("active", 5, isCounter: true),
        ]
        Counter(label: "library.noise", dimensions: [], factory: registry).increment()
        let names = [
            "requests_total", "active", "took_seconds", "store_waiting", "store_commits_total", "build_info",
        ]
        let text = registry.text(
            with: samples, describedBy: Dictionary(uniqueKeysWithValues: names.map { ($0, "What \($0) \\ is.") }))
        #expect(!text.contains("noise"))
        for name in names {
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("# HELP \(name) ") }
            #expect(lines == [#"# HELP \#(name) What \#(name) \\ is."#])
        }
        let expected = [
            "# TYPE requests_total counter", #"requests_total{method="GET",route="/a\"b\\c\nd"} 2"#,
            "# TYPE active gauge", "active 3", "# TYPE took_seconds histogram",
            #"took_seconds_bucket{x="1",le="0.001"} 0"#, #"took_seconds_bucket{x="1",le="0.0025"} 1"#,
            #"took_seconds_bucket{x="1",le="10"} 1"#, #"took_seconds_bucket{x="1",le="+Inf"} 2"#,
            #"took_seconds_sum{x="1"} 20.002"#, #"took_seconds_count{x="1"} 2"#, "# TYPE store_waiting gauge",
            "store_waiting 7", #"store_waiting{x="1"} 8"#, #"build_info{commit="a\"b",version="1.0"} 1"#,
            "# TYPE store_commits_total counter", "store_commits_total 9",
        ]
        let lines = text.split(separator: "\n").map(String.init)
        for line in expected { #expect(lines.contains(line), "\(line) in \(text)") }
    }

    /// To Swift each of these is one character, and no line feed or quotation mark.
    @Test func `No text ends a label or a line whatever is put upon its signs`() {
        let texts = ["\r\n", "\"\u{301}", "\u{D4E}\"", "\\\u{301}", "\u{D4E}\\\"\u{301}"]
        for (number, text) in texts.enumerated() {
            Counter(label: "signs", dimensions: [("a", "x\(text)y"), ("n", "\(number)")], factory: registry).increment()
        }
        let text = registry.text(with: [], describedBy: ["signs_total": "One\r\ntwo."])
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == texts.count + 2)
        #expect(
            lines.contains { $0.starts(with: "# HELP signs_total One".utf8) && $0.reversed().starts(with: ".owt".utf8) }
        )
        for line in lines where line.first != UInt8(ascii: "#") {
            // Four quotation marks are those of the labels.
            let bare = line.indices.filter { index in
                guard line[index] == UInt8(ascii: "\"") else { return false }
                return line[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
            }
            #expect(bare.count == 4, "\(String(Substring(line)))")
        }
    }

    @Test func `The same labels are one series`() {
        for _ in 0..<3 {
            Counter(label: "hits", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
            Counter(label: "hits", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        }
        let text = registry.text(with: [], describedBy: ["hits_total": "Hits."])
        #expect(text.contains(#"hits_total{a="1",b="2"} 6"#))
    }

    @Test func `Labels that strangers choose do not fill the memory`() {
        for number in 0..<(PrometheusRegistry.seriesLimit + 100) {
            Counter(label: "paths", dimensions: [("path", "\(number)")], factory: registry).increment()
        }
        let count = registry.text(with: [], describedBy: ["paths_total": "Paths."]).split(separator: "\n").count {
            $0.hasPrefix("paths_total")
        }
        #expect(count == PrometheusRegistry.seriesLimit)
    }
}
