/// An operation that a command does too: the console shows it beside the form that does the same.
public protocol CommandedOperation: AdministrationOperation {
    /// The words after `countersign`, one argument each, as no shell has read them: `["user", "disable", "anna@example.com"]`. Which realm
    /// is meant is not among them.
    var commandLine: [String] { get }
}

/// Puts the words of a command together.
struct CommandParts {
    private(set) var words: [String]

    init(_ command: String...) {
        words = command
    }

    /// An option with its value; nothing where there is none. A value that begins with a dash is joined to its option.
    func option(_ name: String, _ value: String?) -> CommandParts {
        guard let value else { return self }
        return adding(value.hasPrefix("-") ? ["--\(name)=\(value)"] : ["--\(name)", value])
    }

    func option(_ name: String, _ value: Int?) -> CommandParts { option(name, value.map(String.init)) }

    /// An option once for each value.
    func options(_ name: String, _ values: [String]) -> CommandParts { values.reduce(self) { $0.option(name, $1) } }

    func flag(_ name: String, if isSet: Bool?) -> CommandParts { isSet == true ? adding(["--\(name)"]) : self }

    /// What comes without a name, at the end: after `--` where one could be taken for an option.
    func arguments(_ values: String...) -> [String] { arguments(values) }

    func arguments(_ values: [String]) -> [String] {
        words + (values.contains { $0.hasPrefix("-") } ? ["--"] : []) + values
    }

    private func adding(_ more: [String]) -> CommandParts {
        var line = self
        line.words += more
        return line
    }
}
