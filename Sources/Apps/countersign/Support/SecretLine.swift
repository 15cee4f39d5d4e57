import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks for a line at the terminal of the process, `/dev/tty`, and does not show what is typed.
///
/// The C library's `getpass` turns off the keys that send signals: Ctrl-C does not end the program there but becomes a
/// letter of the password. Here such keys do what they do elsewhere, and the terminal is put back before, as it is on every
/// way out but SIGKILL.
final class SecretLine: Sendable {
    private struct State {
        let original: termios
        var isHiding = false
        /// A signal is about to end the program: nothing is to change the terminal any more.
        var isOver = false
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The longest line in bytes.
    private static let limit = 64 << 10

    private let descriptor: Int32
    private let question: String
    private let state: Mutex<State>
    /// One signal at a time: what ends the program must find the terminal as the one before has left it.
    private let signalling = DispatchQueue(label: "countersign.secret-line")

    /// - Returns: nil where the process has no terminal.
    init?(asking question: String) {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var original = termios()
        guard tcgetattr(descriptor, &original) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.question = question
        state = Mutex(State(original: original))
    }

    deinit { close(descriptor) }

    /// The line without its end; nil where none was typed (Ctrl-D).
    func read() -> String? {
        let watched = signals()
        hide()
        defer {
            show()
            for source in watched { source.cancel() }
            for number in Self.ending + [SIGTSTP] { signal(number, SIG_DFL) }
        }
        guard let bytes = line() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func line() -> [UInt8]? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < Self.limit {
            let count = readBytes(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : bytes }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return bytes
    }

    // MARK: The terminal's modes

    private func hide() {
        state.withLock { state in
            guard !state.isHiding, !state.isOver else { return }
            state.isHiding = true
            var modes = state.original
            modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
            // What was typed before the question is no answer to it.
            tcsetattr(descriptor, TCSAFLUSH, &modes)
            write(question)
        }
    }

    private func show(forGood isOver: Bool = false) {
        state.withLock { state in
            state.isOver = state.isOver || isOver
            guard state.isHiding else { return }
            state.isHiding = false
            // The end of the line was not shown either.
            write("\n")
            var modes = state.original
            tcsetattr(descriptor, TCSADRAIN, &modes)
        }
    }

    /// Puts the terminal back before a signal does what it does.
    private func signals() -> [any DispatchSourceSignal] {
        (Self.ending + [SIGTSTP]).map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: signalling)
            source.setEventHandler { [self] in
                let wasHiding = state.withLock { $0.isHiding }
                show(forGood: number != SIGTSTP)
                if number == SIGTSTP {
                    stop(isToAsk: wasHiding)
                } else {
                    signal(number, SIG_DFL)
                    kill(getpid(), number)
                }
            }
            source.activate()
            return source
        }
    }

    /// Stops, and asks again when the program is continued in the foreground.
    private func stop(isToAsk: Bool) {
        // To this very thread, which so goes on only when the process is continued.
        pthread_kill(pthread_self(), SIGSTOP)
        guard isToAsk else { return }
        if isInForeground { return hide() }
        signalling.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
            if isInForeground { hide() } else { stop(isToAsk: true) }
        }
    }

    /// Whether the terminal is this job's: the modes of another's are not to be changed.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}

/// The system's own, which methods' names hide.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
