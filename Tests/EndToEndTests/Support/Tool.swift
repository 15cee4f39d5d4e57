import Foundation
import Synchronization
import Testing

/// Runs a program and waits for its end.
struct Tool {
    let path: String

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// Expects this exit status, and says otherwise what was written: `#expect` tells no values of what is awaited.
        func expect(_ wanted: Int32, _ comment: String = "", _ location: SourceLocation = #_sourceLocation) {
            #expect(
                status == wanted, "\(comment)\n\(output.prefix(2000))\n\(errors.prefix(2000))", sourceLocation: location
            )
        }
    }

    /// A program on the search path, or nil where it is not installed.
    init?(named name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let path = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        self.path = path
    }

    init(path: String) {
        self.path = path
    }

    func run(_ arguments: [String], input: String? = nil) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let stdin = Pipe()
        process.standardInput = stdin
        try process.run()
        // One that has ended already reads nothing.
        if let input { try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try stdin.fileHandleForWriting.close()
        // Both pipes are read to their ends on threads of their own, so that a talkative program is not held up.
        async let said = Self.readToEnd(output.fileHandleForReading)
        async let complained = Self.readToEnd(errors.fileHandleForReading)
        let (text, complaint) = await (said, complained)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: text, errors: complaint)
    }

    private static func readToEnd(_ handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? handle.readToEnd()) ?? nil
                continuation.resume(returning: String(decoding: data ?? Data(), as: UTF8.self))
            }
        }
    }
}

/// What a test needs and the machine does not have: `make deps` installs it.
struct MissingTool: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) is not installed; run `make deps`." }
}
