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

    /// - Parameter pretty: over several lines; else one line, for what is printed as it happens.
    static func text(of value: some Encodable, pretty: Bool) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
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
