import ArgumentParser
import Foundation
import Synchronization
import Testing

@testable import countersign

/// Help that can be followed to the letter.
@Suite struct HelpTests {
    /// Every command there is.
    private static func commands(
        below command: any ParsableCommand.Type = Countersign.self
    ) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap { commands(below: $0) }
    }

    private static let made = Mutex<[String: String]>([:])

    /// The help for a command, as several tests read it: making it takes a while.
    private static func help(
        for command: any ParsableCommand.Type, includeHidden: Bool = false, columns: Int
    ) -> String {
        let key = "\(ObjectIdentifier(command)) \(includeHidden) \(columns)"
        if let known = made.withLock({ $0[key] }) { return known }
        let help = Countersign.helpMessage(for: command, includeHidden: includeHidden, columns: columns)
        made.withLock { $0[key] = help }
        return help
    }

    /// The words of each call of the program in a text, as a shell reads them.
    ///
    /// Whole lines that begin with it, with what a backslash at their end joins, or what stands behind a pipe.
    private static func calls(in text: String, indented: Bool) -> [[String]] {
        let joined = text.replacing("\\\n", with: " ")
        return joined.split(separator: "\n").flatMap { line -> [[String]] in
            let bare = line.trimmingCharacters(in: .whitespaces)
            guard !indented || line.hasPrefix("  ") else { return [] }
            let words = shellWords(bare)
            let isCall = words.first == "countersign" || words.contains("|")
            guard isCall else { return [] }
            return words.split(separator: "|").compactMap { part in
                guard part.first == "countersign" else { return nil }
                let end = part.firstIndex { [">", "<", "3<", "&", "&&", "||", "#"].contains($0) } ?? part.endIndex
                return Array(part[..<end].dropFirst())
            }
        }
    }

    /// Quotes are taken away, and what a shell takes for itself is a word of its own.
    private static func shellWords(_ line: String) -> [String] {
        var (words, word, quote): ([String], String?, Character?) = ([], nil, nil)
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        return words
    }

    /// What has no name is named after its type, by a search among all conformances of the program, at each start of each command.
    @Test
    func `Every command says its name`() {
        for command in Self.commands() {
            #expect(command.configuration.commandName != nil, "\(command)")
        }
    }

    @Test func `Every example in help is one that the program takes`() throws {
        var count = 0
        for command in Self.commands() {
            // As wide as terminals are at least: what is wrapped there cannot be pasted.
            let help = Self.help(for: command, columns: 80)
            for words in Self.calls(in: help, indented: true) {
                count += 1
                #expect(throws: Never.self, "\(words)") {
                    try CommandWords.check(words)
                    _ = try Countersign.parseAsRoot(words)
                }
            }
            for line in help.split(separator: "\n") where line.contains("countersign ") && line.hasPrefix("  ") {
                #expect(line.count <= 80, "\(line)")
            }
            // The rest of an example that is longer stands at the margin.
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst())
            where line.hasPrefix("  ") && line.contains("countersign ") {
                #expect(!next.hasPrefix("-"), "\(line)\n\(next)")
            }
        }
        #expect(count >= 40, "Only \(count) examples were found.")
    }

    @Test func `An example is one line on a narrow terminal too`() {
        #expect(HelpText.columns([:], terminal: 57) == 57 && HelpText.columns([:], terminal: nil) == 80)
        #expect(HelpText.columns(["COLUMNS": "100"], terminal: 57) == 100)
        #expect(HelpText.columns(["COLUMNS": "x"], terminal: 9) == 40)
        for command in Self.commands() {
            func help(_ columns: Int) -> String { Self.help(for: command, columns: columns) }
            func overview(_ text: String) -> [Substring] {
                Array(text.split(separator: "\n").prefix { !$0.hasPrefix("USAGE: ") })
            }
            let shown = HelpText.folded(at: 40, help)
            let lines = overview(shown)
            for line in overview(help(10_000)) where line.hasPrefix("  ") {
                #expect(lines.contains(line), "\(line)")
            }
            for line in lines where !line.hasPrefix("  ") {
                #expect(line.count <= 40 || !line.contains(" "), "\(line)")
            }
            // What follows is the parser's.
            let rest = help(40).components(separatedBy: "\nUSAGE: ").dropFirst()
            #expect(shown.hasSuffix("\nUSAGE: " + rest.joined(separator: "\nUSAGE: ")))
        }
    }

    @Test func `No line of a paragraph of help ends before it is full`() {
        for command in Self.commands() {
            let lines = Self.help(for: command, columns: 80)
                .split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where line.first?.isWhitespace == false {
                // A sentence may begin on a line of its own.
                guard let word = next.split(separator: " ").first, next.first?.isLowercase == true else { continue }
                #expect(line.count + 1 + word.count >= 80, "\(line)")
            }
        }
    }

    /// README.md and the pages of docs, by their file names, each with its text.
    private static func pages() throws -> [(name: String, text: String)] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let docs = try ["docs", "docs/migrating"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        }.filter { $0.pathExtension == "md" }
        return try ([root.appendingPathComponent("README.md")] + docs).map { page in
            (page.lastPathComponent, try String(contentsOf: page, encoding: .utf8))
        }
    }

    @Test func `Every example in the documentation is one that the program takes`() throws {
        var count = 0
        var taken: Set<[String]> = []
        for page in try Self.pages() {
            let blocks = page.text.split(separator: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }
            for (_, block) in blocks where ["sh\n", "console\n"].contains(where: block.hasPrefix) {
                for words in Self.calls(in: String(block), indented: false) {
                    count += 1
                    guard taken.insert(words).inserted else { continue }
                    #expect(throws: Never.self, "\(page.name): \(words)") {
                        try CommandWords.check(words)
                        _ = try Countersign.parseAsRoot(words)
                    }
                }
            }
        }
        #expect(count >= 15, "Only \(count) examples were found.")
    }

    /// What stands between backquotes in a sentence: `countersign hook set ID --enable`. Its arguments may be left out.
    @Test func `Every command that a sentence of the documentation names is there, with its options`() throws {
        var count = 0
        for page in try Self.pages() {
            let blocks = page.text.split(separator: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
            for named in blocks.flatMap({ $0.element.matches(of: /`countersign ([a-z][^`]*)`/) }) {
                count += 1
                var command: any ParsableCommand.Type = Countersign.self
                var rest = Self.shellWords(String(named.1))[...]
                while let word = rest.first,
                    let below = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
                {
                    command = below
                    rest = rest.dropFirst()
                }
                let isWhole = command.configuration.subcommands.isEmpty || rest.first?.first?.isLetter != true
                #expect(isWhole || rest.first == "help", "\(page.name): \(named.0)")
                let help = Self.help(for: command, includeHidden: true, columns: 200)
                for option in rest where option.hasPrefix("--") {
                    let name = String(option.prefix { $0 != "=" })
                    #expect(help.contains(name), "\(page.name): \(named.0) has no \(name)")
                }
            }
        }
        #expect(count >= 60, "Only \(count) were found.")
    }

    @Test(arguments: [
        (["help", "nonsense"], "There is no command `countersign nonsense`. There are serve, demo, user,"),
        (["help", "user", "lst"], "There is no command `countersign user lst`. Did you mean `countersign user list`?"),
        (["help", "user", "list", "more"], "`countersign user list` has no commands below it."),
        (["sevre"], "There is no command `countersign sevre`. Did you mean `countersign serve`?"),
        (
            ["user", "ad", "a@example.com"],
            "There is no command `countersign user ad`. Did you mean `countersign user add`?"
        ),
        (["user", "help", "add"], "Write help first: `countersign help user`, or `countersign user --help`."),
        (["user", "expotr"], "Did you mean `countersign user export`?"),
        (
            ["rotate-master"],
            "There is no command `countersign rotate-master`. Did you mean `countersign key rotate-master`?"
        ),
        (["authenticator", "enrol"], "Did you mean `countersign authenticator enroll`?"),
        (
            ["authenticator", "add"],
            "There is no command `countersign authenticator add`. These have it: user, group, admin token, app,"
        ),
    ])
    func `A word that is no command is usage with a hint`(arguments: [String], hint: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try CommandWords.check(arguments) }
        #expect(failure.status == .usage && failure.message.contains(hint), "\(failure)")
    }

    @Test func `The program says it on standard error`() async throws {
        let transcript = try await Program.run(["user", "ad", "a@example.com"], in: try TestDirectory())
        #expect(transcript.status == 2 && transcript.output.isEmpty, "\(transcript)")
        #expect(transcript.error.contains("Did you mean `countersign user add`?"), "\(transcript.error)")
    }

    @Test(arguments: [
        ["help"], ["help", "user"], ["help", "user", "add"], ["user", "--help"],
    ])
    func `Help that there is is given`(arguments: [String]) async throws {
        let transcript = try await Program.run(arguments, in: try TestDirectory())
        #expect(transcript.status == 0 && transcript.output.hasPrefix("OVERVIEW: ") && transcript.error.isEmpty)
    }
}
