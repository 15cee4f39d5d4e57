import BlockingTestSupport
import Foundation
import Testing

/// A process of the test's, which may be killed.
final class Child {
    let process: pid_t
    private var end: Int32?

    private init(_ process: pid_t) { self.process = process }

    /// - Parameters:
    ///   - input: becomes standard input, or the null device does.
    ///   - output: a file that standard output is written to, or the null device.
    ///   - outputDescriptor: is standard output instead.
    static func start(
        _ words: [String], input: Int32? = nil, output: String = "/dev/null", outputDescriptor: Int32? = nil,
        environment: [String: String] = [:]
    ) throws -> Child {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        if let outputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, outputDescriptor, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        keepDescriptors(from: &actions)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, words[0], &actions, nil, &argv, &envp) == 0, "\(words[0])")
        return Child(process)
    }

    func kill(_ signal: Int32 = SIGKILL) { _ = Foundation.kill(process, signal) }

    /// Its exit status, or the number of the signal that ended it as a negative number. Kills it after `seconds`.
    @discardableResult
    func ending(within seconds: Double = 600) -> Int32 {
        if let end { return end }
        var status: Int32 = 0
        let limit = ContinuousClock.now + .seconds(seconds)
        while waitpid(process, &status, WNOHANG) != process {
            if ContinuousClock.now > limit { kill() }
            usleep(1_000)
        }
        let ending = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        end = ending
        return ending
    }

    deinit {
        if end == nil {
            kill()
            ending()
        }
    }
}
