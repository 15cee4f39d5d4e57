/// A sentence on as many lines as a terminal has room for, broken between words. What goes into a file or a pipe stays one line, which
/// programs read.
enum FoldedText {
    /// - Parameters:
    ///   - text: the sentence, with what stands before it.
    ///   - indent: blanks before each line but the first.
    ///   - columns: of the terminal; nil where there is none.
    static func lines(of text: String, indent: Int, columns: Int?) -> [String] {
        guard let columns, columns > indent else { return [text] }
        var lines: [String] = []
        // Blanks side by side stay: they separate columns.
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        var line = String(words.first ?? "")
        for word in words.dropFirst() {
            if line.count + 1 + word.count > columns, line.contains(where: { $0 != " " }) {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += " " + word
            }
        }
        return lines + [line]
    }
}
