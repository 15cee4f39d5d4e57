import AdminServer
import ArgumentParser
import CountersignCore
import Foundation

/// In which form a command prints.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON for programs.")
    var json = false

    /// Prints the answer: as JSON, or as the lines that `human` makes of it. What it warns of goes to standard error.
    func show(_ answer: some Encodable, human: () -> [String]) throws {
        for warning in (answer as? any WarningAnswer)?.warnings ?? [] { Terminal.say("warning: \(warning.printable)") }
        if json {
            Terminal.print(try Self.text(of: answer, pretty: true))
        } else {
            for line in human() { Terminal.print(line) }
        }
    }

    /// The value as JSON. What could steer a terminal, or turn the direction of text, is in it by its number: names come from strangers, and
    /// to programs it is the same.
    /// - Parameter pretty: over several lines; else one line, for what is printed as it happens.
    static func text(of value: some Encodable, pretty: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return spelled(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The encoder itself writes the control characters of the first 32 by their numbers, and nothing but texts has others than ASCII.
    private static func spelled(_ json: String) -> String {
        guard json.utf8.contains(where: { $0 >= 0x7F }) else { return json }
        var result = ""
        for scalar in json.unicodeScalars {
            if scalar.value >= 0x7F, PlainText.isControl(scalar) || scalar.properties.isBidiControl {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension JSONValue {
    /// For people: text as it is, everything else as JSON.
    var text: String {
        switch self {
        case .null: "none"
        case .string(let text): text
        default: (try? OutputOptions.text(of: self, pretty: false)) ?? "?"
        }
    }
}
