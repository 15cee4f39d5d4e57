import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault
@testable import vault_tool

@Suite("A folder that is not as it should be", .onOwnThreads) struct FileSystemTests {
    let scratch: Scratch
    let directory: String

    init() throws {
        scratch = try Scratch()
        directory = scratch.file("keychain")
    }

    private func open() throws -> Vault {
        var configuration = try Corpus.configuration(directory, finger: false)
        configuration.clock = hastyClock()
        return try Vault.open(configuration)
    }

    private func addition(_ name: String) -> NewItem {
        Corpus.item(name, AccessControl(unconstrained: .whenUnlocked), version: 1)
    }

    private func expectNotAvailable(_ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("nothing was refused", sourceLocation: location)
        } catch KeychainError.notAvailable(let text) {
            #expect(text.contains("/"), "the text names what to look at: \(text)", sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
    }

    @Test(arguments: ["vault.kc", "attempts", "lock"]) func `Links are refused`(name: String) throws {
        try open().add(addition("plain"))
        let target = scratch.file("elsewhere")
        rename(directory + "/" + name, target)
        symlink(target, directory + "/" + name)
        #expect(throws: KeychainError.self) { try open().add(addition("more")) }
        #expect(FileManager.default.fileExists(atPath: target))
    }

    @Test func `A link in the folders place is refused`() throws {
        _ = try open()
        rename(directory, scratch.file("elsewhere"))
        symlink(scratch.file("elsewhere"), directory)
        #expect(throws: KeychainError.self) { try open() }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o666] as [mode_t]) func `Files that others read are refused`(mode: mode_t)
        throws
    {
        _ = try open()
        chmod(directory + "/vault.kc", mode)
        expectNotAvailable { _ = try open() }
        chmod(directory + "/vault.kc", 0o600)
        chmod(directory + "/attempts", mode)
        expectNotAvailable { _ = try open() }
        chmod(directory + "/attempts", 0o600)
        _ = try open()
    }

    @Test(arguments: [0o750, 0o705, 0o777] as [mode_t]) func `A folder that others read is refused`(mode: mode_t) throws
    {
        _ = try open()
        chmod(directory, mode)
        expectNotAvailable { _ = try open() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"), arguments: ["", "/vault.kc", "/attempts"])
    func `What belongs to another user is refused`(name: String) throws {
        _ = try open()
        chown(directory + name, 12345, 12345)
        expectNotAvailable { _ = try open() }
    }

    @Test(arguments: ["vault.kc", "attempts"]) func `What is no file is refused`(name: String) throws {
        _ = try open()
        unlink(directory + "/" + name)
        mkfifo(directory + "/" + name, 0o600)
        #expect(throws: KeychainError.self) { try open() }
    }

    @Test func `A folder where the next file belongs is an error`() throws {
        let vault = try open()
        try vault.add(addition("plain"))
        mkdir(directory + "/vault.kc.new", 0o700)
        #expect(throws: KeychainError.self) { try vault.add(addition("more")) }
        #expect(try vault.items(ofClass: "genp").count == 1)
        rmdir(directory + "/vault.kc.new")
        try vault.add(addition("more"))
        #expect(try vault.items(ofClass: "genp").count == 2)
    }

    @Test(.enabled(if: geteuid() != 0, "root writes everywhere")) func `A folder that cannot be written is an error`()
        throws
    {
        let vault = try open()
        chmod(directory, 0o500)
        defer { chmod(directory, 0o700) }
        #expect(throws: KeychainError.self) { try vault.add(addition("plain")) }
        #expect(try vault.items(ofClass: "genp").isEmpty)
    }

    /// The limit of a process on the size of files stands in for a full disk: both end a write in the middle.
    @Test func `A full disk leaves the old vault`() async throws {
        try await onThread {
            let vault = try open()
            for index in 0..<8 { try vault.add(addition("item \(index)")) }
            let size = try FileManager.default.attributesOfItem(atPath: directory + "/vault.kc")[.size] as? Int ?? 0
            let child = try Child.start(
                [Tool.path, "full", directory, "\(size + 10)"], output: scratch.file("output"))
            #expect(child.ending() == 0)
            let lines = try String(contentsOfFile: scratch.file("output"), encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "io(operation: \"writeTemporary\", errno: \(EFBIG))")
            #expect(lines.last == "9")
            #expect(try vault.items(ofClass: "genp").count == 9)
            #expect(!FileManager.default.fileExists(atPath: directory + "/vault.kc.new"))
        }
    }

    /// Only in a name space of its own may a test mount something.
    @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/unshare", X_OK) == 0, "only root mounts"))
    func `A full file system leaves the old vault`() async throws {
        try await onThread {
            let script = try scratch.script(
                "full",
                """
                #!/bin/sh
                set -e
                mkdir '\(scratch.path)/small'
                mount -t tmpfs -o size=64k,mode=700 none '\(scratch.path)/small' || exit 77
                mkdir -m 700 '\(scratch.path)/small/keychain'
                '\(Tool.path)' fill '\(scratch.path)/small/keychain'

                """)
            let child = try Child.start(["/usr/bin/unshare", "-m", script], output: scratch.file("output"))
            let ending = child.ending()
            if ending == 77 { return }
            #expect(ending == 0)
            let lines = try String(contentsOfFile: scratch.file("output"), encoding: .utf8).split(separator: "\n")
            #expect(lines == ["full io(operation: \"writeTemporary\", errno: \(ENOSPC))", "all there", "goes on"])
        }
    }

    @Test func `A folder that is replaced is noticed`() throws {
        let vault = try open()
        try vault.add(addition("plain"))
        rename(directory, scratch.file("elsewhere"))
        let other = try open()
        try other.add(addition("of the new one"))
        // What is written now must not vanish in a folder that is no longer used.
        #expect(throws: KeychainError.self) { try vault.add(addition("more")) }
        #expect(try other.items(ofClass: "genp").count == 1)
    }

    @Test func `A folder that is taken away is noticed`() throws {
        let vault = try open()
        try vault.add(addition("plain"))
        try FileManager.default.removeItem(atPath: directory)
        #expect(throws: KeychainError.self) { try vault.add(addition("more")) }
        #expect(throws: KeychainError.self) { _ = try vault.items(ofClass: "genp") }
    }

    /// Two who hold two locks would overwrite each other's writes.
    @Test func `A lock file that is replaced locks out no process`() async throws {
        try await onThread {
            let vault = try open()
            let directory = vault.directory
            let (isDone, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let isHeld = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? directory.whileLocked {
                    isHeld.signal()
                    isFree.wait()
                }
            }
            isHeld.wait()
            Thread.detachNewThread {
                _ = try? vault.add(addition("waits"))
                isDone.signal()
            }
            usleep(50_000)
            unlink(self.directory + "/lock")
            try directory.whileLocked { () throws(KeychainError) in
                isFree.signal()
                // The one that waited for the file that is gone must not believe to have the lock.
                #expect(isDone.wait(timeout: .now() + 0.3) == .timedOut)
            }
            #expect(isDone.wait(timeout: .now() + 600) == .success)
            #expect(try vault.items(ofClass: "genp").count == 1)
        }
    }

    /// A generation that a stopped write left as a second name of the backup still opens with the old passcode.
    @Test func `A new passcode leaves no old generation`() throws {
        struct Stopped: Error {}
        var configuration = try Corpus.configuration(directory, finger: false)
        configuration.clock = hastyClock()
        let vault = try Vault.open(configuration)
        try vault.add(addition("plain"))
        var stopping = configuration
        stopping.faults = { if $0 == .rename { throw Stopped() } }
        let doomed = try Vault.open(stopping)
        #expect(throws: KeychainError.self) { try doomed.add(addition("never")) }
        try vault.changePasscode()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(names.filter { $0.hasPrefix("vault.kc") } == ["vault.kc"])
    }

    @Test func `Interruptions do not end a write`() async throws {
        try await onThread {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            var before = sigaction()
            sigaction(SIGUSR2, &action, &before)
            defer { sigaction(SIGUSR2, &before, nil) }
            let vault = try open()
            let target = pthread_self()
            let isOver = Flag()
            Thread.detachNewThread {
                while !isOver.isSet {
                    pthread_kill(target, SIGUSR2)
                    usleep(200)
                }
                isOver.acknowledge()
            }
            for index in 0..<50 { try vault.add(addition("item \(index)")) }
            isOver.set()
            isOver.waitForAcknowledgement()
            #expect(try vault.items(ofClass: "genp").count == 50)
        }
    }

    private final class Flag: @unchecked Sendable {
        // Proof: the value is only touched with the lock held.
        private let lock = NSLock()
        private var value = false
        private let acknowledged = DispatchSemaphore(value: 0)
        var isSet: Bool {
            lock.lock()
            defer { lock.unlock() }
            return value
        }
        func set() {
            lock.lock()
            value = true
            lock.unlock()
        }
        func acknowledge() { acknowledged.signal() }
        func waitForAcknowledgement() { acknowledged.wait() }
    }
}
