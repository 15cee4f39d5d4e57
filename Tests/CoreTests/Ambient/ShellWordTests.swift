import Foundation
import Testing

@testable import CountersignCore

/// Words of commands that pages and the program show, as a shell reads them.
@Suite("Words of a shell")
struct ShellWordTests {
    /// To Swift a quotation mark with a mark upon it, or behind a sign that binds, is another character; to a shell it ends the word.
    @Test(arguments: [
        "plain", "", "it's", "two words", "$(id)", "=x", "line\nbreak", "a'b\nc", "\u{D4E}'\u{D4E};id #",
        "'\u{301};id #",
        "\u{600}'\u{600};id\n#", "'\u{301}\n;id #", "\\\u{301}'\n", "\u{202E}'\u{301}",
        "\u{3164}'",
    ])
    func `A word is one word to a shell whatever it is made of`(word: String) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", "printf '%s|' \(ShellWord.quoted(word))"]
        shell.environment = ["PATH": "/usr/bin:/bin"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(Array(bytes) == Array("\(word)|".utf8), "\(String(decoding: bytes, as: UTF8.self))")
    }

    @Test func `A word that means nothing else stays as it is, and what would not show is written by its number`() {
        for (word, quoted) in [
            ("/var/lib/countersign", "/var/lib/countersign"), ("a=b,c:d@e+f%20", "a=b,c:d@e+f%20"), ("", "''"),
            ("/a b", "'/a b'"), ("it's", #"'it'\''s'"#), ("/a\u{1B}[2J", #"$'/a\033[2J'"#),
            ("ad\u{3164}a", #"$'ad\343\205\244a'"#),
        ] {
            #expect(ShellWord.quoted(word) == quoted)
        }
    }
}
