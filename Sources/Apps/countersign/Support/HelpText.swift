import Foundation

/// Help as a terminal shows it. Its paragraphs are folded between words, and its examples, which are indented, are left whole: what is cut in
/// two cannot be pasted.
enum HelpText {
    /// Columns below which the parser has no room for what options mean.
    private static let least = 40
    /// More columns than any paragraph has.
    private static let unfolded = 100_000

    /// The columns for help: those that the user names, those of the terminal, or 80.
    static func columns(_ environment: [String: String], terminal: Int?) -> Int {
        max(least, environment["COLUMNS"].flatMap { Int($0) } ?? terminal ?? 80)
    }

    /// - Parameter render: the text as the parser folds it at a number of columns, examples too.
    static func folded(at columns: Int, _ render: (_ columns: Int) -> String) -> String {
        let usage = "\nUSAGE: "
        let text = render(columns)
        guard text.hasPrefix("OVERVIEW: "), let end = text.range(of: usage) else { return text }
        let whole = render(unfolded)
        guard let wholeEnd = whole.range(of: usage) else { return text }
        let lines = whole[..<wholeEnd.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
        let overview = lines.flatMap { line in
            line.hasPrefix("  ") ? [String(line)] : FoldedText.lines(of: String(line), indent: 0, columns: columns)
        }
        return overview.joined(separator: "\n") + text[end.lowerBound...]
    }
}
