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

    /// Whether nothing of it is seen, so that two texts which differ in it look alike (UTS 39, section 4; docs/decisions/0240): control characters, what
    /// Unicode has ignored where it is not supported, and the marks of interlinear annotations. The one list of them: who takes, shows or
    /// mails a text begins with it, and says what else it refuses and which of these it needs.
    package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0xFFF9...0xFFFB: true
        default: isControl(scalar) || scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether it selects a variant of the character before it: emoji have such selectors, and Mongolian. The supplement for variants of
    /// ideographs (U+E0100 to U+E01EF) is not among these.
    package static func selectsVariant(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x180B...0x180D, 0x180F, 0xFE00...0xFE0F: true
        default: false
        }
    }

    /// Whether it shows in a text that people compare with another screen's, if only as a space: it is no control character, does not only
    /// act upon what stands beside it (general category Cf), and is neither unassigned nor for private use.
    public static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        guard !isInvisible(scalar) else { return false }
        return switch scalar.properties.generalCategory {
        case .format, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
