import KeychainTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks through GnuPG's `pinentry`, which has a window on a desktop and a dialogue in a terminal.
///
/// The passcode travels over a socket between the two processes into locked memory. The program sees those variables of
/// the environment that concern the display, the terminal and the language, and no others.
public struct PinentryPresence: PresenceProvider {
    public var asksPerson: Bool { true }

    private let program: String?
    private let timeout: Duration
    private let minimumLength: Int

    /// - Parameters:
    ///   - program: a path, or a name that is looked for in `PATH`. Without one the first of the known pinentries is
    ///     taken: the system's choice, a desktop's, a terminal's.
    ///   - timeout: how long a person has for one answer, everything that is typed again included.
    ///   - minimumLength: the fewest characters of a new passcode.
    public init(program: String? = nil, timeout: Duration = .seconds(120), minimumLength: Int = 6) {
        (self.program, self.timeout, self.minimumLength) = (program, timeout, minimumLength)
    }

    private static let known = [
        "pinentry", "pinentry-gnome3", "pinentry-qt", "pinentry-gtk-2", "pinentry-mac", "pinentry-curses",
        "pinentry-tty",
    ]

    /// Two vaults of one process do not ask over each other.
    private static let oneAtATime = Mutex<Void>(())

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let result: Result<LockedBytes, PresenceError> = Self.oneAtATime.withLock { _ in
            do throws(PresenceError) { return .success(try ask(request)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func ask(_ request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let path = try find()
        let environment = Environment()
        let terminal = TerminalModes(environment.terminal)
        let child = try ChildProgram(path: path, environment: environment.passedOn)
        defer {
            // One that is killed leaves the terminal as it had it.
            if child.finish(grace: .seconds(1)) { terminal?.restore() }
        }
        let text = PresenceText(request, minimumLength: minimumLength)
        let deadline = Deadline(after: timeout)
        return try LockedScratch.with(Assuan.lineBytes * 2) { buffer throws(PresenceError) in
            let dialogue = PinentryDialogue(
                connection: AssuanConnection(descriptor: child.descriptor, buffer: buffer, deadline: deadline))
            return try dialogue.run(text, options: environment.options, seconds: max(1, deadline.secondsLeft))
        }
    }

    private func find() throws(PresenceError) -> String {
        let names = program.map { [$0] } ?? Self.known
        for name in names {
            if name.contains("/") {
                if Self.isProgram(name) { return name }
                continue
            }
            let folders = (getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin").split(
                separator: ":")
            for folder in folders where folder.hasPrefix("/") {
                let path = "\(folder)/\(name)"
                if Self.isProgram(path) { return path }
            }
        }
        throw .unavailable(
            program.map { "there is no program \(PresenceText.harmless($0, limit: 200))" }
                ?? "no pinentry is installed (Debian: pinentry-curses or pinentry-gnome3)")
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// What a pinentry learns of where and how to show itself.
    private struct Environment {
        /// The terminal's path, if there is one.
        let terminal: String?
        let passedOn: [String]
        /// Lines after `OPTION `.
        let options: [String]

        init() {
            func variable(_ name: String) -> String? {
                guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
                return value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } && value.utf8.count < 512 ? value : nil
            }
            terminal = variable("GPG_TTY") ?? Self.terminalOfStreams()
            options = [
                ("ttyname", terminal), ("ttytype", variable("TERM")),
                ("lc-ctype", variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG")),
                ("lc-messages", variable("LC_ALL") ?? variable("LC_MESSAGES") ?? variable("LANG")),
                ("display", variable("DISPLAY")),
            ].compactMap { name, value in value.map { "\(name)=\($0)" } }

            let names: Set = [
                "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "USER", "LOGNAME",
                "PATH",
                "TERM", "LANG", "LANGUAGE", "GPG_TTY", "PINENTRY_USER_DATA", "TERMINFO", "DESKTOP_SESSION",
            ]
            let families = ["LC_", "XDG_", "QT_", "GTK_", "GDK_", "KDE_"]
            var passedOn: [String] = []
            var next = environ
            while let entry = next.pointee {
                let text = String(cString: entry)
                let name = text.prefix { $0 != "=" }
                if names.contains(String(name)) || families.contains(where: name.hasPrefix) { passedOn.append(text) }
                next += 1
            }
            self.passedOn = passedOn
        }

        private static func terminalOfStreams() -> String? {
            for descriptor: Int32 in 0...2 {
                var name = [CChar](repeating: 0, count: 256)
                if ttyname_r(descriptor, &name, name.count) == 0 {
                    return name.withUnsafeBufferPointer { String(cString: $0.start) }
                }
            }
            let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            close(descriptor)
            return "/dev/tty"
        }
    }
}

/// A terminal's settings as they were.
private struct TerminalModes {
    private let path: String
    private let modes: termios

    init?(_ path: String?) {
        guard let path else { return nil }
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var modes = termios()
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
        (self.path, self.modes) = (path, modes)
    }

    func restore() {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var modes = modes
        tcsetattr(descriptor, TCSANOW, &modes)
    }
}

extension PresenceProvider where Self == PinentryPresence {
    /// Asks through the first `pinentry` that is installed. See ``PinentryPresence``.
    public static var pinentry: Self { PinentryPresence() }

    /// Asks through this `pinentry`: a path or a name.
    public static func pinentry(program: String, timeout: Duration = .seconds(120), minimumLength: Int = 6) -> Self {
        PinentryPresence(program: program, timeout: timeout, minimumLength: minimumLength)
    }
}
