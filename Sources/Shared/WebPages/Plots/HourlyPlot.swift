/// A small plot of numbers, one bar for each: an SVG element that stands in a page.
///
/// It takes its colours from the style sheet, so that it follows light and dark and needs nothing that the policy of pages refuses: no
/// style of its own, no script, no picture from elsewhere. Who does not see it is read title and summary.
public struct HourlyPlot: Sendable {
    /// Negative numbers count as zero.
    public let counts: [Int]
    public let title: String
    /// Says in a sentence what the plot shows, such as the sum and the highest hour.
    public let summary: String

    public init(counts: [Int], title: String, summary: String) {
        self.counts = counts
        self.title = title
        self.summary = summary
    }

    /// Bars that are drawn at most, the last ones.
    static let mostBars = 168
    private static let height = 48
    /// Above the highest bar, and the width of one with its gap.
    private static let (top, pitch) = (4, 10)

    /// The element. Texts are escaped.
    public var svg: String {
        let shown = counts.suffix(Self.mostBars).map { max(0, $0) }
        let width = max(1, shown.count) * Self.pitch
        let highest = max(1, shown.max() ?? 0)
        var text =
            "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 \(width) \(Self.height + 1)\" preserveAspectRatio=\"none\">"
        text += "<title>\(Self.escaped(title))</title><desc>\(Self.escaped(summary))</desc>"
        for (index, count) in shown.enumerated() where count > 0 {
            // What is there at all is seen.
            let whole = Double(Self.height - Self.top) * Double(count) / Double(highest)
            let bar = max(1, Int(whole.rounded()))
            let x = index * Self.pitch + 1
            text +=
                "<rect class=\"plot-bar\" x=\"\(x)\" y=\"\(Self.height - bar)\" width=\"\(Self.pitch - 2)\" height=\"\(bar)\"/>"
        }
        text +=
            "<line class=\"plot-axis\" x1=\"0\" y1=\"\(Self.height)\" x2=\"\(width)\" y2=\"\(Self.height)\"/></svg>"
        return text
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in PageText.harmless(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
