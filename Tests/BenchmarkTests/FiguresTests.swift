import Testing

@testable import countersign_bench

@Suite struct FiguresTests {
    @Test func `The median of an even count lies between`() {
        #expect(Spread([4, 1, 3, 2])?.median == 2.5)
        #expect(Spread([9, 1, 5]).map { [$0.least, $0.median, $0.greatest] } == [1, 5, 9])
        #expect(Spread([]) == nil)
    }

    /// A neighbour that halves the speed of one whole round changes no ratio.
    @Test func `Ratios are taken round by round`() {
        var figures = Figures()
        for slowness in [1.0, 2, 4] {
            figures.add([.perSecond: [100 / slowness]], of: "limit")
            figures.add([.perSecond: [80 / slowness]], of: "own")
        }
        #expect(figures.ratio(.perSecond, of: "own", to: "limit") == Spread([0.8]))
        #expect(figures.ratio(.perSecond, of: "own", to: "nothing") == nil)
        #expect(figures.ratio(.p99Latency, of: "own", to: "limit") == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (0.0123, "0.012"), (0.5, "0.50"), (12.34, "12.3"), (999.6, "1000"), (12345.6, "12,346"),
        (1_234_567.0, "1,234,567"),
    ])
    func `Numbers have three digits that mean something`(_ value: Double, _ text: String) {
        #expect(Spread.text(value) == text)
    }

    @Test func `A name brings its limits`() throws {
        let chosen = try BenchCase.chosen(["jwks"], of: BenchCase.all).map(\.name)
        #expect(chosen == ["hello", "jwks"])
        #expect(throws: UnknownCase.self) { try BenchCase.chosen(["jwk"], of: BenchCase.all) }
    }

    @Test func `Every limit is measured beforehand`() {
        for (index, one) in BenchCase.all.enumerated() {
            for limit in one.limits {
                #expect(BenchCase.all[..<index].contains { $0.name == limit.name }, "\(one.name): \(limit.name)")
            }
        }
        #expect(Set(BenchCase.all.map(\.name)).count == BenchCase.all.count)
    }

    @Test func `A row of another server says ours by its`() throws {
        var figures = Figures()
        figures.add([.perSecond: [200], .serverMicroseconds: [10]], of: "right-code")
        figures.add([.perSecond: [20], .serverMicroseconds: [100]], of: "peer-right-code")
        let report = Report(
            cases: try BenchCase.chosen(["peer-right-code"], of: BenchCase.all), figures: figures, machine: [],
            date: "2026-11-29", command: "bench", rounds: 1)
        #expect(
            report.markdown.contains("| `right-code` 10.0 of it; `right-code` 0.10 of it, server CPU, µs each |"))
        #expect(try report.json.contains("\"right-code, serverMicroseconds\""))
    }

    @Test func `The words around the figures stay`() {
        let first = Report.replacingFigures(in: "# Results\n\nBefore.\n", by: "old")
        let second = Report.replacingFigures(in: first + "After.\n", by: "new")
        #expect(second.hasPrefix("# Results\n\nBefore.\n"))
        #expect(second.hasSuffix("After.\n"))
        #expect(second.contains("new") && !second.contains("old"))
    }

    /// What both runs have, in the order of the cases; what one of them lacks is left out.
    @Test func `A comparison says how much of the earlier figure there is, and what is worse in every round`() {
        var now = Figures()
        for (perSecond, cost) in [(100.0, 60.0), (105, 55), (110, 50)] {
            now.add([.perSecond: [perSecond], .serverMicroseconds: [cost]], of: "jwks")
        }
        now.add([.perSecond: [5]], of: "refresh")
        let earlier = Comparison.Earlier(
            date: "2026-11-21", command: "bench",
            figures: ["jwks": ["perSecond": [200, 210, 220], "serverMicroseconds": [50, 55, 60], "unheardOf": [1]]])
        let text = Comparison(cases: BenchCase.all, figures: now, earlier: earlier).markdown
        #expect(text.contains("| `jwks` | per second | 210 (200–220) | 105 (100–110) | 0.50 | worse |"))
        #expect(text.contains("| `jwks` | server CPU, µs each | 55.0 (50.0–60.0) | 55.0 (50.0–60.0) | 1.00 |  |"))
        #expect(!text.contains("refresh") && !text.contains("unheardOf"))
    }

    private static let verdicts: [(quantity: Quantity, now: [Double], then: [Double], verdict: Comparison.Verdict)] = [
        // Two rounds of a run say nothing, however many the other has.
        (.perSecond, [100, 100], [200, 200, 200], .tooFewRounds),
        (.perSecond, [100, 100, 100], [200], .tooFewRounds),
        (.serverMicroseconds, [60], [50], .tooFewRounds),
        // Nor do rounds of which one is as good as one of before, or that differ by little.
        (.serverMicroseconds, [59, 80, 90], [40, 50, 60], .notWorse),
        (.serverMicroseconds, [101, 101, 102], [99, 100, 100], .notWorse),
        (.serverMicroseconds, [61, 80, 90], [40, 50, 60], .worse),
        (.perSecond, [300, 300, 300], [100, 100, 100], .notWorse),
        (.allocationsEach, [101], [100], .notWorse),
        (.allocationsEach, [103], [100], .worse),
        (.allocationsEach, [101, 101, 101], [100, 100, 100], .worse),
        (.allocationsEach, [100, 101, 101], [100, 100, 100], .notWorse),
        (.allocationsEach, [90], [100], .notWorse),
    ]

    @Test(arguments: verdicts)
    func `A verdict takes three rounds of both runs that are apart, or a fiftieth more allocations`(
        _ item: (quantity: Quantity, now: [Double], then: [Double], verdict: Comparison.Verdict)
    ) {
        #expect(Comparison.verdict(item.now, after: item.then, item.quantity) == item.verdict)
    }

    @Test func `A comparison of single rounds says that they are too few`() {
        var now = Figures()
        now.add([.perSecond: [100]], of: "jwks")
        let earlier = Comparison.Earlier(
            date: "2026-11-21", command: "bench", figures: ["jwks": ["perSecond": [200]]])
        let text = Comparison(cases: BenchCase.all, figures: now, earlier: earlier).markdown
        #expect(text.contains("| `jwks` | per second | 200 | 100 | 0.50 | too few rounds |"))
    }

    @Test func `Instructions are read where they were counted`() {
        #expect(InstructionCounter.instructions("# started\n\n123456,,instructions:u,100,100.00,,\n") == 123_456)
        #expect(InstructionCounter.instructions("<not supported>,,instructions:u,0,100.00,,\n") == nil)
    }

    @Test func `Verifications of OpenSSL are the last number of its line`() {
        #expect(PasskeyVerification.rate(in: "+H:16:64\n+F4:3:256:5994.059406:2088.118812\n") == 2088.118812)
        #expect(PasskeyVerification.rate(in: "+F6:0:253:Ed25519:5266.3:2601.9\n") == 2601.9)
        #expect(PasskeyVerification.rate(in: "+F2:2:2048:556.000000:8994.000000\n") == 8994)
        #expect(PasskeyVerification.rate(in: "speed: unknown algorithm\n") == nil)
    }
}
