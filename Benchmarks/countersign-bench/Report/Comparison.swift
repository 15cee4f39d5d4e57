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

    /// A Markdown table: each figure that both runs have, with how much it is of the earlier one, and what can be said of it.
    var markdown: String {
        let before = earlier.known
        var rows: [[String]] = []
        for one in cases {
            for quantity in Quantity.allCases {
                guard let values = figures.values[one.name]?[quantity], let now = Spread(values),
                    let earlier = before.values[one.name]?[quantity], let then = Spread(earlier),
                    then.median > 0
                else { continue }
                rows.append([
                    "`\(one.name)`", quantity.title, then.text, now.text, Spread.text(now.median / then.median),
                    Self.verdict(values, after: earlier, quantity).rawValue,
                ])
            }
        }
        let head = ["name", "what", earlier.date, "now", "now of then", ""]
        let table = ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
        return "Compared with \(earlier.date), `\(earlier.command)`:\n\n\(table)"
    }

    /// What the rounds of two runs say of a quantity.
    enum Verdict: String {
        case worse
        /// Nothing is said: one round differs from another of the same program by more than most changes do.
        case tooFewRounds = "too few rounds"
        case notWorse = ""
    }

    /// Rounds of each run that a verdict on what is measured takes.
    private static let leastRounds = 3

    /// What is measured is worse where every round is worse than the worst of the earlier run, and the median by a twentieth at least.
    ///
    /// Allocations are counted, and hardly differ from round to round: they are more where the medians differ by a fiftieth, or where there are
    /// rounds enough and each has more.
    static func verdict(_ now: [Double], after then: [Double], _ quantity: Quantity) -> Verdict {
        guard let new = Spread(now), let old = Spread(then) else { return .notWorse }
        let areEnough = min(now.count, then.count) >= leastRounds
        let isApart = quantity.isBetterHigh ? new.greatest < old.least : new.least > old.greatest
        let factor = quantity.isBetterHigh ? old.median / new.median : new.median / old.median
        if quantity == .allocationsEach {
            return factor > 1.02 || areEnough && isApart ? .worse : .notWorse
        }
        guard areEnough else { return .tooFewRounds }
        return isApart && factor > 1.05 ? .worse : .notWorse
    }
}

extension Quantity {
    /// Of all others less is better.
    var isBetterHigh: Bool { self == .perSecond }
}
