import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if canImport(Glibc)
    /// Keeps what this process has open from a program that it starts, but for the standard streams. It goes behind what gives these.
    ///
    /// Sockets of SwiftNIO and pipes of Foundation are handed on by default. A program that lives for long, such as a server of tmux, would
    /// keep the port of another test's service that has stopped, and the pipe whose end another program waits for.
    package func keepDescriptors(from actions: inout posix_spawn_file_actions_t) {
        // `Volley` has its sockets from 2048 on, and has them closed by the system. What is not open is passed over.
        for descriptor in Int32(3)..<2048 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    }
#endif

/// A program that this process started, and that can be asked to end. Foundation's `Process` hands on the signals that
/// the calling thread blocks, on Dispatch's threads all of them, so that its children never hear of a SIGTERM.
package struct ChildProcess {
    package let id: pid_t

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Starts a program in a folder, without input.
    ///
    /// - Parameter output: The file for its standard output and error.
    package init(
        path: String, _ arguments: [String], in folder: String, environment: [String: String], output: String
    ) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        #if canImport(Glibc)
            keepDescriptors(from: &actions)
        #endif

        var words =
            (["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", folder, path] + arguments).map { strdup($0) }
            + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for word in words + variables { free(word) }
        }
        var id: pid_t = 0
        let failure = posix_spawn(&id, "/bin/sh", &actions, &attributes, &words, &variables)
        guard failure == 0 else {
            throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(failure)))")
        }
        self.id = id
    }

    /// Asks it to end.
    package func terminate() { _ = kill(id, SIGTERM) }

    /// Waits for its end; gives its exit status, or 128 and the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
