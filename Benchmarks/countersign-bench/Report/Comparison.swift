import Foundation

/// This run beside an earlier one, of which there is the JSON (`--json`), so that a regression is seen.
struct Comparison {
    /// What an earlier run wrote of its figures.
    struct Earlier: Decodable {
        let date: String
        let command: String
        let figures: [String: [String: [Double]]]

        init(file: String) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        }

        init(date: String, command: String, figures: [String: [String: [Double]]]) {
            (self.date, self.command, self.figures) = (date, command, figures)
        }

        /// Quantities that this program does not know are left out.
        var known: Figures {
            Figures(
                figures.mapValues { quantities in
                    quantities.reduce(into: [:]) { known, entry in
                        Quantity(rawValue: entry.key).map { known[$0] = entry.value }
                    }
                })
        }
    }

    let cases: [BenchCase]
    let figures: Figures
    let earlier: Earlier

    /// A Markdown table: each figure that both runs have, with how much it is of the earlier one. What is worse by more than both
    /// runs spread is marked.
    var markdown: String {
        let before = earlier.known
        var rows: [[String]] = []
        for one in cases {
            for quantity in Quantity.allCases {
                guard let now = figures.spread(quantity, of: one.name),
                    let then = before.spread(quantity, of: one.name),
                    then.median > 0
                else { continue }
                rows.append([
                    "`\(one.name)`", quantity.title, then.text, now.text, Spread.text(now.median / then.median),
                    Self.isWorse(now, than: then, quantity) ? "worse" : "",
                ])
            }
        }
        let head = ["name", "what", earlier.date, "now", "now of then", ""]
        let table = ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
        return "Compared with \(earlier.date), `\(earlier.command)`:\n\n\(table)"
    }

    /// Worse in every round than in the best of the other, and by a twentieth at least: one round alone says little.
    static func isWorse(_ now: Spread, than then: Spread, _ quantity: Quantity) -> Bool {
        quantity.isBetterHigh
            ? now.greatest < then.least && now.median < then.median * 0.95
            : now.least > then.greatest && now.median > then.median * 1.05
    }
}

extension Quantity {
    /// Of all others less is better.
    var isBetterHigh: Bool { self == .perSecond }
}
