import CountersignServer
import Foundation
import Logging
import PasswordHashing
import TestSupport

/// The whole server on a port of its own, with what it logs.
enum LiveServer {
    static func run(
        isDevelopment: Bool = false, log: CapturedLog = CapturedLog(), logger: Logger? = nil,
        configure: (inout CountersignServer.Options) -> Void = { _ in },
        _ body: @escaping @Sendable (URL, OpenedRealm) async throws -> Void
    ) async throws {
        let folder = try TestRun.place(for: "live")
        defer { try? FileManager.default.removeItem(at: folder) }
        let opened = try await OpenedRealm.open(
            DataDirectory(path: folder.path), hashing: Argon2idParameters(memoryKiB: 1024, operations: 1),
            isDevelopment: isDevelopment)
        var options = CountersignServer.Options(port: 0, isDevelopment: isDevelopment)
        configure(&options)
        let server = CountersignServer(opened, options: options, logger: logger ?? log.logger)
        do {
            try await server.serving { url in try await body(url, opened) }
        } catch {
            try? await opened.close()
            throw error
        }
        try await opened.close()
    }
}
