import Foundation

/// A text that names something, as a type of its own, so that a user's id is not taken for a factor's.
///
/// In JSON and in columns it is the text. Ids take any text that a client sends: a zero byte in it becomes U+FFFD
/// (``PlainText/key(_:)``), so that it names nothing.
public protocol StringName: RawRepresentable<String>, Sendable, Hashable, Codable, CustomStringConvertible {
    init(rawValue: String)
}

extension StringName {
    public var description: String { rawValue }

    /// Whether an id that others chose can be one here: 1 to 128 characters, none of which controls (general categories Cc and Cf), and no segment
    /// that every browser and client takes out of a path (RFC 3986, section 5.2.4): no page and no endpoint could name what has it.
    public static func admits(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count) && text != "." && text != ".."
            && !text.unicodeScalars.contains(where: CharacterSet.controlCharacters.contains)
    }
}
