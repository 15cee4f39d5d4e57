/// A text that names something, as a type of its own, so that a user's id is not taken for a factor's.
///
/// In JSON and in columns it is the text. Ids take any text that a client sends: a zero byte in it becomes U+FFFD
/// (``PlainText/key(_:)``), so that it names nothing.
public protocol StringName: RawRepresentable<String>, Sendable, Hashable, Codable, CustomStringConvertible {
    init(rawValue: String)
}

extension StringName {
    public var description: String { rawValue }
}
