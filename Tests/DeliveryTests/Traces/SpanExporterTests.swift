import Foundation
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import Delivery
@testable import Traces

/// A collector that is away, slow, refuses, leads elsewhere or never ends: spans are lost and counted, and nothing waits for it.
@Suite("Export of spans")
struct SpanExporterTests {
    /// What an exporter said, and the pauses that it wanted.
    private final class Notes: Sendable {
        private let said = Mutex<[String]>([])
        private let wanted = Mutex<[Duration]>([])

        var losses: [String] { said.withLock { $0 } }
        var pauses: [Duration] { wanted.withLock { $0 } }

        func note(_ note: SpanExporter.Note) {
            guard case .lost(let count, let reason) = note else { return }
            said.withLock { $0.append("\(count) \(reason)") }
        }

        func pause(_ duration: Duration) { wanted.withLock { $0.append(duration) } }
    }

    /// An exporter with a queue.
    private struct Stage {
        let queue: SpanQueue
        let exporter: SpanExporter
        private let notes = Notes()

        init(port: Int, capacity: Int = 64, batch: Int = 8, patience: SpanExporter.Patience = SpanExporterTests.long) {
            queue = SpanQueue(capacity: capacity, batch: batch)
            exporter = SpanExporter(
                queue,
                to: .init(
                    url: "http://127.0.0.1:\(port)/v1/traces", resource: [("service.name", "test")], version: "1"),
                patience: patience, note: { [notes] in notes.note($0) }, sleep: { [notes] in notes.pause($0) })
        }

        var losses: [String] { notes.losses }
        var pauses: [Duration] { notes.pauses }

        /// Ends so many spans.
        func add(_ count: Int) {
            let tracer = SpanTracer(queue: queue) { 7 }
            for _ in 0..<count { tracer.startSpan("x", context: .topLevel).end() }
        }
    }

    private static let short = SpanExporter.Patience(
        request: .milliseconds(200), last: .milliseconds(200), lastInAll: .milliseconds(300))
    /// Enough for the head of an answer, on a slow machine too.
    private static let middling = SpanExporter.Patience(
        request: .seconds(4), last: .seconds(4), lastInAll: .seconds(600))
    /// Nothing that ends is too late.
    private static let long = SpanExporter.Patience(
        request: .seconds(600), last: .seconds(600), lastInAll: .seconds(600))

    @Test func `What is taken is counted and so is what a collector refuses of it`() async throws {
        let collector = try ScriptedService(ScriptedService.json(#"{"partialSuccess":{"rejectedSpans":"3"}}"#))
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(8)
        await stage.exporter.drain()
        #expect(stage.queue.statistics.exported == 5 && stage.queue.statistics.refused == 3)
        #expect(stage.losses == ["3 refused"] && stage.pauses.isEmpty)
        await stage.exporter.finish()
        #expect(collector.requests.count == 1)
    }

    @Test(arguments: [400, 401, 404, 413, 500, 501])
    func `A refusal for good is not asked twice`(status: Int) async throws {
        let collector = try ScriptedService { _ in [.send(ScriptedService.answer(status, "no"))] }
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(8)
        await stage.exporter.drain()
        #expect(collector.requests.count == 1 && stage.losses == ["8 status-\(status)"])
        #expect(stage.queue.statistics.refused == 8 && stage.queue.statistics.waiting == 0)
        await stage.exporter.finish()
    }

    @Test(arguments: [429, 502, 503, 504])
    func `A collector that has too much to do is asked four times with growing pauses`(status: Int) async throws {
        let collector = try ScriptedService { _ in [.send(ScriptedService.answer(status, "later"))] }
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(8)
        await stage.exporter.drain()
        #expect(collector.requests.count == 4 && stage.losses == ["8 status-\(status)"])
        #expect(stage.pauses == [.seconds(1), .seconds(2), .seconds(4)])
        await stage.exporter.finish()
    }

    @Test func `A pause that a collector asks for is bounded`() async throws {
        let collector = try ScriptedService { _ in
            [.send(ScriptedService.answer(503, "", headers: ["Retry-After: 99999999"]))]
        }
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(1)
        await stage.exporter.drain()
        #expect(stage.pauses == Array(repeating: SpanExporter.longestPause, count: 3))
        await stage.exporter.finish()
    }

    @Test(arguments: [301, 302, 307, 308])
    func `No redirect is followed`(status: Int) async throws {
        let other = try ScriptedService(ScriptedService.json("{}"))
        defer { other.stop() }
        let collector = try ScriptedService { _ in
            [
                .send(
                    ScriptedService.answer(status, "", headers: ["Location: http://127.0.0.1:\(other.port)/v1/traces"]))
            ]
        }
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(8)
        await stage.exporter.drain()
        #expect(stage.losses == ["8 status-\(status)"] && other.requests.isEmpty)
        await stage.exporter.finish()
    }

    @Test func `One that is away or says nothing costs spans and the queue keeps its bound`() async throws {
        let silent = try ScriptedService { _ in [.hold] }
        defer { silent.stop() }
        for (port, reason, patience) in [
            (try QuietPort.next(), "connection", Self.long), (silent.port, "timeout", Self.short),
        ] {
            let stage = Stage(port: port, capacity: 16, patience: patience)
            stage.add(100)
            #expect(stage.queue.statistics.waiting == 16 && stage.queue.statistics.overflown == 84)
            await stage.exporter.drain()
            #expect(stage.queue.statistics.refused == 16 && stage.queue.statistics.waiting == 0)
            #expect(stage.losses == ["8 \(reason)", "8 \(reason)"])
            // The end asks once more, and no longer.
            stage.add(16)
            await stage.exporter.finish()
            #expect(stage.losses.suffix(2) == ["8 \(reason)", "8 \(reason)"])
        }
    }

    /// The head of an answer ends the deadline that the library knows; the rest of it could keep the export, and the end of the program.
    @Test(arguments: 0..<3)
    func `An answer without end is not waited for and one of any length is not kept`(kind: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        let large = [ScriptedService.Step.send(head + "\r\n" + String(repeating: "x", count: 4 << 20))]
        let unfinished: [ScriptedService.Step] = [.send(head + "Content-Length: 100\r\n\r\n{"), .hold]
        let slow: [ScriptedService.Step] = [
            .send(head + "Content-Length: 100000\r\n\r\n"), .trickle(UInt8(ascii: " "), every: 0.02),
        ]
        let collector = try ScriptedService { _ in [large, unfinished, slow][kind] }
        defer { collector.stop() }
        let stage = Stage(port: collector.port, patience: Self.middling)
        stage.add(16)
        await stage.exporter.drain()
        #expect(stage.queue.statistics.exported == 16 && stage.losses.isEmpty, "\(stage.losses)")
        #expect(collector.requests.count == 2, "What was taken is not sent again.")
        stage.add(1)
        await stage.exporter.finish()
        #expect(stage.queue.statistics.exported == 17)
    }

    @Test func `Answers that are no HTTP lose a batch at a time`() async throws {
        let collector = try ScriptedService { _ in [.send("SSH-2.0-OpenSSH\r\n\r\n")] }
        defer { collector.stop() }
        let stage = Stage(port: collector.port)
        stage.add(8)
        await stage.exporter.drain()
        #expect(stage.losses == ["8 connection"] && collector.requests.count == 4)
        await stage.exporter.finish()
    }
}
