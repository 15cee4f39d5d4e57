/// Rows in aligned columns.
struct Table {
    private var rows: [[String]]

    init(_ columns: String...) {
        rows = [columns]
    }

    /// A list of names and values, without a heading.
    init() {
        rows = []
    }

    /// Adds a row. Nil is shown as a dash.
    mutating func add(_ cells: String?...) {
        rows.append(cells.map { cell in cell.map(\.printable).flatMap { $0.isEmpty ? nil : $0 } ?? "-" })
    }

    /// Each row a line, two spaces between columns and none at the end.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column < row.count - 1 else { break }
                line += String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return line
        }
    }
}

extension Bool {
    var yesOrNo: String { self ? "yes" : "no" }
}
