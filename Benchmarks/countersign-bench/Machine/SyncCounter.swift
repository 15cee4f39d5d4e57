import Foundation

/// Counts what a process asks of the disk, with `strace`. It slows the process down, so rates are not taken meanwhile.
enum SyncCounter {
    private static let path = "/usr/bin/strace"

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Calls of `fsync` and `fdatasync` while the body runs; nil where strace may not look.
    static func count<T>(of process: Int32, _ body: () async throws -> T) async throws -> (result: T, syncs: Int?) {
        let strace = Process()
        strace.executableURL = URL(fileURLWithPath: path)
        strace.arguments = ["-f", "-p", "\(process)", "-e", "trace=fsync,fdatasync"]
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("strace-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: output) }
        strace.standardError = try FileHandle(forWritingTo: output)
        try strace.run()
        func said() -> String { String(decoding: (try? Data(contentsOf: output)) ?? Data(), as: UTF8.self) }
        while strace.isRunning, !said().contains("attached") { try await Task.sleep(for: .milliseconds(10)) }
        let result = try await body()
        guard strace.isRunning else { return (result, nil) }
        // Foundation hands on a mask that blocks the gentler signals. What was traced runs on.
        kill(strace.processIdentifier, SIGKILL)
        while strace.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        // A call that another thread interrupts is told in two lines, of which one has the name with its bracket.
        return (result, said().split(separator: "\n").count { $0.contains("sync(") })
    }
}
