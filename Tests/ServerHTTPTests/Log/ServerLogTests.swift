import CountersignCore
import Foundation
import JSON
import Logging
import Synchronization
import Testing

@testable import ServerHTTP

/// What is written to standard error, as bytes.
final class WrittenLog: Sendable {
    private let storage = Mutex<[[UInt8]]>([])
    private let format: LogFormat
    private let level: Logger.Level

    init(_ format: LogFormat = .json, _ level: Logger.Level = .info) {
        (self.format, self.level) = (format, level)
    }

    private struct FixedClock: WallClock {
        var now: Date { Date(microseconds: 1_774_251_300_250_000) }
    }

    var logger: Logger {
        Logger(label: "test") { [self] label in
            ServerLog(label: label, format: format, level: level, clock: FixedClock()) { line in
                self.storage.withLock { $0.append(line) }
            }
        }
    }

    var lines: [String] { storage.withLock { $0 }.map { String(decoding: $0, as: UTF8.self) } }

    /// Each line by the parser that also reads what clients send.
    func objects() throws -> [[String: JSONValue]] {
        try lines.map { line in
            guard case .object(let members) = try JSONParser.parse(Array(line.utf8)) else { return [:] }
            return members
        }
    }
}

@Suite struct ServerLogTests {
    @Test func `A line of JSON has time level label source message and metadata`() throws {
        let log = WrittenLog()
        var logger = log.logger
        logger[metadataKey: "hb.request.id"] = "abc"
        logger.warning(
            "three", metadata: ["status": .stringConvertible(200), "ms": .stringConvertible(1.5), "list": ["a", "b"]])
        #expect(
            log.lines == [
                #"{"time":"2026-03-23T07:35:00.250Z","level":"warning","label":"test","source":"ServerHTTPTests","#
                    + #""message":"three","metadata":{"list":["a","b"],"ms":1.5,"requestId":"abc","status":200}}"#
                    + "\n"
            ])
    }

    @Test func `A line of text has the message last`() {
        let log = WrittenLog(.text)
        log.logger.info("it is so", metadata: ["channel": "email", "reason": "no route", "empty": ""])
        #expect(
            log.lines == [
                "2026-03-23T07:35:00.250Z info test: channel=email empty=\"\" reason=\"no route\" [ServerHTTPTests] it is so\n"
            ])
    }

    /// What strangers would like a log to say.
    static let hostile = [
        "a\n2026-11-23T07:35:00.250Z error test: [X] forged", "a\r\nb", "a\u{85}b", "a\u{2028}b\u{2029}c",
        "\u{1b}[2J\u{9b}31m",
        "\u{202e}txt.exe\u{2066}", "\",\"level\":\"error\"}\n{\"x\":\"", "\\", "\\\"", "\0", "\u{7f}", "🙂 ü 日本",
        "a=b status=200 [X] y",
        "\u{61c}\u{200f}",
    ]

    @Test(arguments: LogFormat.allCases, hostile)
    func `No text breaks a line or steers its reader`(format: LogFormat, text: String) throws {
        let log = WrittenLog(format)
        log.logger.info(
            "\(text)", metadata: ["value": .string(text), "\(text)": "key", "nested": ["\(text)": ["\(text)"]]])
        let line = try #require(log.lines.first)
        #expect(log.lines.count == 1)
        #expect(line.hasSuffix("\n"))
        for scalar in line.unicodeScalars.dropLast() {
            #expect(![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
            #expect(!scalar.properties.isBidiControl, "\(scalar.value)")
        }
        guard format == .json else { return }
        let members = try #require(try log.objects().first)
        #expect(members.keys.sorted() == ["label", "level", "message", "metadata", "source", "time"])
        #expect(members["message"] == .string(text), "It reads back as what was said.")
        guard case .object(let metadata) = members["metadata"] else {
            Issue.record("no metadata")
            return
        }
        #expect(metadata["value"] == .string(text) && metadata[text] == .string("key"))
    }

    @Test func `A value of text cannot look like another one`() {
        let log = WrittenLog(.text)
        log.logger.info("m", metadata: ["a": "x status=200 [Y] done", "b": #"say "hi""#])
        #expect(log.lines[0].contains(#" a="x status=200 [Y] done" b="say \"hi\"" [ServerHTTPTests] m"#))
    }

    /// To Swift a quotation mark with a mark upon it, or behind a sign that binds, is another character.
    @Test func `A value of text cannot look like another one whatever is put upon its quotation marks`() {
        let log = WrittenLog(.text)
        for text in ["x\"\u{301} status=200 [Y] done", "\u{D4E}\"\u{D4E}x", "\\\u{301}\"\u{301}", "a=\u{301}b"] {
            log.logger.info("m", metadata: ["a": .string(text)])
        }
        for line in log.lines {
            // Without what is escaped, two quotation marks are left: those around the value.
            let scalars = Array(line.unicodeScalars)
            let bare = scalars.indices.filter { index in
                guard scalars[index] == "\"" else { return false }
                return scalars[..<index].reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
            }
            #expect(bare.count == 2, "\(line)")
        }
    }

    @Test func `A long text is cut off`() throws {
        let log = WrittenLog()
        log.logger.info(
            "\(String(repeating: "ü", count: 100_000))",
            metadata: ["a": .string(String(repeating: "x", count: 100_000))])
        #expect(log.lines[0].utf8.count < 17_000)
        #expect(try log.objects().count == 1)
    }

    /// Metadata that counts how often it is put into words.
    private final class Counted: CustomStringConvertible, Sendable {
        let count = Mutex(0)
        var description: String {
            count.withLock { $0 += 1 }
            return "x"
        }
    }

    @Test func `Metadata is put into words for lines that are written and no others`() {
        let counted = Counted()
        var logger = WrittenLog(.json, .critical).logger
        logger[metadataKey: "request"] = .stringConvertible(counted)
        logger.info("below the level")
        #expect(counted.count.withLock { $0 } == 0)
        logger.critical("at the level")
        #expect(counted.count.withLock { $0 } == 1)
    }

    @Test func `A line has the metadata of its logger and its own`() throws {
        let log = WrittenLog(.json, .debug)
        var logger = log.logger
        logger[metadataKey: "request"] = "1"
        logger[metadataKey: "path"] = "/a"
        logger.info("one", metadata: ["path": "/b"])
        logger.trace("below the level")
        logger.debug("two")
        #expect(
            try log.objects().map { $0["metadata"] } == [
                .object(["request": "1", "path": "/b"]), .object(["request": "1", "path": "/a"]),
            ])
    }

    @Test func `Lines of many threads stay whole`() async throws {
        let log = WrittenLog()
        let logger = log.logger
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { logger.info("line \(number)") } }
        }
        #expect(Set(try log.objects().compactMap { $0["message"] }).count == 200)
    }
}
