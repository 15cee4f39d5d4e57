import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

private let unlock = PresenceRequest(kind: .unlock, reason: nil, application: "service")

private func text(_ bytes: LockedBytes) -> String { bytes.withBytes { String(decoding: $0, as: UTF8.self) } }

@Suite("A passcode from a descriptor", .onOwnThreads) struct DescriptorTests {
    private func pipe(_ contents: String, open: Bool = false) throws -> Int32 {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        _ = Array(contents.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        if !open { close(ends[1]) }
        return ends[0]
    }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret\n\n", "secret\n"),
        (" with spaces \n", " with spaces "),
        (String(repeating: "x", count: 1024) + "\r\n", String(repeating: "x", count: 1024)),
    ])
    func `One line break is not part of it`(contents: String, passcode: String) throws {
        #expect(text(try DescriptorPresence(pipe(contents)).credential(for: unlock)) == passcode)
    }

    @Test(arguments: ["", "\n", String(repeating: "x", count: 1025), String(repeating: "x", count: 60_000)])
    func `Nothing and too much are refused`(contents: String) throws {
        let provider = DescriptorPresence(try pipe(contents))
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
    }

    @Test func `It is handed over once and the descriptor is closed`() throws {
        let descriptor = try pipe("secret")
        let provider = DescriptorPresence(descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "a program started meanwhile does not get it")
        #expect(text(try provider.credential(for: unlock)) == "secret")
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
        #expect(!provider.asksPerson)
    }

    @Test func `It is kept on request`() throws {
        let provider = DescriptorPresence(try pipe("secret"), keepsCredential: true)
        for _ in 0..<3 { #expect(text(try provider.credential(for: unlock)) == "secret") }
    }

    @Test func `A wrong one is not offered again`() throws {
        let provider = DescriptorPresence(try pipe("secret"), keepsCredential: true)
        let again = PresenceRequest(kind: .unlock, reason: nil, application: "service", triesLeftAfterWrongAnswer: 4)
        #expect(throws: PresenceError.self) { try provider.credential(for: again) }
    }

    @Test(arguments: [
        PresenceRequest.Kind.passcode, .applicationPassword(isNew: false), .applicationPassword(isNew: true),
    ])
    func `No user is present`(kind: PresenceRequest.Kind) throws {
        let request = PresenceRequest(kind: kind, reason: nil, application: "service")
        #expect(throws: PresenceError.self) {
            try DescriptorPresence(pipe("secret"), keepsCredential: true).credential(for: request)
        }
        #expect(throws: PresenceError.self) { try SystemdCredentialPresence("x").credential(for: request) }
    }

    @Test func `A writer that never ends is not waited for for ever`() throws {
        let provider = DescriptorPresence(try pipe("secret", open: true), timeout: .milliseconds(50))
        #expect(throws: PresenceError.timedOut) { try provider.credential(for: unlock) }
    }

    @Test func `A descriptor that is not open and a terminal are refused`() throws {
        // The last that the process could have: other tests open files meanwhile, the lowest numbers first.
        let last = Int32(clamping: sysconf(Int32(_SC_OPEN_MAX)) - 1)
        let advice = "descriptor \(last) is not open: start the process with \(last)< FILE"
        #expect(throws: PresenceError.unavailable(advice)) { try DescriptorPresence(last).credential(for: unlock) }
        let terminal = try PseudoTerminal()
        let descriptor = open(terminal.path, O_RDWR | O_NOCTTY)
        #expect(throws: PresenceError.unavailable("descriptor \(descriptor) is a terminal: use .terminal")) {
            try DescriptorPresence(descriptor).credential(for: unlock)
        }
    }

    /// Standard input is replaced, since a file opened later must not become it.
    @Test func `Standard input serves too`() throws {
        let scratch = try Scratch()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "echo from-a-pipe | '\(Tool.path)' prompt 0 unlock '\(scratch.file("result"))'"]
        try process.run()
        process.waitUntilExit()
        #expect(scratch.text(of: "result") == "answer from-a-pipe\n")
    }
}

@Suite("A passcode from systemd", .onOwnThreads) struct SystemdCredentialTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try "secret\n".write(toFile: scratch.file("passcode"), atomically: false, encoding: .utf8)
        chmod(scratch.file("passcode"), 0o400)
    }

    private func read(_ name: String = "passcode") throws(PresenceError) -> String {
        text(try SystemdCredentialPresence(name, directory: scratch.path).credential(for: unlock))
    }

    @Test func `It is read at each request`() throws {
        #expect(try read() == "secret")
        #expect(try read() == "secret")
    }

    @Test func `Systemds access lists show as the groups read bit`() throws {
        chmod(scratch.file("passcode"), 0o440)
        #expect(try read() == "secret")
    }

    @Test(arguments: [0o444, 0o460, 0o602, 0o404, 0o420] as [mode_t])
    func `A file that others read or write is refused`(mode: mode_t) {
        chmod(scratch.file("passcode"), mode)
        #expect(throws: PresenceError.self) { try read() }
    }

    @Test func `A folder that others write is refused`() {
        chmod(scratch.path, 0o777)
        #expect(throws: PresenceError.self) { try read() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away")) func `A file of another user is refused`() {
        chown(scratch.file("passcode"), 12345, 12345)
        #expect(throws: PresenceError.self) { try read() }
    }

    @Test func `Links and pipes and folders are refused`() throws {
        symlink("passcode", scratch.file("link"))
        mkfifo(scratch.file("pipe"), 0o600)
        mkdir(scratch.file("folder"), 0o700)
        for name in ["link", "pipe", "folder", "absent"] {
            #expect(throws: PresenceError.self) { try read(name) }
        }
    }

    @Test(arguments: [
        "", ".", "..", "../passcode", "a/b", "a:b", ".hidden", "a b", "ä", "a\n", String(repeating: "x", count: 256),
    ])
    func `Names are checked`(name: String) {
        #expect(!SystemdCredentialPresence.isName(name))
        #expect(throws: PresenceError.self) { try read(name) }
    }

    @Test func `Without systemd the remedy is told`() throws {
        try #require(getenv("CREDENTIALS_DIRECTORY") == nil)
        #expect(
            throws: PresenceError.unavailable(
                "systemd passed no credentials: add LoadCredential=passcode:PATH to the unit")
        ) { try SystemdCredentialPresence("passcode").credential(for: unlock) }
    }
}

@Suite("An application's own prompt") struct CustomTests {
    private struct Oops: Error { let secret = "hunter2" }

    /// Runs on a thread that is no task's, as the vault does.
    private func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    private func ask(_ provider: CustomPresence) async -> Result<String, PresenceError> {
        await onThread {
            do throws(PresenceError) { return .success(text(try provider.credential(for: unlock))) } catch {
                return .failure(error)
            }
        }
    }

    @Test func `A closure answers`() async {
        #expect(await ask(.custom { LockedBytes(Array($0.application.utf8)) }) == .success("service"))
        #expect(await ask(.custom { _ in throw PresenceError.cancelled }) == .failure(.cancelled))
        #expect(await ask(.custom { _ in throw CancellationError() }) == .failure(.cancelled))
        guard case .failure(.unavailable(let why)) = await ask(.custom { _ in throw Oops() }) else {
            Issue.record("an error of the application's is one")
            return
        }
        #expect(!why.contains("hunter2"))
    }

    @Test func `An asynchronous closure answers`() async {
        let provider = CustomPresence.custom(async: { request in
            try await Task.sleep(for: .milliseconds(10))
            return LockedBytes(Array(request.application.utf8))
        })
        #expect(await ask(provider) == .success("service"))
        #expect(await ask(.custom(async: { _ in throw PresenceError.cancelled })) == .failure(.cancelled))
    }

    @Test func `One that takes too long is cancelled`() async {
        let provider = CustomPresence(
            timeout: .milliseconds(20),
            async: { _ in
                try await Task.sleep(for: .seconds(60))
                return LockedBytes([1])
            })
        #expect(await ask(provider) == .failure(.timedOut))
    }

    @Test func `Many at once do not wait for each others threads`() async {
        let provider = CustomPresence.custom(async: { _ in
            await Task.yield()
            return LockedBytes([0x61])
        })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { #expect(await ask(provider) == .success("a")) } }
        }
    }

    @Test func `Waiting within a task is refused`() async {
        let provider = CustomPresence.custom(async: { _ in LockedBytes([1]) })
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
    }
}

@Suite("A script for tests") struct ScriptedTests {
    @Test func `Answers come in turn and requests are kept`() throws {
        let provider: any PresenceProvider = .scripted(["wrong", .cancel, .timeOut, .unavailable, "right"])
        #expect(text(try provider.credential(for: unlock)) == "wrong")
        #expect(throws: PresenceError.cancelled) { try provider.credential(for: unlock) }
        #expect(throws: PresenceError.timedOut) { try provider.credential(for: unlock) }
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
        #expect(text(try provider.credential(for: unlock)) == "right")
        #expect(throws: PresenceError.self) { try provider.credential(for: unlock) }
        #expect((provider as? ScriptedPresence)?.requests.count == 6)
    }

    @Test func `One answer is for all`() throws {
        let provider: any PresenceProvider = .scripted("same")
        for _ in 0..<3 { #expect(text(try provider.credential(for: unlock)) == "same") }
    }

    @Test func `All presets are reached by their short names`() {
        let presets: [any PresenceProvider] = [
            .terminal, .terminal(timeout: .seconds(1)), .pinentry, .pinentry(program: "pinentry-curses"),
            .fileDescriptor(987), .systemdCredential("name"), .custom { _ in throw PresenceError.cancelled },
            .custom(async: { _ in throw PresenceError.cancelled }), .scripted("a"), .scripted(["a", .cancel]),
        ]
        #expect(presets.map(\.asksPerson) == [true, true, true, true, false, false, true, true, true, true])
    }
}
