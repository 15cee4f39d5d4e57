import Foundation
import Synchronization

/// A collector of OpenTelemetry in a process of its own, and what it read by OpenTelemetry's own schema.
final class Collector: Sendable {
    struct Span: Sendable, Decodable {
        let trace: String
        let span: String
        let parent: String?
        let name: String
        let kind: Int
        let nanoseconds: Int64
        let start: Int64
        let attributes: [String: Value]
        let status: Int
        let resource: [String: Value]
        let scope: String
    }

    enum Value: Sendable, Decodable, Equatable {
        case text(String)
        case number(Double)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .other
            }
        }
    }

    /// One request.
    struct Report: Sendable, Decodable {
        var spans: [Span]?
        var key: String?
        var fault: String?
        var status: Int?
        var other: String?
        var traceparent: String?
    }

    let port: Int
    private let process = Process()
    /// It ends when this is no longer referenced.
    private let input = Pipe()
    private let received: Lines
    /// Finished when there is no more to read.
    private let ended: AsyncStream<Never>

    /// What came, each line read once: a test that waits for spans asks for them many times.
    private final class Lines: Sendable {
        let reports = Mutex<[Result<Report, any Error>]>([])
    }

    /// - Parameter refusals: the statuses of the first answers.
    init(refusing refusals: [Int] = []) async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = root.appendingPathComponent(".build/test-python/bin/python")
        process.arguments = [
            folder.appendingPathComponent("otlp_collector.py").path,
            "--refuse=" + refusals.map { "\($0)" }.joined(separator: ","),
        ]
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let lines = Lines()
        received = lines
        let (announcements, announce) = AsyncStream<String>.makeStream()
        let (ended, end) = AsyncStream<Never>.makeStream()
        self.ended = ended
        let handle = output.fileHandleForReading
        Thread.detachNewThread {
            var text = Data()
            var isFirst = true
            while case let chunk = handle.availableData, !chunk.isEmpty {
                text.append(chunk)
                while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: text[..<end], as: UTF8.self)
                    if isFirst {
                        announce.yield(line)
                    } else {
                        let report = Result { try JSONDecoder().decode(Report.self, from: Data(line.utf8)) }
                        lines.reports.withLock { $0.append(report) }
                    }
                    isFirst = false
                    text = Data(text[text.index(after: end)...])
                }
            }
            announce.finish()
            end.finish()
        }
        var iterator = announcements.makeAsyncIterator()
        guard let first = await iterator.next(),
            let port = try? JSONDecoder().decode([String: Int].self, from: Data(first.utf8))["port"]
        else { throw MissingTool(name: "opentelemetry-proto in Tests/requirements.txt") }
        self.port = port
    }

    deinit { stop() }

    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Ends it, and waits until everything that it wrote is read.
    func stopped() async {
        stop()
        for await _ in ended {}
    }

    var reports: [Report] {
        get throws {
            try received.reports.withLock { $0 }.map { try $0.get() }
        }
    }

    var spans: [Span] { get throws { try reports.flatMap { $0.spans ?? [] } } }
}
