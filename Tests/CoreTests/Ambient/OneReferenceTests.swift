import Testing

@testable import CountersignCore

@Suite("A value that is handed on as one reference")
struct OneReferenceTests {
    private struct Inner: Sendable, Equatable {
        var names: [String] = []
        var count: Int?
    }

    private struct Holder: Sendable {
        @OneReference var inner: Inner
        @OneReference var text: String?
        var other = 0
    }

    @Test
    func `What changes a copy leaves the others as they were`() {
        var first = Holder(inner: Inner(names: ["a"], count: 1), text: "t")
        let kept = first
        var second = first
        first.inner.names.append("b")
        first.inner.count? += 1
        second.inner = Inner()
        second.text = nil
        second.other = 2
        #expect(first.inner == Inner(names: ["a", "b"], count: 2) && first.text == "t" && first.other == 0)
        #expect(second.inner == Inner() && second.text == nil)
        #expect(kept.inner == Inner(names: ["a"], count: 1) && kept.text == "t")
        #expect(MemoryLayout<Holder>.size == 3 * MemoryLayout<Int>.size)
    }

    @Test
    func `A change that throws in the middle is kept as far as it came`() {
        var holder = Holder(inner: Inner(names: ["a"]), text: nil)
        let kept = holder
        func change(_ inner: inout Inner) throws {
            inner.names.append("b")
            throw CancellationError()
        }
        #expect(throws: CancellationError.self) { try change(&holder.inner) }
        #expect(holder.inner.names == ["a", "b"] && kept.inner.names == ["a"])
    }
}
