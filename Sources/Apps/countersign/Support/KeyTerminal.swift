import Dispatch
import Foundation
import Synchronization

/// The terminal while single keys are read: what is typed is not shown and comes at once. It is put back as it was however
/// the program ends: on an error, on the signals that end a program, and while it is stopped.
final class KeyTerminal: Sendable {
    enum Key: Sendable, Equatable {
        case character(Character)
        /// An arrow, or another key that sends several bytes.
        case other
        /// The terminal was closed.
        case end
    }

    private struct State {
        let original: termios
        var isReading = false
        /// A signal is about to end the program: nothing is to change the terminal any more.
        var isOver = false
    }

    private let usesOwnScreen: Bool
    private let state: Mutex<State>
    private let reading = DispatchQueue(label: "countersign.keys")
    /// One signal at a time: what ends the program must find the terminal as the one before has left it.
    private let signalling = DispatchQueue(label: "countersign.signals")

    /// - Parameter usesOwnScreen: leaves what was on the terminal as it was, and shows it again in the end.
    init(usesOwnScreen: Bool) throws {
        var original = termios()
        guard tcgetattr(STDIN_FILENO, &original) == 0 else {
            throw CommandFailure(.usage, "Standard input is not a terminal. Try --json.")
        }
        self.usesOwnScreen = usesOwnScreen
        state = Mutex(State(original: original))
    }

    /// Reads keys for as long as the body runs.
    func whileReadingKeys<T>(_ body: () async throws -> T) async throws -> T {
        let watched = signals()
        begin()
        defer {
            end()
            for source in watched { source.cancel() }
            for number in Self.ending + [SIGTSTP] { signal(number, SIG_DFL) }
        }
        return try await body()
    }

    /// Restores the terminal during another prompt.
    func whileAsking<T>(_ body: () async throws -> T) async rethrows -> T {
        end()
        defer { begin() }
        return try await body()
    }

    /// A line, typed with the terminal's own editing; nil where it ends instead (Ctrl-D).
    func line(_ prompt: String) async -> String? {
        await whileAsking {
            write(prompt)
            return await withCheckedContinuation { continuation in
                reading.async {
                    var bytes: [UInt8] = []
                    var byte: UInt8 = 0
                    while bytes.count < 4096 {
                        let count = read(STDIN_FILENO, &byte, 1)
                        if count < 0 && errno == EINTR { continue }
                        if count < 0 && self.isOthersTurn(errno) {
                            Thread.sleep(forTimeInterval: 0.1)
                            continue
                        }
                        guard count == 1 else { return continuation.resume(returning: nil) }
                        if byte == UInt8(ascii: "\n") { break }
                        bytes.append(byte)
                    }
                    continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
                }
            }
        }
    }

    /// The next key; nil when none came.
    func key(within time: Duration) async -> Key? {
        let milliseconds = Int32(clamping: Int(time / .milliseconds(1)))
        return await withCheckedContinuation { continuation in
            reading.async {
                var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, max(0, milliseconds)) > 0 else { return continuation.resume(returning: nil) }
                var bytes = [UInt8](repeating: 0, count: 32)
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                guard count > 0 else {
                    let error = errno
                    let isNone = count < 0 && (error == EINTR || self.isOthersTurn(error))
                    return continuation.resume(returning: isNone ? nil : .end)
                }
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                let isOne = text.count == 1 && text != "\u{1B}"
                continuation.resume(returning: isOne ? text.first.map(Key.character) : .other)
            }
        }
    }

    /// Replaces what is on the screen, as long as that is ours.
    func draw(_ lines: [String]) {
        writeWhileReading("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Replaces the line that the cursor is on.
    func drawLine(_ line: String) {
        writeWhileReading("\r" + String(line.prefix(max(1, size.columns - 1))) + "\u{1B}[K")
    }

    private func writeWhileReading(_ text: String) {
        state.withLock { if $0.isReading { write(text) } }
    }

    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    // MARK: The terminal's modes

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private func begin() {
        state.withLock { state in
            guard !state.isReading, !state.isOver, isInForeground else { return }
            state.isReading = true
            var modes = state.original
            modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
            if usesOwnScreen { write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J") }
        }
    }

    private func end(forGood isOver: Bool = false) {
        state.withLock { state in
            state.isOver = state.isOver || isOver
            guard state.isReading else { return }
            state.isReading = false
            if usesOwnScreen { write("\u{1B}[?25h\u{1B}[?1049l") }
            var modes = state.original
            tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
        }
    }

    /// Puts the terminal back before a signal does what it does.
    private func signals() -> [any DispatchSourceSignal] {
        (Self.ending + [SIGTSTP]).map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: signalling)
            source.setEventHandler { [self] in
                let wasReading = state.withLock { $0.isReading }
                end(forGood: number != SIGTSTP)
                if number == SIGTSTP {
                    stop(isToRead: wasReading)
                } else {
                    signal(number, SIG_DFL)
                    kill(getpid(), number)
                }
            }
            source.activate()
            return source
        }
    }

    /// Stops, and takes the terminal back when the program is continued in the foreground.
    private func stop(isToRead: Bool) {
        // To this very thread, which so goes on only when the process is continued: sent to the process, the signal would
        // go to any thread, and this one would take the terminal back before it stops.
        pthread_kill(pthread_self(), SIGSTOP)
        if isToRead { takeBack() }
    }

    /// Begins again when the terminal is this job's. Until then the program waits in the background; to stop there once more, as programs of
    /// one thread do, could meet the shell that just brings it to the foreground, and stop it there.
    private func takeBack() {
        if isInForeground { return begin() }
        signalling.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in takeBack() }
    }

    /// Whether the terminal is this job's. The modes of another's are not to be changed, which the system does not prevent on
    /// threads that block signals: a shell that starts a job just then would take them for its own.
    private var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// Whether a reading failed because another job has the terminal: the thread blocks the signal that would stop it instead.
    private func isOthersTurn(_ error: Int32) -> Bool { error == EIO && !isInForeground }

    private func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
