import BlockingTestSupport
import Foundation
import TestSupport

/// A terminal with a shell in it, as a person sees it: what is typed goes to whatever runs there, and the screen can be read.
final class Tmux {
    private let folder: URL
    private let tmux: String

    struct Disappointment: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter environment: variables for the shell, beside those of this process.
    init(columns: Int = 110, rows: Int = 40, environment: [String: String] = [:]) throws {
        guard let tool = Tool(named: "tmux") else { throw MissingTool(name: "tmux") }
        tmux = tool.path
        folder = try TestRun.place(for: "tmux")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = URL(fileURLWithPath: try ServerProcess.executable).deletingLastPathComponent().path
        var variables = environment
        // In a file, as the shell through which tmux starts this one may have a path and a prompt of its own.
        let start = folder.appendingPathComponent("rc")
        try Data("PATH='\(program)':$PATH\nPS1='ready> '\n".utf8).write(to: start)
        variables["HISTFILE"] = ""
        try run(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
                + variables.flatMap { ["-e", "\($0.key)=\($0.value)"] } + [
                    "bash --noprofile --rcfile '\(start.path)' -i"
                ])
    }

    deinit {
        _ = try? run(["kill-server"])
        try? FileManager.default.removeItem(at: folder)
    }

    /// Not by Foundation's Process, which waits for the server, too, that the first call starts.
    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let said = folder.appendingPathComponent("said-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: said) }
        let status = try ChildProcess(
            path: tmux, ["-S", folder.appendingPathComponent("s").path, "-f", "/dev/null"] + words,
            in: FileManager.default.currentDirectoryPath, environment: ProcessInfo.processInfo.environment,
            output: said.path
        ).wait()
        let output = String(decoding: try Data(contentsOf: said), as: UTF8.self)
        guard status == 0 else { throw Disappointment(description: "tmux \(words): \(output)") }
        return output
    }

    /// What can be seen now.
    var screen: String { get throws { try run(["capture-pane", "-p", "-J"]) } }

    func type(_ text: String) throws { try run(["send-keys", "-l", "--", text]) }

    /// A key by tmux's name: `Enter`, `C-c`.
    func press(_ key: String) throws { try run(["send-keys", key]) }

    func enter(_ text: String) throws {
        try type(text)
        try press("Enter")
    }

    /// Empties the screen of a shell, so that what comes can be told from what was.
    func clear() throws {
        try press("C-l")
    }

    /// Waits until the screen shows something, and answers the screen.
    @discardableResult
    func shows(
        _ what: String, within limit: Duration = .seconds(600), where test: (String) -> Bool = { _ in true }
    ) async throws -> String {
        let end = ContinuousClock.now + limit
        while true {
            let screen = try screen
            if screen.contains(what) && test(screen) { return screen }
            guard ContinuousClock.now < end else {
                throw Disappointment(description: "The screen does not show “\(what)”:\n\(screen)")
            }
            try await Task.sleep(for: .milliseconds(40))
        }
    }

    /// Waits until the shell is ready again, below whatever a program wrote.
    @discardableResult
    func isReady() async throws -> String {
        try await shows("ready>") { screen in
            screen.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }?
                .trimmingCharacters(in: .whitespaces) == "ready>"
        }
    }

    /// Whether the terminal shows what is typed.
    func echoes() async throws -> Bool {
        // A shell that has just come back may be at work with the terminal itself: one that stays wrong is wrong each time.
        for _ in 0..<50 {
            try clear()
            try enter("stty -a | grep -c ' echo '; echo done")
            if try await shows("\ndone").contains("\n1\n") { return true }
            try await Task.sleep(for: .milliseconds(200))
            try await isReady()
        }
        return false
    }
}
