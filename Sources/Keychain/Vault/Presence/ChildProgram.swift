#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that is spoken to over a socket on its standard streams. It has ended when ``finish(grace:)`` returns.
///
/// Of what the application has open it gets nothing else.
final class ChildProgram {
    /// Our end.
    let descriptor: Int32
    private let process: pid_t
    private(set) var isFinished = false

    /// - Throws: the reason as ``PresenceError/unavailable(_:)``.
    init(path: String, arguments: [String] = [], environment: [String]) throws(PresenceError) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .unavailable("no descriptor left for \(path)")
        }
        defer { close(ends[1]) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for other in Self.others() { posix_spawn_file_actions_addclose(&actions, other) }

        // Signals as a shell would start it, whatever this process blocks or ignores.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCHLD, SIGALRM] {
            sigaddset(&usual, signal)
        }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        let status = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard status == 0 else {
            close(ends[0])
            throw .unavailable("\(path) does not start: \(String(cString: strerror(status)))")
        }
        (descriptor, self.process) = (ends[0], process)
    }

    /// Descriptors beside the standard streams that are or may be open when the program starts: other threads open files meanwhile, of the
    /// lowest numbers that are free. To close one that is not open is no error.
    private static func others() -> [Int32] {
        var others = [Int32](3..<1024)
        guard let folder = opendir("/proc/self/fd") else { return others }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    Int32(clamping: strtol($0, nil, 10))
                }
            }
            if number >= 1024 { others.append(number) }
        }
        return others
    }

    /// Closes the socket, which tells the program to end, waits for it, and ends it if it does not.
    /// - Returns: whether it had to be killed.
    @discardableResult
    func finish(grace: Duration) -> Bool {
        guard !isFinished else { return false }
        isFinished = true
        close(descriptor)
        if hasEnded(within: grace) { return false }
        kill(process, SIGTERM)
        if hasEnded(within: .milliseconds(500)) { return true }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return true
    }

    private func hasEnded(within duration: Duration) -> Bool {
        let deadline = Deadline(after: duration)
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            // Where SIGCHLD is ignored the system takes the ended process away, and there is none to wait for.
            if ended == process || (ended < 0 && errno == ECHILD) { return true }
            if deadline.millisecondsLeft == 0 { return false }
            poll(nil, 0, min(10, deadline.millisecondsLeft))
        }
    }

    deinit { finish(grace: .zero) }
}
