/// What was found before a start, about one thing.
public struct CheckFinding: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case ok
        /// The server starts, and an operator should know.
        case warning
        /// The server does not start, or does not do what it is there for.
        case fault
    }

    /// What it is about.
    public enum Area: String, Codable, Sendable, CaseIterable {
        case configuration, data, masterKey, database, clock, tls, listen, descriptors, mail
    }

    public let area: Area
    public let state: State
    public let text: String
    /// What to do; nil where nothing is to be done.
    public let remedy: String?

    init(_ area: Area, _ state: State, _ text: String, remedy: String? = nil) {
        (self.area, self.state, self.text, self.remedy) = (area, state, text, remedy)
    }
}
