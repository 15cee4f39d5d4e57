import Foundation
import Testing

@testable import ConsoleServer

/// The commands of the console's pages, as a shell reads them.
@Suite("Commands of the console")
struct ShellCommandTests {
    /// To Swift a quotation mark with a mark upon it, or behind a sign that binds, is another character; to a shell it ends the word.
    @Test(arguments: [
        "plain", "", "it's", "two words", "$(id)", "=x", "line\nbreak", "a'b\nc", "\u{D4E}'\u{D4E};id #",
        "'\u{301};id #",
        "\u{600}'\u{600};id\n#", "'\u{301}\n;id #", "\\\u{301}'\n", "\u{202E}'\u{301}",
    ])
    func `A word is one word to a shell whatever it is made of`(word: String) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = ["-c", "printf '%s|' \(ShellCommand.quoted(word))"]
        shell.environment = ["PATH": "/usr/bin:/bin"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(Array(bytes) == Array("\(word)|".utf8), "\(String(decoding: bytes, as: UTF8.self))")
    }
}
