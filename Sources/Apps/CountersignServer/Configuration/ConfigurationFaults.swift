/// Everything that is wrong with a configuration, so that they can be corrected at once.
public struct ConfigurationFaults: Error, Sendable, CustomStringConvertible {
    /// One thing that is wrong: where, what, and what to write instead.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The key as the operator wrote it: `tls.key in server.yaml`, `COUNTERSIGN_LISTEN`, `--listen`.
        public let place: String
        /// What is wrong, for an operator: a clause in English.
        public let problem: String
        /// What to write instead, for an operator: a clause in English.
        public let remedy: String

        public var description: String { "\(place): \(problem); \(remedy)" }
    }

    /// At least one.
    public let faults: [Fault]

    public var description: String {
        let list = faults.map { "  \($0)" }.joined(separator: "\n")
        return "the configuration has \(faults.count == 1 ? "a fault" : "\(faults.count) faults"):\n\(list)"
    }
}
