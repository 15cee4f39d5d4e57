#if canImport(Glibc)
    import Testing

    @testable import CountersignServer

    @Suite("Resident memory")
    struct ResidentMemoryTests {
        @Test func `The whole list of mappings is read, which the system hands out page by page`() {
            let maps = String(decoding: ResidentMemory.maps(), as: UTF8.self)
            #expect(maps.utf8.count > 4096)
            // It stands near the end.
            #expect(maps.contains("[stack]"))
            #expect(maps.hasSuffix("\n"))
        }

        /// Seconds of processor time at each look, and whether memory is given back then.
        @Test(arguments: [
            // A start that takes long and then waits.
            [(2.5, false), (2.5, true), (2.5, false), (2.55, false)],
            // A load, in the middle of which nothing is given back; its end; the next, which is too short, and a little more.
            [
                (5, false), (12, false), (12.05, true), (12.06, false), (12.6, false), (12.65, false), (13.1, false),
                (13.11, true),
            ],
            // Little by little, never busy: once for each second in all.
            (1...27).map { (Double($0) * 0.08, $0 == 13 || $0 == 26) },
        ])
        func `Memory is given back once when a load has ended, and not during it`(_ looks: [(Double, Bool)]) {
            var lull = ResidentMemory.Lull()
            #expect(looks.map { lull.begins(processorTime: .seconds($0.0)) } == looks.map(\.1))
        }
    }
#endif
