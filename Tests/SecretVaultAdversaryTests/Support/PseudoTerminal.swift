import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

/// A terminal whose other end the test holds.
final class PseudoTerminal {
    let path: String
    private let master: Int32
    private let slave: Int32
    private(set) var shown = ""
    private var process: pid_t = 0

    init() throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&master, &slave, &name, nil, &size) == 0)
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        (self.master, self.slave) = (master, slave)
        path = name.withUnsafeBufferPointer { String(cString: $0.start) }
    }

    deinit {
        if process > 0 {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(master)
        close(slave)
    }

    /// Starts a program in a session of its own that this terminal controls.
    func start(_ words: [String], environment: [String: String] = [:]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens controls it.
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        keepDescriptors(from: &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which the importer of C leaves out.
        posix_spawnattr_setflags(
            &attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var variables = ProcessInfo.processInfo.environment.filter { $0.key != "GPG_TTY" && $0.key != "DISPLAY" }
        variables["TERM"] = "xterm"
        variables.merge(environment) { $1 }
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        try #require(posix_spawnp(&process, words[0], &actions, &attributes, &argv, &envp) == 0)
    }

    var echoes: Bool {
        var modes = termios()
        tcgetattr(slave, &modes)
        return modes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether echo comes to be as said.
    func waits(forEcho wanted: Bool, within seconds: Double = 300) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if echoes == wanted { return true }
            pump(milliseconds: 5)
        }
        return false
    }

    func type(_ text: String) { type(Array(text.utf8)) }

    func type(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// Waits until `text` is shown, after what earlier waits have found.
    func shows(_ text: String, within seconds: Double = 300) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            if let range = shown.range(of: text, range: found..<shown.endIndex) {
                found = range.upperBound
                return true
            }
            if ContinuousClock.now >= end { return false }
            pump(milliseconds: 20)
        }
    }
    private lazy var found = shown.startIndex

    private var bytes: [UInt8] = []
    private func pump(milliseconds: Int32) {
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else {
            usleep(UInt32(milliseconds) * 1000)
            return
        }
        let offset = shown.utf8.distance(from: shown.startIndex, to: found)
        bytes += buffer[..<count]
        shown = String(decoding: bytes, as: UTF8.self)
        found = shown.utf8.index(shown.startIndex, offsetBy: min(offset, shown.utf8.count))
    }

    func signal(_ number: Int32) { kill(process, number) }

    /// How the program ended: its exit status, or the number of the signal that ended it as a negative number.
    func ending() -> Int32 {
        var status: Int32 = 0
        let end = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < end {
            if waitpid(process, &status, WNOHANG) == process {
                process = 0
                return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
            }
            pump(milliseconds: 5)
        }
        return .min
    }
}
