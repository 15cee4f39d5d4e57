internal import BlockingTestSupport
internal import Foundation

/// Runs a program, waits for its end and gives what it said. Blocks.
package struct Tool {
    package struct Outcome {
        package let status: Int32
        /// Standard output and standard error.
        package let output: String
    }

    /// What a test needs and the machine does not have: `make deps` installs it.
    package struct Missing: Error, CustomStringConvertible {
        package let name: String
        package var description: String { "\(name) is not installed; run `make deps`." }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package let path: String

    package static func isInstalled(_ name: String) -> Bool { search(name) != nil }

    private static func search(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile(atPath:))
    }

    package init(_ name: String) throws {
        guard let path = Self.search(name) else { throw Missing(name: name) }
        self.path = path
    }

    /// Runs it in a folder; the environment adds to this process's own.
    package func run(
        _ arguments: [String], in folder: String, environment: [String: String] = [:]
    ) throws -> Outcome {
        let name = "\(folder)/output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: name) }
        let status = try ChildProcess(
            path: path, arguments, in: folder,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: name
        ).wait()
        let text = try Data(contentsOf: URL(fileURLWithPath: name))
        return Outcome(status: status, output: String(decoding: text, as: UTF8.self))
    }

    /// The same, for a program that must succeed.
    @discardableResult
    package func check(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws -> String {
        let outcome = try run(arguments, in: folder, environment: environment)
        guard outcome.status == 0 else {
            throw Failure(description: "\(path) \(arguments) ended with \(outcome.status): \(outcome.output)")
        }
        return outcome.output
    }
}
