import Foundation
import TestSupport
import Testing

/// `Examples/PinCode`, both programs, as a developer starts them.
@Suite struct ExampleTests {
    /// Runs a program to its end. The input is small enough for the pipe.
    private func run(_ name: String, _ arguments: [String], typing input: String) throws -> (
        status: Int32, text: String
    ) {
        let process = Process()
        process.executableURL = Self.program(name)
        process.arguments = arguments
        let (typed, shown) = (Pipe(), Pipe())
        process.standardInput = typed
        process.standardOutput = shown
        process.standardError = FileHandle.nullDevice
        try process.run()
        try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try typed.fileHandleForWriting.close()
        let text = String(decoding: shown.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Beside the tests' own program.
    private static func program(_ name: String) -> URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
    }

    @Test func `The app in the terminal asks for the PIN and shows the balance`() async throws {
        // Pipes block: not on a thread of Swift's pool.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try play() }) }
        }
    }

    private func play() throws {
        let folder = try TestRun.place(for: "pincode")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = Process()
        server.executableURL = Self.program("pincode-server")
        server.arguments = ["0", folder.path]
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        var line = ""
        while !line.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += String(decoding: more, as: UTF8.self)
        }
        let url = try #require(line.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)

        let right = try run("pincode-client", [url], typing: "9999\n1234\n")
        #expect(right.status == 0)
        #expect(
            right.text == """
                This data requires a PIN code. Remaining attempts: 3
                PIN: Pin code is not valid. Remaining attempts: 2
                PIN: Balance: 19938.80

                """)
        let blocked = try run("pincode-client", [url], typing: "1\n2\n3\n")
        #expect(blocked.status == 1)
        #expect(blocked.text.hasSuffix("Remaining attempts: 1\nPIN: Account blocked\nNo balance: Account blocked\n"))
        let left = try run("pincode-client", [url], typing: "")
        #expect(left.status == 1)
        #expect(left.text.hasSuffix("PIN: No balance: Challenge handler operation was cancelled.\n"))
    }
}
