import CountersignCore

extension StringName {
    /// Whether administrators may give an id: of what may be one, what would be mistaken for an address, or needs escapes in a path, is not
    /// taken.
    static func isPlain(_ text: String) -> Bool {
        admits(text) && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
    }
}
