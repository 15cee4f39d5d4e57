import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

@Suite("Lines of the Assuan protocol") struct AssuanTests {
    private func respond(_ line: String) -> Assuan.Response {
        Array(line.utf8).withUnsafeBytes { Assuan.response($0) }
    }

    @Test(
        arguments: [
            ("OK", .ok), ("OK Pleased to meet you", .ok),
            ("ERR 83886179 Operation cancelled", .failure(code: 83_886_179)),
            ("ERR", .failure(code: 0)), ("ERR 99999999999999999999", .failure(code: 0)), ("D abc", .data(2..<5)),
            ("D", .data(1..<1)), ("D ", .data(2..<2)), ("S PIN_REPEATED", .status(2..<14)),
            ("INQUIRE QUALITY abc", .inquiry),
            ("# hello", .comment), ("", .comment), ("OKAY", .unknown), ("DATA", .unknown), ("ok", .unknown),
        ] as [(String, Assuan.Response)])
    func `Answers are told apart`(line: String, response: Assuan.Response) {
        #expect(respond(line) == response)
    }

    @Test(arguments: [("a b", "a b"), ("100%", "100%25"), ("a\nb\r", "a%0Ab%0D"), ("ü", "ü"), ("\u{7F}", "%7F")])
    func `What steers is escaped`(text: String, line: String) {
        #expect(String(decoding: Assuan.escaped(text), as: UTF8.self) == line)
    }

    @Test func `Long text is cut between characters`() {
        let line = Assuan.escaped(String(repeating: "ü%", count: 1000), limit: 11)
        #expect(String(decoding: line, as: UTF8.self) == "ü%25ü%25")
    }

    @Test(
        arguments: [
            ("abc", "abc"), ("a%25b%0ac", "a%b\nc"), ("%41%C3%BC", "Aü"), ("", ""), ("%4", nil), ("%", nil),
            ("%zz", nil),
            ("12345678", "12345678"), ("123456789", nil), ("1234567%41", "1234567A"),
        ] as [(String, String?)])
    func `Escapes are undone or refused`(line: String, text: String?) {
        var memory = [UInt8](repeating: 0, count: 8)
        let result = memory.withUnsafeMutableBytes { memory in
            Array(line.utf8).withUnsafeBytes { Assuan.unescape($0, into: memory, from: 0) }
                .map { String(decoding: memory[..<$0], as: UTF8.self) }
        }
        #expect(result == text)
    }
}

/// The other side is a script that logs what it is told.
@Suite("Asking through pinentry", .onOwnThreads) struct PinentryTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A pinentry that answers `OK` to everything but what `cases`, branches of a shell's `case`, say.
    private func pinentry(_ cases: String, greeting: String = "echo OK hello") throws -> String {
        try scratch.script(
            "pinentry",
            """
            #!/bin/bash
            echo $$ > '\(scratch.path)/process'
            env > '\(scratch.path)/environment'
            printf '%s\\n' "$@" > '\(scratch.path)/arguments'
            \(greeting)
            asked=0
            while IFS= read -r line; do
                printf '%s\\n' "$line" >> '\(scratch.path)/log'
                case "$line" in
                \(cases)
                *) echo OK ;;
                esac
            done

            """)
    }

    private func ask(
        _ program: String, _ kind: PresenceRequest.Kind = .unlock, reason: String? = nil, triesLeft: Int? = nil,
        timeout: Duration = .seconds(300)
    ) throws(PresenceError) -> String {
        let provider = PinentryPresence(program: program, timeout: timeout)
        let request = PresenceRequest(
            kind: kind, reason: reason, application: "bank", triesLeftAfterWrongAnswer: triesLeft)
        return try provider.credential(for: request).withBytes { String(decoding: $0, as: UTF8.self) }
    }

    private var log: String { (try? String(contentsOfFile: scratch.file("log"), encoding: .utf8)) ?? "" }

    private func expectThatTheProgramIsGone(_ location: SourceLocation = #_sourceLocation) throws {
        let process = try #require(
            scratch.text(of: "process").flatMap { pid_t($0.dropLast()) }, sourceLocation: location)
        #expect(kill(process, 0) != 0 && errno == ESRCH, sourceLocation: location)
    }

    @Test func `What it answers is taken`() throws {
        let program = try pinentry("GETPIN) echo 'D se%25cret'; echo OK ;;")
        #expect(try ask(program, reason: "pay\n100%", triesLeft: 2) == "se%cret")
        #expect(log.contains("SETTITLE Keychain\n"))
        #expect(log.contains("SETDESC Open the keychain of \"bank\".%0AReason given: \"pay 100%25\"\n"))
        #expect(log.contains("SETPROMPT Passcode:\n"))
        #expect(log.contains("SETERROR That was wrong. 2 more tries before a longer wait.\n"))
        #expect(log.contains("SETTIMEOUT "))
        #expect(!log.contains("SETREPEAT"))
        try expectThatTheProgramIsGone()
    }

    @Test func `It is handed nothing that the application has open`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // Where the system gives so many.
        let high = fcntl(ends[0], F_DUPFD, 1024)
        defer { for descriptor in ends + [high] where descriptor >= 0 { close(descriptor) } }
        var status = stat()
        try #require(fstat(ends[0], &status) == 0)
        let program = try pinentry(
            "GETPIN) echo 'D secret'; echo OK ;;",
            greeting: "ls -l /proc/$$/fd > '\(scratch.path)/descriptors'; echo OK hello")
        #expect(try ask(program) == "secret")
        let descriptors = try #require(scratch.text(of: "descriptors"))
        #expect(descriptors.contains("socket:["), "\(descriptors)")
        #expect(!descriptors.contains("pipe:[\(status.st_ino)]"), "\(descriptors)")
    }

    @Test func `Data comes over several lines among others`() throws {
        let program = try pinentry(
            "GETPIN) echo '# a comment'; echo 'S STATUS x'; echo 'D one '; echo 'D %74wo'; printf 'D \\nD  three\\n'; echo OK ;;"
        )
        #expect(try ask(program) == "one two three")
    }

    @Test(
        arguments: [
            ("echo 'ERR 83886179 Operation cancelled <Pinentry>'", .cancelled),
            ("echo 'ERR 83886278 fully cancelled'", .cancelled), ("echo 'ERR 83886194 not confirmed'", .cancelled),
            ("echo 'ERR 83886142 timeout'", .timedOut), ("echo OK", .cancelled),
            (
                "echo 'ERR 83918950 Inappropriate ioctl'",
                .unavailable("pinentry found no terminal and no display (83918950)")
            ),
            ("echo 'ERR 1 what'", .unavailable("pinentry refused (1)")),
            ("exit 1", .unavailable("pinentry ended before it answered")),
            ("echo 'D half'; exit 0", .unavailable("pinentry ended before it answered")),
            ("echo 'D %zz'; echo OK", .unavailable("Too long: at most 1024 bytes.")),
            ("head -c 5000 /dev/zero | tr '\\0' x", .unavailable("pinentry sent a line that is too long")),
            (
                "for i in 1 2 3; do printf 'D '; head -c 900 /dev/zero | tr '\\0' x; echo; done; echo OK",
                .unavailable("Too long: at most 1024 bytes.")
            ),
            ("while :; do echo '# again' || exit; done", .unavailable("pinentry does not come to an end")),
            ("kill -9 $$", .unavailable("pinentry ended before it answered")),
        ] as [(String, PresenceError)])
    func `Refusals and nonsense are told apart`(answer: String, error: PresenceError) throws {
        let program = try pinentry("GETPIN) \(answer) ;;")
        #expect(throws: error) { try ask(program) }
        try expectThatTheProgramIsGone()
    }

    @Test func `One that says nothing is ended in time`() throws {
        let program = try pinentry("GETPIN) trap '' TERM; sleep 0.1; while :; do read -r -t 1 _; done ;;")
        // On a slow machine it may be ended before it has said which process it is: the next time it has longer.
        var timeout = Duration.milliseconds(300)
        repeat {
            let start = ContinuousClock.now
            #expect(throws: PresenceError.timedOut) { try ask(program, timeout: timeout) }
            #expect(ContinuousClock.now - start < .seconds(200))
            timeout *= 4
        } while timeout < .seconds(100) && scratch.text(of: "process", within: 0.1) == nil
        try expectThatTheProgramIsGone()
    }

    @Test func `A refused greeting is the end`() throws {
        let program = try pinentry("x) ;;", greeting: "echo ERR 83886179")
        #expect(throws: PresenceError.cancelled) { try ask(program) }
        try expectThatTheProgramIsGone()
    }

    @Test func `An inquiry is cancelled`() throws {
        let program = try pinentry("GETPIN) echo 'INQUIRE QUALITY abc' ;;\nCAN) echo 'D fine'; echo OK ;;")
        #expect(try ask(program) == "fine")
    }

    @Test func `A new passcode is repeated by the pinentry that can`() throws {
        let program = try pinentry("GETPIN) echo 'S PIN_REPEATED'; echo 'D long enough'; echo OK ;;")
        #expect(try ask(program, .newPasscode) == "long enough")
        #expect(log.contains("SETREPEAT Once more:\n"))
        #expect(log.components(separatedBy: "GETPIN").count == 2)
    }

    @Test func `A new passcode is asked twice of the pinentry that cannot`() throws {
        let program = try pinentry(
            """
            SETREPEAT*) echo 'ERR 83886355 Unknown IPC command' ;;
            GETPIN) asked=$((asked + 1)); case $asked in
                1) echo 'D short' ;; 2) echo 'D long enough' ;; 3) echo 'D different' ;; *) echo 'D long enough' ;;
                esac; echo OK ;;
            """)
        #expect(try ask(program, .newPasscode) == "long enough")
        #expect(log.contains("SETERROR Too short: at least 6 characters.\n"))
        #expect(log.contains("SETERROR \(PresenceText.mismatch)\n"))
        #expect(log.components(separatedBy: "GETPIN").count == 6)
    }

    @Test func `It sees nothing of the environment that is not its own`() throws {
        setenv("VAULT_TEST_TOKEN", "do not pass on", 1)
        setenv("LC_VAULT_TEST", "passed on", 1)
        defer {
            unsetenv("VAULT_TEST_TOKEN")
            unsetenv("LC_VAULT_TEST")
        }
        let program = try pinentry("GETPIN) echo 'D secret'; echo OK ;;")
        _ = try ask(program)
        let environment = try String(contentsOfFile: scratch.file("environment"), encoding: .utf8)
        #expect(!environment.contains("VAULT_TEST_TOKEN"))
        #expect(environment.contains("LC_VAULT_TEST=passed on"))
        #expect(try String(contentsOfFile: scratch.file("arguments"), encoding: .utf8) == "\n")
        #expect(!environment.contains("secret") && !log.contains("secret"))
    }

    @Test func `A program that is not there`() {
        #expect(throws: PresenceError.unavailable("there is no program no-such-pinentry")) {
            try ask("no-such-pinentry")
        }
        #expect(throws: PresenceError.unavailable("there is no program \(scratch.path)")) { try ask(scratch.path) }
    }

    @Test func `A file that is no program`() throws {
        let program = try scratch.script("nonsense", "\u{7F}ELF nonsense")
        #expect(throws: PresenceError.self) { try ask(program) }
    }

    static let real = ["/usr/bin/pinentry-curses"].first(where: FileManager.default.isExecutableFile)

    @Test(.enabled(if: real != nil, "pinentry-curses is not installed"))
    func `The real one asks in a terminal`() throws {
        let terminal = try PseudoTerminal()
        try terminal.start(
            [Tool.path, "prompt", "pinentry", "unlock", scratch.file("result"), try #require(Self.real)],
            environment: ["GPG_TTY": terminal.path, "LC_ALL": "C.UTF-8"])
        #expect(terminal.shows("Open the keychain of \"vault-tool\"."))
        #expect(terminal.shows("Passcode:"))
        #expect(terminal.waits(forEcho: false))
        terminal.type("pa%ss wörd\r")
        #expect(scratch.text(of: "result") == "answer pa%ss wörd\n")
        #expect(terminal.ending() == 0)
        #expect(terminal.echoes)
        #expect(!terminal.shown.contains("pa%ss"))
    }

    @Test(.enabled(if: real != nil, "pinentry-curses is not installed"))
    func `The real one asks twice for a new passcode`() throws {
        let terminal = try PseudoTerminal()
        try terminal.start(
            [Tool.path, "prompt", "pinentry", "new", scratch.file("result"), try #require(Self.real)],
            environment: ["GPG_TTY": terminal.path, "LC_ALL": "C.UTF-8"])
        #expect(terminal.shows("New passcode:"))
        #expect(terminal.waits(forEcho: false))
        terminal.type("twice the same\t")
        terminal.type("twice the same\r")
        if scratch.text(of: "result", within: 2) == nil {
            // This version asks in two dialogues.
            terminal.type("twice the same\r")
        }
        #expect(scratch.text(of: "result") == "answer twice the same\n")
    }

    @Test(.enabled(if: real != nil, "pinentry-curses is not installed"))
    func `The real one is cancelled`() throws {
        let terminal = try PseudoTerminal()
        try terminal.start(
            [Tool.path, "prompt", "pinentry", "unlock", scratch.file("result"), try #require(Self.real)],
            environment: ["GPG_TTY": terminal.path, "LC_ALL": "C.UTF-8"])
        #expect(terminal.shows("Passcode:"))
        #expect(terminal.waits(forEcho: false))
        terminal.type("\t\t\r")
        #expect(scratch.text(of: "result") == "cancelled\n")
    }
}
