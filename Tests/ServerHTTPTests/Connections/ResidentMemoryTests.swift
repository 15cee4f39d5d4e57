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
    }
#endif
