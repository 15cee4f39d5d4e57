import KeychainTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks at the controlling terminal of the process, `/dev/tty`, whatever standard input is connected to. What is typed
/// is not shown and goes straight into locked memory.
///
/// An empty line, Ctrl-C and Ctrl-D cancel; Ctrl-Z stops the process and asks again when it goes on. The terminal is
/// put back as it was on every way out but SIGKILL. A new passcode is asked twice.
public struct TerminalPresence: PresenceProvider {
    public var asksPerson: Bool { true }

    private let timeout: Duration
    private let minimumLength: Int
    private let path: String

    /// - Parameters:
    ///   - timeout: how long a person has for one answer, everything that is typed again included.
    ///   - minimumLength: the fewest characters of a new passcode.
    public init(timeout: Duration = .seconds(120), minimumLength: Int = 6) {
        self.init(timeout: timeout, minimumLength: minimumLength, path: "/dev/tty")
    }

    init(timeout: Duration, minimumLength: Int, path: String) {
        (self.timeout, self.minimumLength, self.path) = (timeout, minimumLength, path)
    }

    /// Two vaults of one process do not ask over each other.
    private static let oneAtATime = Mutex<Void>(())

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let result: Result<LockedBytes, PresenceError> = Self.oneAtATime.withLock { _ in
            do throws(PresenceError) { return .success(try ask(request)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func ask(_ request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let text = PresenceText(request, minimumLength: minimumLength)
        let deadline = Deadline(after: timeout)
        var terminal = try QuietTerminal(path: path)
        var notice = text.complaint
        while true {
            let heading = text.lines + [notice].compactMap(\.self)
            let first = try read(text.prompt, under: heading, at: &terminal, until: deadline)
            guard let promptAgain = text.promptAgain else { return first }
            guard first.withBytes(text.isLongEnough) else {
                notice = text.tooShort
                continue
            }
            let second = try read(promptAgain, under: [], at: &terminal, until: deadline)
            if first.isSame(as: second) { return first }
            notice = PresenceText.mismatch
        }
    }

    /// One line, not empty.
    private func read(
        _ prompt: String, under heading: [String], at terminal: inout QuietTerminal, until deadline: Deadline
    ) throws(PresenceError) -> LockedBytes {
        try LockedScratch.with(PresenceLimits.credentialBytes) { memory throws(PresenceError) in
            var editor = PasscodeEditor(keys: terminal.keys, memory: memory)
            var heading = heading
            while true {
                try terminal.hush()
                let question = (heading + ["\(prompt) (empty cancels): "]).joined(separator: "\n")
                guard terminal.write(question, until: deadline) else { throw .timedOut }
                let ending = type(into: &editor, at: terminal, until: deadline)
                if ending != .signal(SIGCONT) { _ = terminal.write("\n", until: Deadline(after: .milliseconds(200))) }
                terminal.restore()
                switch ending {
                case .entered where editor.isTooLong:
                    heading = [PresenceText.tooLong]
                case .entered:
                    guard editor.count > 0 else { throw .cancelled }
                    return LockedBytes(memory, count: editor.count)
                case .cancelled: throw .cancelled
                case .timedOut: throw .timedOut
                case .gone: throw .unavailable("the terminal went away")
                case .suspended, .signal(SIGTSTP):
                    QuietTerminal.stopProcess()
                case .signal(SIGCONT):
                    // The process was stopped and continued; another program may have changed the terminal meanwhile.
                    break
                case .signal(let number):
                    // The handlers are the process's own again: let it die of the signal, or do what it does at one.
                    kill(getpid(), number)
                    throw .cancelled
                }
                editor.clear()
            }
        }
    }

    private enum Ending: Equatable { case entered, cancelled, suspended, timedOut, gone, signal(Int32) }

    private func type(
        into editor: inout PasscodeEditor, at terminal: borrowing QuietTerminal, until deadline: Deadline
    ) -> Ending {
        while true {
            var ready = [
                pollfd(fd: terminal.signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if editor.awaitsRestOfEscape {
                // The bytes of an arrow key come together. The key "Escape" comes alone.
                if !Deadline(after: .milliseconds(50)).wait(&ready) {
                    editor.endEscape()
                    continue
                }
            } else if !deadline.wait(&ready) {
                return .timedOut
            }
            var signal: UInt8 = 0
            if systemRead(terminal.signals, &signal) == 1 { return .signal(Int32(signal)) }

            // One at a time: what comes after the end of the line is not ours to read.
            let (event, count) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { byte in
                byte[0] = 0
                let count = systemRead(terminal.descriptor, byte.start)
                let event = count == 1 ? editor.take(byte[0]) : .nothing
                byte[0] = 0
                return (event, count)
            }
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return .gone }
            switch event {
            case .nothing: continue
            case .tooLong: _ = terminal.write("\u{07}", until: deadline)
            case .entered: return .entered
            case .cancelled: return .cancelled
            case .suspended: return .suspended
            }
        }
    }
}

/// `read(2)` of one byte.
private func systemRead(_ descriptor: Int32, _ byte: UnsafeMutablePointer<UInt8>) -> Int {
    read(descriptor, byte, 1)
}

extension PresenceProvider where Self == TerminalPresence {
    /// Asks at `/dev/tty` without showing what is typed. See ``TerminalPresence``.
    public static var terminal: Self { TerminalPresence() }

    /// The same, with limits of one's own.
    public static func terminal(timeout: Duration, minimumLength: Int = 6) -> Self {
        TerminalPresence(timeout: timeout, minimumLength: minimumLength)
    }
}
