import Synchronization
import Testing
import Tracing

@testable import Traces

/// Numbers that a test knows: 1, 2, 3, …
final class Counter: Sendable {
    private let value = Mutex<UInt64>(0)

    func next() -> UInt64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

@Suite struct SpanTracerTests {
    private struct Carrier: Injector, Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }

    private let queue = SpanQueue()

    private func tracer(share: Double = 1) -> SpanTracer {
        let counter = Counter()
        return SpanTracer(queue: queue, share: share) { counter.next() }
    }

    @Test func `A span within another is its child in the same trace`() throws {
        let tracer = tracer()
        tracer.withSpan("outer", ofKind: .server) { _ in
            tracer.withSpan("inner") { span in span.attributes["a"] = 1 }
        }
        let spans = queue.take()
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans[0].parent == spans[1].position && spans[1].parent == nil)
        #expect(Set(spans.map(\.position.trace)).count == 1)
        #expect(spans[0].position.span != spans[1].position.span)
        #expect(spans[0].start >= spans[1].start && spans[0].end <= spans[1].end)
        #expect(spans[1].kind == .server && spans[0].attributes.count == 1)
    }

    @Test func `A callers trace goes on and is told on`() throws {
        let tracer = tracer()
        var context = ServiceContext.topLevel
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        tracer.extract(["traceparent": header], into: &context, using: Carrier())
        let span = tracer.startSpan("request", context: context)
        span.end()
        let finished = try #require(queue.take().first)
        #expect(finished.position.trace.hex == "0af7651916cd43dd8448eb211c80319c")
        #expect(finished.parent?.span.hex == "b7ad6b7169203331" && finished.parent?.isRemote == true)
        var carrier: [String: String] = [:]
        tracer.inject(span.context, into: &carrier, using: Carrier())
        #expect(carrier == ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-\(finished.position.span.hex)-01"])
        var untouched = ServiceContext.topLevel
        tracer.extract(["traceparent": "00-nothing"], into: &untouched, using: Carrier())
        #expect(untouched.tracePosition == nil)
    }

    @Test(arguments: [("00", false), ("01", true)])
    func `The flag of a caller decides whatever the share is`(flag: String, isRecorded: Bool) throws {
        var context = ServiceContext.topLevel
        let parent = try #require(TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(flag)"))
        context.tracePosition = TracePosition(parent)
        for share in [0.0, 1.0] {
            let span = tracer(share: share).startSpan("request", context: context)
            #expect(span.isRecording == isRecorded)
            span.attributes["a"] = "b"
            span.end()
            #expect(queue.take().count == (isRecorded ? 1 : 0))
        }
    }

    @Test func `The share is that of the traces which begin here`() {
        // Random numbers in equal steps over the whole range.
        let counter = Counter()
        let tracer = SpanTracer(queue: queue, share: 0.25) { counter.next() &* (UInt64.max / 4000) }
        for _ in 0..<1000 { tracer.startSpan("request", context: .topLevel).end() }
        var count = 0
        while case let spans = queue.take(), !spans.isEmpty { count += spans.count }
        #expect((230...270).contains(count), "\(count)")
        #expect(queue.statistics.overflown == 0)
        for _ in 0..<100 { SpanTracer(queue: queue, share: 0, random: counter.next).startSpan("x").end() }
        #expect(queue.take().isEmpty)
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String { "SECRET" }
    }

    @Test func `Of an error the type is kept and what comes after the end is ignored`() throws {
        let span = tracer().startSpan("x", context: .topLevel)
        span.recordError(Failure())
        span.setStatus(SpanStatus(code: .error))
        for number in 0..<100 { span.addEvent(SpanEvent(name: "event \(number)")) }
        span.end()
        span.end()
        span.attributes["late"] = true
        span.operationName = "late"
        let spans = queue.take()
        #expect(spans.count == 1)
        let finished = try #require(spans.first)
        #expect(finished.name == "x" && finished.attributes.isEmpty)
        #expect(
            finished.events.count == RecordedSpan.eventLimit && finished.droppedEvents == 101 - RecordedSpan.eventLimit)
        #expect(finished.events[0].attributes.get("exception.type") == .string("Failure"))
        #expect(!"\(finished)".contains("SECRET"))
    }

    @Test func `A full queue drops and counts and is never waited for`() {
        let queue = SpanQueue(capacity: 10, batch: 4)
        let tracer = SpanTracer(queue: queue, random: Counter().next)
        for _ in 0..<25 { tracer.startSpan("x", context: .topLevel).end() }
        #expect(queue.statistics.waiting == 10 && queue.statistics.overflown == 15)
        let batch = queue.take()
        #expect(batch.count == 4)
        tracer.startSpan("y", context: .topLevel).end()
        queue.giveBack(batch)
        #expect(queue.statistics.waiting == 10 && queue.statistics.overflown == 16)
        #expect([4, 4, 2, 0].allSatisfy { queue.take().count == $0 })
        queue.exported(3)
        queue.refused(2)
        #expect(
            queue.statistics
                == {
                    var expected = SpanQueue.Statistics(); expected.exported = 3; expected.overflown = 16;
                    expected.refused = 2; return expected
                }())
    }
}
