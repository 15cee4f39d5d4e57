import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output cannot be written.
struct OutputFailure: Error, Sendable {
    /// As the system has it.
    let code: Int32

    /// Whether what was written has gone to a program that wants no more: no failure to report.
    var isReaderGone: Bool { code == EPIPE }

    /// Ends the program.
    func end() -> Never {
        if !isReaderGone {
            Terminal.say("countersign: Standard output cannot be written: \(String(cString: strerror(code))).")
        }
        ExitStatus.refused.exit()
    }
}

/// The system's own, which a method's name hides.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// The two streams that people and programs read.
enum Terminal {
    /// Whether standard error is a terminal.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
    /// Whether standard output is a terminal.
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Columns of the terminal that standard output is; nil where it is none.
    static var columns: Int? {
        var size = winsize()
        guard isOutputTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether standard output understands colours, and its reader wants them (no-color.org: any `NO_COLOR` that is not empty).
    static var showsColours: Bool {
        showsColours(isTerminal: isOutputTerminal, ProcessInfo.processInfo.environment)
    }

    static func showsColours(isTerminal: Bool, _ environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
    }

    /// Whether a prompt is possible.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether a prompt at the terminal itself is possible, whatever the streams are connected to.
    static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// A line on standard output, unbuffered, so that the reader of a pipe gets it at once.
    ///
    /// Where it cannot be written the program ends: quietly where the reader has closed the pipe (`countersign user
    /// list | head -1`), else with the reason.
    static func print(_ line: String) {
        do {
            try emit(line)
        } catch {
            error.end()
        }
    }

    /// The same for a program with something to clean up first.
    static func emit(_ line: String) throws(OutputFailure) {
        if let code = write(line + "\n", to: STDOUT_FILENO) { throw OutputFailure(code: code) }
    }

    /// A line on standard error. A closed standard error does not stop the work.
    static func say(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Text on standard error as it is, for a line that is written over.
    static func write(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// Writes all of it; answers why that does not work.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN:
                // Another program has made the terminal that both write to non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 1000)
            default: return errno
            }
        }
        return nil
    }

    /// Prompts at the terminal of the process without showing what is typed; nil where there is none, or nothing was typed
    /// (Ctrl-D).
    static func askSecretly(_ question: String) -> String? {
        SecretLine()?.read(asking: question)
    }

    /// Asks for a yes. Anything else is a no.
    static func confirms(_ question: String) -> Bool {
        write("\(question) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}

extension String {
    /// With control characters and marks that turn the direction of text spelt out: names come from strangers, and must
    /// not control the terminal.
    var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            if PlainText.isControl(scalar) || scalar.properties.isBidiControl {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
