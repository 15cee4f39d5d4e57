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
        struct Looks: Sendable {
            let seconds: [Double]
            let given: [Bool]

            /// A start that takes long and then waits.
            static let start = Looks(seconds: [2.5, 2.5, 2.5, 2.55], given: [false, true, false, false])
            /// A load, in the middle of which nothing is given back; its end; the next, which is too short, and a little more.
            static let loads = Looks(
                seconds: [5, 12, 12.05, 12.06, 12.6, 12.65, 13.1, 13.11],
                given: [false, false, true, false, false, false, false, true])
            /// Little by little, never busy: once for each second in all.
            static let littleByLittle = Looks(
                seconds: (1...27).map { (look: Int) -> Double in Double(look) * 0.08 },
                given: (1...27).map { (look: Int) -> Bool in look == 13 || look == 26 })
        }

        @Test(arguments: [Looks.start, .loads, .littleByLittle])
        func `Memory is given back once when a load has ended, and not during it`(_ looks: Looks) {
            var lull = ResidentMemory.Lull()
            #expect(looks.seconds.map { lull.begins(processorTime: .seconds($0)) } == looks.given)
        }
    }
#endif
