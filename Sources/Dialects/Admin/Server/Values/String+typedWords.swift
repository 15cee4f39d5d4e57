extension StringProtocol {
    /// The words of an argument, or of a field, that takes several, with spaces or commas between them.
    package var typedWords: [String] { split { $0 == " " || $0 == "," }.map { String($0) } }
}
