/// How lines of the log are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: the time, the level, metadata as `name=value`, and the message last.
    case text
    /// For collectors: one JSON object a line (RFC 8259).
    case json
}
