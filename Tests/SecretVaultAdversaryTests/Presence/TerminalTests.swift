import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

/// The tool asks at a terminal whose other end the test holds.
@Suite("Asking at a terminal", .onOwnThreads, .serialized) struct TerminalTests {
    let scratch: Scratch
    let terminal: PseudoTerminal

    init() throws {
        (scratch, terminal) = (try Scratch(), try PseudoTerminal())
    }

    private func start(_ kind: String = "unlock", provider: String = "terminal") throws {
        try terminal.start([Tool.path, "prompt", provider, kind, scratch.file("result")])
    }

    private var result: String? { scratch.text(of: "result") }

    @Test func `What is typed is taken and not shown`() throws {
        try start()
        #expect(terminal.shows("Passcode (empty cancels): "))
        #expect(!terminal.echoes)
        terminal.type("correct horse\r")
        #expect(result == "answer correct horse\n")
        #expect(terminal.ending() == 0)
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("horse"))
        #expect(terminal.shown.contains("Open the keychain of \"vault-tool\"."))
        #expect(terminal.shown.contains("Reason given: \"for a test\""))
    }

    @Test(
        arguments: [
            ([0x03], "cancelled\n"), ([0x0D], "cancelled\n"), ([0x61, 0x03], "cancelled\n"), ([0x04], "cancelled\n"),
            ([0x1B, 0x5B, 0x41, 0x0D], "cancelled\n"),
        ] as [([UInt8], String)])
    func `An empty line and control keys cancel`(bytes: [UInt8], outcome: String) throws {
        try start()
        #expect(terminal.shows("cancels): "))
        terminal.type(bytes)
        #expect(result == outcome)
        #expect(terminal.ending() == 0)
        #expect(terminal.echoes)
    }

    @Test func `A new passcode is asked twice and has a length`() throws {
        try start("new")
        #expect(terminal.shows("at least 6 characters"))
        #expect(terminal.shows("cancels): "))
        terminal.type("12345\r")
        #expect(terminal.shows("Too short: at least 6 characters."))
        #expect(terminal.shows("cancels): "))
        terminal.type("123456\r")
        #expect(terminal.shows("Once more (empty cancels): "))
        terminal.type("123457\r")
        #expect(terminal.shows("not the same"))
        #expect(terminal.shows("cancels): "))
        terminal.type("123456\r")
        #expect(terminal.shows("Once more (empty cancels): "))
        terminal.type("123456\r")
        #expect(result == "answer 123456\n")
    }

    @Test func `A line that is too long is asked anew`() throws {
        try start()
        #expect(terminal.shows("cancels): "))
        terminal.type(String(repeating: "x", count: 1025) + "\r")
        #expect(terminal.shows("Too long"))
        #expect(terminal.shows("cancels): "))
        terminal.type(String(repeating: "x", count: 1024) + "\r")
        #expect(result == "answer \(String(repeating: "x", count: 1024))\n")
    }

    @Test func `Without typing the prompt ends in time`() throws {
        try start(provider: "brief-terminal")
        #expect(result == "timedOut\n")
        #expect(terminal.ending() == 0)
        #expect(terminal.echoes)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS])
    func `A signal ends the process and the terminal shows again`(signal: Int32) throws {
        try terminal.start(
            [Tool.path, "prompt", "terminal", "unlock", scratch.file("result")],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(terminal.shows("cancels): "))
        terminal.signal(signal)
        #expect(terminal.ending() == -signal)
        #expect(terminal.echoes)
    }

    @Test func `A stopped prompt asks anew`() throws {
        try terminal.start(["bash", "--norc", "--noprofile", "-i"], environment: ["PS1": "ready> ", "HISTFILE": ""])
        #expect(terminal.shows("ready> "))
        terminal.type("'\(Tool.path)' prompt terminal unlock '\(scratch.file("result"))'\r")
        #expect(terminal.shows("cancels): "))
        #expect(terminal.waits(forEcho: false))
        terminal.type("abc\u{1A}")
        #expect(terminal.shows("Stopped"))
        #expect(terminal.shows("ready> "))
        terminal.type("stty -a | grep -o ' echo ' ; jobs -p\r")
        #expect(terminal.shows(" echo "), "the shell has a terminal that shows what is typed")
        terminal.type("fg\r")
        #expect(terminal.shows("cancels): "))
        #expect(terminal.waits(forEcho: false))
        // Stopped from elsewhere, too.
        terminal.type("xyz")
        let process = try #require(scratch.text(of: "result.pid").flatMap { pid_t($0.dropLast()) })
        kill(process, SIGTSTP)
        #expect(terminal.shows("Stopped"))
        #expect(terminal.shows("ready> "))
        terminal.type("fg\r")
        #expect(terminal.shows("cancels): "))
        #expect(terminal.waits(forEcho: false))
        terminal.type("right\r")
        #expect(result == "answer right\n")
        #expect(terminal.shows("ready> "))
    }

    @Test func `What was typed before the prompt does not count`() throws {
        terminal.type("early\r")
        try start()
        #expect(terminal.shows("cancels): "))
        #expect(terminal.waits(forEcho: false))
        terminal.type("late\r")
        #expect(result == "answer late\n")
    }

    @Test func `Without a terminal there is no prompt`() throws {
        // A new session has no terminal until it opens one.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["--wait", Tool.path, "prompt", "terminal", "unlock", scratch.file("result")]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(try #require(result).hasPrefix("unavailable(\"there is no terminal to ask at"))
    }

    @Test func `Anything but a terminal is refused`() throws {
        #expect(throws: PresenceError.unavailable("/dev/null is not a terminal")) {
            try TerminalPresence(timeout: .seconds(1), minimumLength: 6, path: "/dev/null")
                .credential(for: PresenceRequest(kind: .unlock, reason: nil, application: "a"))
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")))
    func `It works under tmux`() throws {
        func tmux(_ words: String...) throws -> String {
            // Not by Foundation's Process, which waits for the server, too, that the first call starts.
            let output = scratch.file("tmux-output")
            let command = ["/usr/bin/tmux", "-S", scratch.file("tmux"), "-f", "/dev/null"] + words
            #expect(try Child.start(command, output: output).ending() == 0)
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        defer { _ = try? tmux("kill-server") }
        _ = try tmux(
            "new-session", "-d", "-x", "100", "-y", "30",
            "'\(Tool.path)' prompt terminal unlock '\(scratch.file("result"))' < /dev/null; sleep 900")
        let end = ContinuousClock.now + .seconds(600)
        while try !tmux("capture-pane", "-p").contains("cancels):"), ContinuousClock.now < end { usleep(20_000) }
        _ = try tmux("send-keys", "-l", "in a pane")
        _ = try tmux("send-keys", "Enter")
        #expect(result == "answer in a pane\n")
        #expect(try !tmux("capture-pane", "-p").contains("in a pane"))
    }
}
