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
                guard path == root._commandName else {
                    let group = path.dropFirst(root._commandName.count)
                    throw CommandFailure(
                        .usage, "Write help first: `\(root._commandName) help\(group)`, or `\(path) --help`.")
                }
                isHelp = true
                continue
            }
            guard let next = children.first(where: { names(word, $0) }) else {
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
        let names = shown(below: command).map { $0._commandName }
        if let nearest = NearestName.of(word, among: names) { return "Did you mean `\(path) \(nearest)`?" }
        let elsewhere = paths(below: root, root._commandName).filter { $0.hasSuffix(" \(word)") }
        if elsewhere.count > 3 {
            let groups = elsewhere.map { $0.dropFirst(root._commandName.count + 1).dropLast(word.count + 1) }
            return "These have it: \(groups.joined(separator: ", "))."
        }
        if !elsewhere.isEmpty {
            return "Did you mean \(elsewhere.map { "`\($0)`" }.joined(separator: " or "))?"
        }
        return names.isEmpty ? "`\(path)` has no commands below it." : "There are \(names.joined(separator: ", "))."
    }

    private static func paths(below command: any ParsableCommand.Type, _ path: String) -> [String] {
        shown(below: command).flatMap { child -> [String] in
            let own = "\(path) \(child._commandName)"
            return [own] + paths(below: child, own)
        }
    }

    private static func shown(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }

    /// Whether the word names the command. Not by a key path: the compiler crashes on one into a metatype.
    private static func names(_ word: String, _ command: any ParsableCommand.Type) -> Bool {
        command._commandName == word || command.configuration.aliases.contains(word)
    }
}
