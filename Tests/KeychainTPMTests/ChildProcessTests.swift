import BlockingTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc

    /// What tests start beside others, and leave running for a while.
    @Suite(.onOwnThreads) struct ChildProcessTests {
        @Test func `A program that a test starts keeps no socket and no pipe of another test`() throws {
            // As SwiftNIO and Foundation make them: handed on.
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(listener > 2 && fcntl(listener, F_GETFD) == 0)
            defer { close(listener) }
            let pipe = Pipe()
            let said = FileManager.default.temporaryDirectory.appendingPathComponent("child-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: said) }
            let status = try ChildProcess(
                path: "/bin/ls", ["/proc/self/fd"], in: "/", environment: ProcessInfo.processInfo.environment,
                output: said.path
            ).wait()
            // The fourth is the list itself.
            #expect(try status == 0 && String(contentsOf: said, encoding: .utf8) == "0\n1\n2\n3\n")
            withExtendedLifetime(pipe) {}
        }
    }
#endif
