import CountersignCore
import Foundation
import JSON
import Logging

/// One entry of the log, and what is written of it in each ``LogFormat``.
///
/// What clients send gets into messages and metadata: paths, the words of a mail server, names. So a text cannot end its line,
/// steer a terminal, turn the direction of writing, look like another member, or be as long as its sender likes.
struct LogLine {
    let time: Date
    let level: Logger.Level
    let label: String
    /// The module that the line comes from.
    let source: String
    let message: String
    let metadata: Logger.Metadata

    /// Bytes of one message or value; more are cut off.
    static let longestText = 8192

    /// Hummingbird's key of a request's id, in the spelling of the others.
    static func name(_ key: String) -> String { key == CountersignRequestContext.idKey ? "requestId" : key }

    /// RFC 3339 in UTC with milliseconds, by arithmetic: a formatter would take longer than all the rest of a line.
    private var instant: String {
        let milliseconds = max(0, time.milliseconds)
        let moment = CalendarTime(secondsSinceEpoch: Int(milliseconds / 1000))
        let date = moment.date
        let day = "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))"
        return "\(day)T\(moment.clock).\(Int(milliseconds % 1000).padded(to: 3))Z"
    }

    private var members: [(name: String, value: Logger.Metadata.Value)] {
        metadata.map { (Self.name($0.key), $0.value) }.sorted { $0.0 < $1.0 }
    }

    // MARK: JSON

    /// `{"time":"2026-11-23T07:35:00.250Z","level":"info","label":"countersign","source":"ServerHTTP","message":"request",…}`, with
    /// `metadata` as an object where there is any. Ends with a line feed, which nothing before it is.
    var json: [UInt8] {
        var json = JSONWriter(capacity: 384)
        json.beginObject()
        json.name("time")
        json.write(instant)
        json.name("level")
        json.write(level.rawValue)
        json.name("label")
        json.write(label)
        json.name("source")
        json.write(source)
        json.name("message")
        json.write(Self.bounded(message))
        if !metadata.isEmpty {
            json.name("metadata")
            Self.write(members, to: &json)
        }
        json.endObject()
        return Self.escapingSteering(json.bytes) + [UInt8(ascii: "\n")]
    }

    private static func write(_ members: [(name: String, value: Logger.Metadata.Value)], to json: inout JSONWriter) {
        json.beginObject()
        for (name, value) in members {
            json.name(bounded(name))
            write(value, to: &json)
        }
        json.endObject()
    }

    private static func write(_ value: Logger.Metadata.Value, to json: inout JSONWriter) {
        switch value {
        case .string(let text): json.write(bounded(text))
        case .stringConvertible(let value as Int): json.write(Int64(value))
        case .stringConvertible(let value as Double) where value.isFinite: try? json.write(value)
        case .stringConvertible(let value as Bool): json.write(value)
        case .stringConvertible(let value): json.write(bounded(value.description))
        case .dictionary(let members): write(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: &json)
        case .array(let elements):
            json.beginArray()
            for element in elements { write(element, to: &json) }
            json.endArray()
        }
    }

    /// JSON text as it means, with `\u…` for what steers. JSON asks for that below U+0020 alone; readers of lines also end one at
    /// U+0085 or U+2028. Such bytes are in strings alone, as JSON's own are ASCII.
    private static func escapingSteering(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 >= 0x7F }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.steersReaders {
                // All of them are in the first plane.
                let digits = String(scalar.value, radix: 16)
                result += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
            } else {
                result += Array(String(scalar).utf8)
            }
        }
        return result
    }

    // MARK: Text

    /// `2026-11-23T07:35:00.250Z info countersign: channel=email reason="no route" [CountersignServer] a message could not be …`
    var text: [UInt8] {
        var line = "\(instant) \(level) \(label):"
        for (name, value) in members { line += " \(Self.printable(name))=\(Self.value(value))" }
        line += " [\(source)] \(Self.printable(message))\n"
        return Array(line.utf8)
    }

    private static func value(_ value: Logger.Metadata.Value) -> String {
        let text = printable(value.description)
        // What could be taken for the end of the value, or for another one: by scalars, as one with a mark upon it is another character.
        guard text.isEmpty || text.unicodeScalars.contains(where: { " \"=[]".unicodeScalars.contains($0) }) else {
            return text
        }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func printable(_ text: String) -> String {
        let text = bounded(text)
        guard text.unicodeScalars.contains(where: \.steersReaders) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.steersReaders: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return String(decoding: text.utf8.prefix(longestText), as: UTF8.self) + "…"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar does something to the reader in place of being read: controls, ends of lines, marks that turn the
    /// direction of what follows.
    fileprivate var steersReaders: Bool {
        if value < 0x7F { return value < 0x20 }
        return PlainText.isControl(self) || properties.isBidiControl
    }
}
