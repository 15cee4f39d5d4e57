import Foundation

/// The two streams that people and programs read.
enum Terminal {
    /// Whether somebody looks at standard error as it is written.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
    /// Whether somebody looks at standard output.
    static var isOutputSeen: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether somebody can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether somebody can be asked at the terminal itself, whatever the streams are connected to.
    static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// A line on standard output, at once: whoever waits for it at the other end of a pipe reads it now.
    static func print(_ line: String) {
        write(line, to: .standardOutput)
    }

    /// A line on standard error.
    static func say(_ line: String) {
        write(line, to: .standardError)
    }

    /// Text on standard error as it is, for a line that is written over.
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    private static func write(_ line: String, to handle: FileHandle) {
        do {
            try handle.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            // Nobody reads any more (`countersign user list | head -1`): there is no one left to tell.
            ExitStatus.refused.exit()
        }
    }

    /// Asks somebody, without showing what is typed.
    static func askSecretly(_ question: String) -> String? {
        getpass(question).map { String(cString: $0) }
    }

    /// Asks for a yes. Anything else is a no.
    static func confirms(_ question: String) -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}

extension String {
    /// With control characters and marks that turn the direction of text spelt out: names come from strangers, and must
    /// not steer the terminal of whoever lists them.
    var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            let isSteering = [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            if isSteering || scalar.properties.isBidiControl {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
