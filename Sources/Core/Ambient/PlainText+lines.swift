extension PlainText {
    /// Whether a text that people write, and others are shown, is one line that is not blank: a name, a label or a note.
    ///
    /// Characters that join, part or turn others are part of many names; pages show them harmless.
    /// - Parameter longest: the Unicode scalars that it may have. What is shown as one character may have any number of marks.
    public static func isLine(_ text: String, longest: Int) -> Bool {
        text.unicodeScalars.count <= longest && !text.allSatisfy(\.isWhitespace)
            && !text.unicodeScalars.contains(where: isControl)
    }
}
