import Foundation

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
struct SecretLine: ~Copyable {
    private enum Ending {
        case typed([UInt8])
        /// The terminal ended instead of the line (Ctrl-D).
        case nothing
        case signal(Int32)
    }

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
    /// The longest line in bytes.
    private static let limit = 64 << 10

    private let terminal: Int32
    /// Gives the numbers of signals that arrived, one byte each.
    private let arrivals: Int32
    private let wake: Int32
    private let original: termios

    /// - Returns: nil where the process has no terminal.
    init?() {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        var original = termios()
        var ends: [Int32] = [-1, -1]
        guard tcgetattr(terminal, &original) == 0, pipe(&ends) == 0 else {
            close(terminal)
            return nil
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.terminal = terminal
        self.original = original
        (arrivals, wake) = (ends[0], ends[1])
    }

    deinit {
        close(terminal)
        close(arrivals)
        close(wake)
    }

    /// The line without its end; nil where none was typed.
    func read(asking question: String) -> String? {
        while true {
            switch line(asking: question) {
            case .typed(let bytes): return String(decoding: bytes, as: UTF8.self)
            case .nothing: return nil
            case .signal(let number):
                // To this very thread, which so does what the signal does before it goes on: it goes on where the process was
                // stopped and continued, and asks again. Threads of the library that runs tasks hold signals back.
                var (only, before) = (sigset_t(), sigset_t())
                sigemptyset(&only)
                sigaddset(&only, number)
                pthread_sigmask(SIG_UNBLOCK, &only, &before)
                raise(number)
                pthread_sigmask(SIG_SETMASK, &before, nil)
            }
        }
    }

    private func line(asking question: String) -> Ending {
        wakeDescriptor = wake
        let before = Self.signals.map { signal($0, noteSignal) }
        var hidden = original
        hidden.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        // What was typed before the question is no answer to it.
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        write(question)
        let ending = type()
        // The end of the line was not shown either.
        write("\n")
        var shown = original
        tcsetattr(terminal, TCSADRAIN, &shown)
        for (number, handler) in zip(Self.signals, before) { signal(number, handler) }
        return ending
    }

    private func type() -> Ending {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < Self.limit {
            var ready = [
                pollfd(fd: arrivals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&ready, 2, -1) < 0 && errno != EINTR { return .nothing }
            if readBytes(arrivals, &byte, 1) == 1 { return .signal(Int32(byte)) }
            if ready[1].revents == 0 { continue }
            let count = readBytes(terminal, &byte, 1)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count == 1 else { return bytes.isEmpty ? .nothing : .typed(bytes) }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return .typed(bytes)
    }

    private func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { writeBytes(terminal, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}

/// Where the handler writes. Written by the one thread that asks, before the handler is set; a handler may run on any thread.
private nonisolated(unsafe) var wakeDescriptor: Int32 = -1

/// Calls only functions that POSIX lists as safe in a handler (2.4.3).
private func noteSignal(_ number: Int32) {
    let error = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = writeBytes(wakeDescriptor, &byte, 1)
    errno = error
}

/// The system's own, which methods' names hide.
private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
