import Synchronization
import Testing

@testable import CountersignCore

@Suite("Questions with a bounded wait")
struct BoundedQuestionTests {
    /// An answer that is held back until the test gives it.
    private final class HeldAnswer: Sendable {
        private let stream: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation
        let asked = Mutex(0)

        init() {
            (stream, continuation) = AsyncStream.makeStream()
        }

        func ask() async -> Int {
            asked.withLock { $0 += 1 }
            for await number in stream { return number }
            return -1
        }

        func give(_ number: Int) { continuation.yield(number) }
    }

    @Test
    func `Who asks while an answer is late is not made to wait, and asks nothing a second time`() async throws {
        let question = BoundedQuestion<Int>(patience: .milliseconds(20))
        let held = HeldAnswer()
        for _ in 0..<3 { #expect(try await question.answer { await held.ask() } == nil) }
        // On a slow machine it may not have begun to be asked when nobody waited any more.
        while held.asked.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(held.asked.withLock { $0 } == 1)
        // It came too late for those; later callers ask again.
        held.give(1)
        var fresh: Int?
        while fresh == nil { fresh = try await question.answer { 2 } }
        #expect(fresh == 2)
    }

    @Test
    func `Those who ask together get one answer`() async throws {
        let question = BoundedQuestion<Int>(patience: .seconds(60))
        let held = HeldAnswer()
        async let first = question.answer { await held.ask() }
        while held.asked.withLock({ $0 }) == 0 { await Task.yield() }
        async let second = question.answer { await held.ask() }
        held.give(7)
        #expect(try await first == 7)
        // The second may have come after the answer, and asked again.
        held.give(7)
        #expect(try await second == 7)
    }

    @Test
    func `Who asks how it is at present gets no answer that was asked for before`() async throws {
        let question = BoundedQuestion<Int>(patience: .seconds(1200))
        let held = HeldAnswer()
        async let first = question.presentAnswer { await held.ask() }
        while held.asked.withLock({ $0 }) == 0 { await Task.yield() }
        async let second = question.presentAnswer { 2 }
        while question.waiting == 0 { await Task.yield() }
        held.give(1)
        #expect(try await first == 1)
        #expect(try await second == 2)
        #expect(question.waiting == 0)
    }

    @Test
    func `What was read before is told where the store fails`() async throws {
        struct Trouble: Error {}
        let value = Remembered<Int>(patience: .milliseconds(20))
        await #expect(throws: Trouble.self) { try await value.value { throw Trouble() } }
        #expect(try await value.value { 1 } == 1)
        #expect(try await value.value { throw Trouble() } == 1)
        let held = HeldAnswer()
        #expect(try await value.value { await held.ask() } == 1)
        held.give(3)
        var fresh = 1
        while fresh == 1 { fresh = try await value.value { 4 } }
        #expect(fresh == 4)
    }
}
