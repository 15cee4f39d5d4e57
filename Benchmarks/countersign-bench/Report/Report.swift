import Foundation

/// The figures as people read them, and as programs do.
struct Report {
    let cases: [BenchCase]
    let figures: Figures
    let machine: [(String, String)]
    let date: String
    let command: String
    let rounds: Int

    /// Markdown tables, one for each section.
    var markdown: String {
        var text =
            "Measured on \(date) with `\(command)`: \(rounds == 1 ? "one round" : "medians of \(rounds) interleaved rounds (least–greatest)").\n\n"
        text += Self.table(["", ""], machine.map { [$0.0, $0.1] })
        for section in BenchCase.Section.allCases {
            let shown = cases.filter { $0.section == section && figures.values[$0.name] != nil }
            guard !shown.isEmpty else { continue }
            let quantities = Quantity.allCases.filter { quantity in
                shown.contains { figures.spread(quantity, of: $0.name) != nil }
            }
            let hasRatios = shown.contains { !ratios(of: $0).isEmpty }
            text += "\n### \(section.rawValue)\n\n"
            text += Self.table(
                ["what", "name"] + quantities.map(\.title) + (hasRatios ? ["against its limits"] : []),
                shown.map { one in
                    [one.title, "`\(one.name)`"]
                        + quantities.map { figures.spread($0, of: one.name)?.text ?? "" }
                        + (hasRatios ? [ratios(of: one).joined(separator: "; ")] : [])
                })
        }
        return text
    }

    private func ratios(of one: BenchCase) -> [String] {
        one.limits.compactMap { limit in
            compared(one, to: limit).map {
                let quantity = limit.quantity == .perSecond ? "" : ", \(limit.quantity.title)"
                return limit.isInverse
                    ? "`\(limit.name)` \($0.text) of it\(quantity)" : "\($0.text) of `\(limit.name)`\(quantity)"
            }
        }
    }

    private func compared(_ one: BenchCase, to limit: BenchCase.Limit) -> Spread? {
        limit.isInverse
            ? figures.ratio(limit.quantity, of: limit.name, to: one.name)
            : figures.ratio(limit.quantity, of: one.name, to: limit.name)
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    var json: String {
        get throws {
            struct Document: Encodable {
                let date: String
                let command: String
                let machine: [String: String]
                let figures: [String: [Quantity: [Double]]]
                let ratios: [String: [String: Spread]]
            }
            var ratios: [String: [String: Spread]] = [:]
            for one in cases {
                for limit in one.limits {
                    if let ratio = compared(one, to: limit) {
                        let isSecond = limit.isInverse && limit.quantity != .perSecond
                        let name = isSecond ? "\(limit.name), \(limit.quantity.rawValue)" : limit.name
                        ratios[one.name, default: [:]][name] = ratio
                    }
                }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            let document = Document(
                date: date, command: command, machine: Dictionary(uniqueKeysWithValues: machine),
                figures: figures.values, ratios: ratios)
            return String(decoding: try encoder.encode(document), as: UTF8.self)
        }
    }

    // MARK: The file

    private static let begin = "<!-- figures: written by `make bench` -->"
    private static let end = "<!-- end of figures -->"

    /// Puts the figures between the marks of a file, where the words around them are a person's; makes the file where
    /// there is none.
    static func replacingFigures(in text: String?, by figures: String) -> String {
        let block = "\(begin)\n\n\(figures)\n\(end)"
        guard let text, let start = text.range(of: begin), let stop = text.range(of: end),
            start.lowerBound < stop.lowerBound
        else { return (text.map { $0 + "\n" } ?? "# Results\n\n") + block + "\n" }
        return text.replacingCharacters(in: start.lowerBound..<stop.upperBound, with: block)
    }
}
