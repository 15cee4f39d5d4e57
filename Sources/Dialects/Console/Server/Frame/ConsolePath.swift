import CountersignCore

/// Paths of the console.
enum ConsolePath {
    /// - Parameter parts: below `/console`, not encoded.
    static func to(_ parts: String...) -> String {
        "/console/" + parts.map(\.percentEncoded).joined(separator: "/")
    }
}
