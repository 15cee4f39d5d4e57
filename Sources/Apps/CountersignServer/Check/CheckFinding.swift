/// What was found before a start, about one thing.
public struct CheckFinding: Codable, Sendable, Equatable {
    /// How much a finding matters to an operator.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// All is well.
        case ok
        /// The server starts, and an operator should know.
        case warning
        /// The server does not start, or does not do what it is there for.
        case fault
    }

    /// What it is about.
    public enum Area: String, Codable, Sendable, CaseIterable {
        /// The keys that the operator wrote, and their values.
        case configuration
        /// The data directory: whether it is there, writable, private and has space.
        case data
        /// The master key, and whether it opens what the database holds.
        case masterKey
        /// Whether the database can be reached, and whether its schema and its data are this server's.
        case database
        /// How far this machine's clock and the database's differ.
        case clock
        /// The certificate and its private key.
        case tls
        /// Whether the addresses are free to listen on.
        case listen
        /// How many files the system lets the server open, and the connections that this makes.
        case descriptors
        /// Whether the mail server can be reached, encrypts, and takes the login.
        case mail
    }

    /// What part of the server the finding is about.
    public let area: Area
    /// Whether the server starts with it.
    public let state: State
    /// What was found: one sentence in English.
    public let text: String
    /// What to do; nil where nothing is to be done.
    public let remedy: String?

    init(_ area: Area, _ state: State, _ text: String, remedy: String? = nil) {
        (self.area, self.state, self.text, self.remedy) = (area, state, text, remedy)
    }
}
