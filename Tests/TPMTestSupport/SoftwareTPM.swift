internal import BlockingTestSupport
package import Foundation
package import KeychainTPM

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A TPM of its own for one test: `swtpm` with an empty state, in a folder with a short path.
///
/// A shell watches over it: when this process ends, however it does, the shell stops swtpm and removes the folder.
package final class SoftwareTPM: Sendable {
    /// Where swtpm or tpm2-tools are not installed their tests are skipped, unless that is to be a failure.
    package static let isWanted =
        ["swtpm", "tpm2_getcap"].allSatisfy(Tool.isInstalled)
        || ProcessInfo.processInfo.environment["REQUIRE_SWTPM"] == "1"
    package static let hint = "swtpm or tpm2-tools are not installed; scripts/deps installs them"

    package let folder: String
    /// Where swtpm listens.
    package var socket: String { folder + "/s" }
    private let watcher: Locking<ChildProcess?>
    private let port: UInt16?

    /// - Parameter port: For a TPM that listens on TCP.
    package init(port: UInt16? = nil) throws {
        var template = Array("/tmp/ctpm-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Tool.Failure(description: "no temporary folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.port = port
        watcher = Locking(nil)
        try start()
    }

    deinit {
        stop(properly: false)
        try? FileManager.default.removeItem(atPath: folder)
    }

    package func start() throws {
        let server = port.map { "type=tcp,port=\($0)" } ?? "type=unixio,path=\(socket)"
        let script = #"""
            parent=$1 folder=$2; shift 2
            "$@" &
            child=$!
            (while kill -0 $parent; do sleep 1; done; trap '' TERM; kill $child; rm -rf "$folder") 2>/dev/null &
            guard=$!
            trap 'kill $child' TERM
            wait $child; wait $child; kill $guard
            """#
        let process = try ChildProcess(
            path: "/bin/sh",
            [
                "-c", script, "watcher", "\(getpid())", folder,
                try Tool("swtpm").path, "socket", "--tpm2", "--tpmstate", "dir=\(folder)",
                "--ctrl", "type=unixio,path=\(socket).ctrl", "--server", server,
                "--flags", "not-need-init,startup-clear",
            ], in: "/", environment: ProcessInfo.processInfo.environment, output: folder + "/log")
        watcher.withLock { $0 = process }
        // Ready when it answers.
        let deadline = ProcessInfo.processInfo.systemUptime + 600
        while true {
            do {
                _ = try tpm.status()
                return
            } catch {
                guard ProcessInfo.processInfo.systemUptime < deadline else {
                    let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
                    throw Tool.Failure(description: "swtpm does not answer: \(error). \(log)")
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    /// Ends swtpm; `properly` as a computer that is shut down does, else as one that loses its power.
    package func stop(properly: Bool = true) {
        watcher.withLock { watcher in
            guard let running = watcher else { return }
            if properly { _ = try? run("tpm2_shutdown", ["-c"]) }
            running.terminate()
            running.wait()
            watcher = nil
        }
    }

    package var connection: TPMConnection {
        TPMConnection(port.map { .loopback(port: $0) } ?? .unixSocket(path: socket))
    }

    package var tpm: TPM { TPM(transport: connection) }

    /// Runs a program of tpm2-tools, or OpenSSL with its TPM provider, on this TPM.
    @discardableResult
    package func run(_ program: String, _ arguments: [String]) throws -> String {
        let way = "swtpm:path=\(socket)"
        return try Tool(program).check(
            arguments, in: folder,
            environment: ["TPM2TOOLS_TCTI": way, "TPM2OPENSSL_TCTI": way, "TSS2_LOG": "all+NONE"])
    }

    package func write(_ content: some DataProtocol, to name: String) throws -> String {
        try Data(content).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        return name
    }

    /// What is in the TPM's slots: objects and sessions.
    package func occupiedSlots() throws -> String {
        try run("tpm2_getcap", ["handles-transient"]) + run("tpm2_getcap", ["handles-loaded-session"])
    }

    /// The limit on guessing, as an administrator sets it.
    package func limitGuessing(tries: Int, recovery: Int) throws {
        try run("tpm2_dictionarylockout", ["-s", "-n", "\(tries)", "-t", "\(recovery)", "-l", "\(recovery)"])
    }
}

/// A value behind a lock, for tests.
package final class Locking<Value>: @unchecked Sendable {
    // Proof: the value is only touched while the lock is held.
    private var value: Value
    private let lock = NSLock()

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
