/// What characters do to the text that they stand in. What may be in a text is for those who take it; which characters these are is said here.
extension PlainText {
    /// Whether it is a control character, or ends a line or a paragraph (general categories Cc, Zl and Zp): a text without any has one line,
    /// for every reader.
    public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it overrides, embeds or isolates the direction of what follows (UAX 9, section 2). Marks, which are the same for one
    /// place in the text, are not among these: languages that are written from right to left need them.
    public static func turnsText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a text has control characters, breaks of lines and paragraphs, or what overrides, embeds or isolates its direction.
    public static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { isControl($0) || turnsText($0) }
    }

    /// Whether it shows in a text that people compare with another screen's, if only as a space: it is no control character, does not only
    /// act upon what stands beside it (general category Cf), and is neither unassigned nor for private use.
    public static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        guard !isControl(scalar) else { return false }
        return switch scalar.properties.generalCategory {
        case .format, .surrogate, .privateUse, .unassigned: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
