import Foundation

/// A program of these tests that is written in Python, because what it tries ours with is.
enum PythonPeer {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a script of this folder in the Python that `make deps` made of `Tests/requirements.txt`, as that is now.
    static func run(_ script: String, _ arguments: [String], input: String? = nil) async throws -> Tool.Outcome {
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let environment = root.appendingPathComponent(".build/test-python")
        let installed = try? Data(contentsOf: environment.appendingPathComponent("requirements.txt"))
        guard installed == (try Data(contentsOf: root.appendingPathComponent("Tests/requirements.txt"))) else {
            throw MissingTool(name: "What Tests/requirements.txt lists")
        }
        return try await Tool(path: environment.appendingPathComponent("bin/python").path)
            .run([tests.appendingPathComponent(script).path] + arguments, input: input)
    }
}
