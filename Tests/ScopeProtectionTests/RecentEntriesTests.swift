import SignedTokens
import Testing

/// What validators remember of tokens that they have verified.
@Suite("Recent entries")
struct RecentEntriesTests {
    @Test
    func `What is asked for again and again stays, however many others come, and the bound holds at each`() {
        var entries = RecentEntries<Int, String>(bound: 10)
        entries.put("often", for: 0)
        for number in 1...1000 {
            entries.put("\(number)", for: number)
            #expect(entries.count <= 10)
            #expect(entries.value(of: number) == "\(number)")
            #expect(entries.value(of: 0) == "often", "after \(number)")
        }
        #expect(entries.value(of: 1) == nil)
    }

    @Test
    func `What nobody asks for goes before as many others have come as the bound says`() {
        var entries = RecentEntries<Int, Int>(bound: 10)
        entries.put(0, for: 0)
        for number in 1...5 { entries.put(number, for: number) }
        #expect((1...5).allSatisfy { entries.value(of: $0) == $0 })
        entries = RecentEntries(bound: 10)
        entries.put(0, for: 0)
        for number in 1...10 { entries.put(number, for: number) }
        #expect(entries.value(of: 0) == nil)
    }

    @Test
    func `A key has one value, the last, and none after it was removed`() {
        var entries = RecentEntries<Int, Int>(bound: 4)
        for number in 1...3 { entries.put(number, for: number) }
        entries.put(10, for: 1)
        #expect(entries.value(of: 1) == 10)
        entries.remove(1)
        entries.remove(3)
        #expect(entries.value(of: 1) == nil && entries.value(of: 3) == nil)
        var least = RecentEntries<Int, Int>(bound: 0)
        least.put(1, for: 1)
        least.put(2, for: 2)
        #expect(least.count <= 2 && least.value(of: 2) == 2)
    }

    /// A key with something that is no part of what it is compared by, as a slice has the rest of its array.
    private struct Slice: Hashable {
        final class Whole: Sendable {}

        let number: Int
        let whole: Whole

        static func == (one: Slice, other: Slice) -> Bool { one.number == other.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test
    func `What a value is asked for by is not kept, also where it comes among those that were asked for lately`() {
        var entries = RecentEntries<Slice, Int>(bound: 2)
        entries.put(1, for: Slice(number: 1, whole: .init()))
        entries.put(2, for: Slice(number: 2, whole: .init()))
        weak var whole: Slice.Whole?
        do {
            let asked = Slice(number: 1, whole: .init())
            whole = asked.whole
            #expect(entries.value(of: asked) == 1)
        }
        #expect(whole == nil)
        #expect(entries.value(of: Slice(number: 1, whole: .init())) == 1)
    }
}
