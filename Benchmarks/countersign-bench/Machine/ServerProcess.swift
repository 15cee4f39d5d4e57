import CoreFoundation
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server in a process of its own: ours, or the bare one.
final class ServerProcess: Sendable {
    private let process: Mutex<Process>
    let identifier: Int32
    let port: Int
    let figures: ProcessFigures
    /// Nil where its allocations are not counted.
    let allocations: AllocationCounter.Count?

    /// Starts it and waits until it says where it listens.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        allocations: (variables: [String: String], count: AllocationCounter.Count)? = nil
    ) async throws {
        let output = Pipe()
        let process = try Process.started(
            executable, arguments,
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COUNTERSIGN_") }
                .merging(environment) { $1 }.merging(allocations?.variables ?? [:]) { $1 },
            output: output)
        self.allocations = allocations?.count
        identifier = process.processIdentifier
        figures = ProcessFigures(identifier: identifier)
        self.process = Mutex(process)
        let reader = output.fileHandleForReading.fileDescriptor
        let line = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.line(from: reader)) }
        }
        guard line.hasPrefix("listening on "), let colon = line.lastIndex(of: ":"),
            let port = Int(line[line.index(after: colon)...])
        else {
            kill(identifier, SIGKILL)
            throw DidNotStart(executable: executable, said: line)
        }
        self.port = port
        kept.withLock { $0.append(output) }
    }

    /// Starts one that does not say where it listens.
    init(_ executable: String, _ arguments: [String], port: Int) throws {
        let process = try Process.started(executable, arguments)
        allocations = nil
        identifier = process.processIdentifier
        figures = ProcessFigures(identifier: identifier)
        self.port = port
        self.process = Mutex(process)
    }

    /// Pipes stay open as long as the program runs: a server may say more later.
    private let kept = Mutex<[Pipe]>([])

    deinit {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } }
    }

    /// Asks it to end, and waits until it has.
    func stop() async {
        kill(identifier, SIGTERM)
        while process.withLock({ $0.isRunning }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private static func line(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct DidNotStart: Error, CustomStringConvertible {
        let executable: String
        let said: String
        var description: String {
            "\(executable) said \"\(said)\" instead of where it listens. Is it a release of this version?"
        }
    }
}

extension Process {
    /// A program that runs. Its complaints are shown, because they explain a failed measurement.
    /// - Parameters:
    ///   - environment: nil for the one of this process.
    ///   - output: what reads what it says; nil where nothing does.
    static func started(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil, output: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let output {
            process.standardOutput = output
        } else {
            process.standardOutput = FileHandle.nullDevice
        }
        process.standardError = FileHandle.standardError
        try process.run()
        return process
    }
}

/// What the system knows of another process. Linux tells; elsewhere the figures are missing.
struct ProcessFigures: Sendable {
    let identifier: Int32

    /// Seconds on a processor since it began, all its threads together, exact to a microsecond.
    var processorSeconds: Double? {
        #if os(Linux)
            var clock = clockid_t()
            var time = timespec()
            guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        #else
            return nil
        #endif
    }

    /// Resident memory and the process's share of it (pages that several processes have count in parts), in MiB.
    var memory: (resident: Double, proportional: Double)? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8) else {
            return nil
        }
        func mebibytes(_ name: String) -> Double? {
            text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
                .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Double($0) }.map { $0 / 1024 }
        }
        guard let resident = mebibytes("Rss"), let proportional = mebibytes("Pss") else { return nil }
        return (resident, proportional)
    }

    static var ofThisProcess: ProcessFigures { ProcessFigures(identifier: getpid()) }
}
