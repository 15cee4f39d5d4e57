import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Counts a process's instructions with `perf stat`: unlike time, they do not depend on the neighbours. Virtual machines often have
/// no such counter; then there is no figure.
enum InstructionCounter {
    private static let path = "/usr/bin/perf"

    /// Whether the processor's counter can be read here.
    static let isThere: Bool = {
        guard FileManager.default.isExecutableFile(atPath: path) else { return false }
        return count(["true"]) != nil
    }()

    /// Instructions while the body runs; nil where they cannot be counted.
    static func count<T>(
        of process: Int32, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async throws -> (T, Double?) {
        guard isThere else { return (try await body(), nil) }
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("perf-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let perf = Process()
        perf.executableURL = URL(fileURLWithPath: path)
        perf.arguments = ["stat", "-x,", "-e", "instructions:u", "-o", output.path, "-p", "\(process)"]
        try perf.run()
        let result: T
        do {
            result = try await body()
        } catch {
            kill(perf.processIdentifier, SIGKILL)
            throw error
        }
        kill(perf.processIdentifier, SIGINT)
        while perf.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        return (result, (try? String(contentsOf: output, encoding: .utf8)).flatMap(instructions))
    }

    private static func count(_ command: [String]) -> Double? {
        let perf = Process()
        perf.executableURL = URL(fileURLWithPath: path)
        perf.arguments = ["stat", "-x,", "-e", "instructions:u"] + command
        let pipe = Pipe()
        perf.standardError = pipe
        guard (try? perf.run()) != nil else { return nil }
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        perf.waitUntilExit()
        return instructions(String(decoding: said, as: UTF8.self))
    }

    /// Of lines like `12345,,instructions:u,…`.
    static func instructions(_ text: String) -> Double? {
        text.split(separator: "\n").first { $0.contains("instructions") }
            .flatMap { $0.split(separator: ",").first }.flatMap { Double($0) }
    }
}
