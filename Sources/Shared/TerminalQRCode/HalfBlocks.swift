import QRCode

/// Modules drawn as half blocks: two rows of modules are one line of characters.
struct HalfBlocks {
    private let matrix: QRMatrix

    init(_ matrix: QRMatrix) {
        self.matrix = matrix
    }

    func text(in style: TerminalQRCode.Style) -> String {
        var text = ""
        for row in stride(from: 0, to: matrix.width, by: 2) {
            if style == .colored { text += "\u{1B}[30;107m" }
            for column in 0..<matrix.width {
                let upper = matrix[row, column]
                // A code has an odd number of rows: below the last one lies more border.
                let lower = matrix[row + 1, column]
                switch style {
                case .colored: text.append(Self.character(upper: upper, lower: lower))
                case .plain: text.append(Self.character(upper: !upper, lower: !lower))
                }
            }
            if style == .colored { text += "\u{1B}[0m" }
            text += "\n"
        }
        return text
    }

    private static func character(upper: Bool, lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
