import KeychainTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A terminal that does not show what is typed, until ``restore()``, and also if a signal, a crash or `exit` ends the
/// process first. Only SIGKILL leaves it silent.
///
/// One at a time in a process: the handlers of signals are the process's.
struct QuietTerminal: ~Copyable {
    let descriptor: Int32
    /// Gives the numbers of signals that arrived, one byte each.
    let signals: Int32
    let keys: PasscodeEditor.Keys
    private let signalsWrite: Int32
    private let original: termios
    private var isQuiet = false

    /// - Throws: the `errno` as a ``PresenceError/unavailable(_:)`` when `path` is no terminal of this process.
    init(path: String) throws(PresenceError) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .unavailable("there is no terminal to ask at (\(path): \(String(cString: strerror(errno))))")
        }
        var original = termios()
        guard tcgetattr(descriptor, &original) == 0 else {
            close(descriptor)
            throw .unavailable("\(path) is not a terminal")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            close(descriptor)
            throw .unavailable("no descriptor left for a prompt")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (signals, signalsWrite) = (ends[0], ends[1])
        self.original = original
        keys = withUnsafeBytes(of: original.c_cc) { characters in
            func key(_ index: Int32, _ usual: UInt8) -> UInt8 {
                let set = characters[Int(index)]
                return set == 0 || set == 0xFF ? usual : set
            }
            let usual = PasscodeEditor.Keys()
            return PasscodeEditor.Keys(
                erase: key(VERASE, usual.erase), kill: key(VKILL, usual.kill), interrupt: key(VINTR, usual.interrupt),
                quit: key(VQUIT, usual.quit), suspend: key(VSUSP, usual.suspend), endOfFile: key(VEOF, usual.endOfFile))
        }
    }

    deinit {
        if isQuiet { Self.unhush() }
        close(signals)
        close(signalsWrite)
        close(descriptor)
    }

    /// Turns echo, line editing and the keys' signals off, and forgets what was typed before the prompt.
    mutating func hush() throws(PresenceError) {
        Self.hush(descriptor, original, signalsWrite)
        isQuiet = true
        var raw = original
        raw.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ICANON | ISIG | IEXTEN)
        // Eight bits stay eight bits; Ctrl-S does not hold the prompt up.
        raw.c_iflag &= ~tcflag_t(ISTRIP | IXON | ICRNL | INLCR | IGNCR)
        withUnsafeMutableBytes(of: &raw.c_cc) {
            $0[Int(VMIN)] = 1
            $0[Int(VTIME)] = 0
        }
        // In the background this stops the process until it is brought to the front, which is where prompts belong.
        while tcsetattr(descriptor, TCSANOW, &raw) != 0 {
            guard errno == EINTR else {
                restore()
                throw .unavailable("the terminal cannot be kept from showing what is typed")
            }
        }
        var now = termios()
        guard tcgetattr(descriptor, &now) == 0, now.c_lflag & tcflag_t(ECHO | ICANON) == 0 else {
            restore()
            throw .unavailable("the terminal cannot be kept from showing what is typed")
        }
        tcflush(descriptor, TCIFLUSH)
    }

    /// Puts everything back as it was; what was typed and not read is forgotten, so that the rest of a pasted passcode
    /// does not go to the shell.
    mutating func restore() {
        guard isQuiet else { return }
        tcflush(descriptor, TCIFLUSH)
        Self.unhush()
        isQuiet = false
    }

    /// Writes all of `text`, without waiting longer than until `deadline`.
    func write(_ text: String, until deadline: Deadline) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[rest.startIndex...])
                    .withMemoryRebound(to: UInt8.self) { systemWrite(descriptor, $0.start, $0.count) }
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno == EAGAIN {
                    var poll = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
                    guard deadline.wait(&poll) else { return false }
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Stops the process as Ctrl-Z does, and returns when it goes on. The terminal has to be restored.
    static func stopProcess() {
        // Of the two signals, one to this thread and one to the job, the process is stopped by one: what continues it
        // takes a pending one away.
        var stop = sigset_t()
        var before = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stop, &before)
        pthread_kill(pthread_self(), SIGTSTP)
        kill(0, SIGTSTP)
        sigdelset(&before, SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// `write(2)`, which a method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

// MARK: - Signals

/// What a handler needs. It lies in memory of its own, since a handler may run at any instant and on any thread.
private struct HandlerState {
    var isQuiet: Int32 = 0
    var descriptor: Int32 = -1
    var wake: Int32 = -1
    var original = termios()
}

// Written by the one thread that prompts, before the handlers are set and after they are gone.
private nonisolated(unsafe) let handlerState: UnsafeMutablePointer<HandlerState> = {
    let state = UnsafeMutablePointer<HandlerState>.allocate(capacity: 1)
    state.initialize(to: HandlerState())
    atexit { restoreTerminal() }
    return state
}()

/// The actions that the handlers replaced, at the signals' numbers.
private nonisolated(unsafe) let actionsBefore: UnsafeMutablePointer<sigaction> = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    actions.initialize(repeating: sigaction(), count: 65)
    return actions
}()

private let requests: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
private let crashes: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

private func restoreTerminal() {
    guard handlerState.pointee.isQuiet != 0 else { return }
    // From a job in the background `tcsetattr` would stop the process unless this signal is held back.
    var output = sigset_t()
    var before = sigset_t()
    sigemptyset(&output)
    sigaddset(&output, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &output, &before)
    tcsetattr(handlerState.pointee.descriptor, TCSANOW, &handlerState.pointee.original)
    pthread_sigmask(SIG_SETMASK, &before, nil)
}

// Handlers call only functions that POSIX lists as safe there (2.4.3), on state that exists before they are set.
private func noteRequest(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?)
{
    let error = errno
    restoreTerminal()
    var number = UInt8(truncatingIfNeeded: signal)
    _ = write(handlerState.pointee.wake, &number, 1)
    errno = error
}

private func noteCrash(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _: UnsafeMutableRawPointer?) {
    restoreTerminal()
    handlerState.pointee.isQuiet = 0
    sigaction(signal, actionsBefore + Int(signal), nil)
    // A fault happens again when the handler returns, and then has its true cause; everything else is sent again.
    let isFault = (information?.pointee.si_code ?? 0) > 0 && signal != SIGABRT && signal != SIGTRAP
    if !isFault { pthread_kill(pthread_self(), signal) }
}

extension QuietTerminal {
    private static func hush(_ descriptor: Int32, _ original: termios, _ wake: Int32) {
        handlerState.pointee = HandlerState(isQuiet: 1, descriptor: descriptor, wake: wake, original: original)
        for signal in requests + crashes {
            let before = actionsBefore + Int(signal)
            sigaction(signal, nil, before)
            // What the process ignores stays ignored; a process that handles SIGCONT itself goes on doing so.
            if before.pointee.disposition == Self.ignored { continue }
            if signal == SIGCONT && before.pointee.disposition != 0 { continue }
            var action = sigaction()
            action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK
            sigfillset(&action.sa_mask)
            let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
            if crashes.contains(signal) { handler = noteCrash } else { handler = noteRequest }
            #if canImport(Darwin)
                action.__sigaction_u.__sa_sigaction = handler
            #else
                action.__sigaction_handler.sa_sigaction = handler
            #endif
            sigaction(signal, &action, nil)
        }
    }

    private static func unhush() {
        restoreTerminal()
        for signal in requests + crashes { sigaction(signal, actionsBefore + Int(signal), nil) }
        handlerState.pointee.isQuiet = 0
    }

    /// `SIG_IGN`.
    private static let ignored = 1
}

extension sigaction {
    /// The handler as a number: 0 is the default, 1 is to ignore.
    fileprivate var disposition: Int {
        #if canImport(Darwin)
            unsafeBitCast(__sigaction_u, to: Int.self)
        #else
            unsafeBitCast(__sigaction_handler, to: Int.self)
        #endif
    }
}
