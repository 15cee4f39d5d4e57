import ArgumentParser
import CountersignCore

/// Looks whether the words of a command line name a command, before the parser does: it takes an unknown word after `help`
/// for none, and suggests nothing.
enum CommandWords {
    /// - Throws: ``CommandFailure`` where a word stands in the place of a command and is none.
    static func check(_ arguments: [String], root: any ParsableCommand.Type = Countersign.self) throws {
        var (command, path) = (root, root._commandName)
        var isHelp = false
        for word in arguments {
            // Options, and what belongs to them, are for the parser.
            if word.hasPrefix("-") { return }
            let children = command.configuration.subcommands
            if children.isEmpty && !isHelp { return }
            if word == "help" {
                isHelp = true
                continue
            }
            guard let next = children.first(where: { $0.names.contains(word) }) else {
                throw CommandFailure(
                    .usage, "There is no command `\(path) \(word)`. \(advice(word, command, path, root))")
            }
            command = next
            path += " \(next._commandName)"
        }
    }

    private static func advice(
        _ word: String, _ command: any ParsableCommand.Type, _ path: String, _ root: any ParsableCommand.Type
    ) -> String {
        let names = command.configuration.subcommands.filter(\.configuration.shouldDisplay).map(\._commandName)
        if let nearest = NearestName.of(word, among: names) { return "Did you mean `\(path) \(nearest)`?" }
        let elsewhere = paths(below: root, root._commandName).filter {
            $0.split(separator: " ").last.map(String.init) == word
        }
        if !elsewhere.isEmpty {
            return "Did you mean \(elsewhere.map { "`\($0)`" }.joined(separator: " or "))?"
        }
        return names.isEmpty ? "`\(path)` has no commands below it." : "There are \(names.joined(separator: ", "))."
    }

    private static func paths(below command: any ParsableCommand.Type, _ path: String) -> [String] {
        command.configuration.subcommands.filter(\.configuration.shouldDisplay).flatMap { child in
            let own = "\(path) \(child._commandName)"
            return [own] + paths(below: child, own)
        }
    }
}

extension ParsableCommand {
    fileprivate static var names: [String] { [_commandName] + configuration.aliases }
}
