import Delivery
import JSON
import TestSupport
import Testing
import Traces
import Tracing

@testable import CountersignServer

@Suite struct TraceExportServiceTests {
    @Test func `A collector that loses batch after batch is warned of once`() async throws {
        let collector = try ScriptedService { _ in [.send(ScriptedService.answer(400, "no"))] }
        defer { collector.stop() }
        let queue = SpanQueue(capacity: 64, batch: 8)
        let tracer = SpanTracer(queue: queue) { 7 }
        for _ in 0..<64 { tracer.startSpan("x", context: .topLevel).end() }
        let log = WrittenLog()
        let service = TraceExportService(
            queue,
            to: .init(url: "http://127.0.0.1:\(collector.port)/v1/traces", resource: [], version: "1"),
            logger: log.logger)
        let running = Task { try await service.run() }
        while queue.statistics.refused < 64 { try await Task.sleep(for: .milliseconds(10)) }
        tracer.startSpan("late", context: .topLevel).end()
        running.cancel()
        try await running.value
        #expect(collector.requests.count == 9, "Eight batches, and what was left at the end.")
        #expect(queue.statistics.refused == 65)
        let lines = try log.objects()
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?["message"] == "spans could not be exported" && lines.first?["level"] == "warning")
        #expect(lines.first?["metadata"]?["reason"] == "status-400")
    }
}
