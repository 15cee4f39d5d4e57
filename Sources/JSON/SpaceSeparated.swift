extension String {
    /// The elements of a list that is written with spaces between them, as `scope` is (RFC 6749, section 3.3): those that are not empty, in
    /// the order of the text.
    ///
    /// By bytes: elements are ASCII, and to look for the borders of characters costs ten times as much.
    package var spaceSeparated: [String] {
        utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }
}
