import Foundation
import Testing

/// `peer.py`, in the Python that `make deps` made.
enum Peer {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("peer.py")
    private static let python = script.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".build/test-python/bin/python")

    static func run(_ arguments: String..., input: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (given, said) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try Data(input.utf8).write(to: given)
        _ = FileManager.default.createFile(atPath: said.path, contents: nil)
        let process = Process()
        process.executableURL = python
        process.arguments = [script.path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "peer.py \(arguments)")
        return try String(contentsOf: said, encoding: .utf8)
    }

    static func json(_ arguments: String..., input: String) throws -> Any {
        let text =
            try arguments.count == 1 ? run(arguments[0], input: input) : run(arguments[0], arguments[1], input: input)
        return try JSONSerialization.jsonObject(with: Data(text.utf8))
    }
}
