import CountersignCore
import Foundation
import Logging
import PasswordHashing
import Synchronization
import Testing

@testable import CountersignServer

/// What operators read in the log about the certificate.
@Suite struct CertificateServiceTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("countersign-certificate-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func make(_ name: String, days: Int) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "\(days)", "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume()
            }
        }
        #expect(process.terminationStatus == 0)
    }

    private func put(_ source: String, as target: String) throws {
        try Data(contentsOf: folder.appendingPathComponent(source)).write(to: folder.appendingPathComponent(target))
    }

    @Test(arguments: [(-1, "has expired"), (0, "expires in 0 days"), (1, "expires in 1 day"), (2, "expires in 2 days")])
    func `The end of a certificate is told in days`(days: Int, words: String) {
        #expect(CertificateService.ends(in: days) == words)
    }

    @Test(arguments: [(false, false, 3), (true, false, 2), (false, true, 2), (true, true, 2)])
    func `A hangup ends a server that has no certificate to read and was not told to live on`(
        readsCertificate: Bool, ignoresHangups: Bool, count: Int
    ) {
        let endings = ServerApplication.endings(readsCertificate: readsCertificate, ignoresHangups: ignoresHangups)
        #expect(endings.count == count, "\(endings)")
    }

    @Test func `What is refused and what is about to expire is logged with what to do`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await make("short", days: 10)
        try await make("long", days: 90)
        try put("short.pem", as: "served.pem")
        try put("short.key", as: "served.key")
        let clock = SteppedClock()
        let opened = try await OpenedRealm.open(
            DataDirectory(path: path("data")), hashing: Argon2idParameters(memoryKiB: 1024, operations: 1), clock: clock
        )
        let log = CapturedLog()
        let server = CountersignServer(
            opened,
            options: CountersignServer.Options(
                port: 0, tls: (certificate: path("served.pem"), key: path("served.key"))),
            logger: log.logger)
        @Sendable func wait(for words: String) async throws -> String {
            for _ in 0..<4_800 {
                if let line = log.lines.first(where: { $0.contains(words) }) { return line }
                try await Task.sleep(for: .milliseconds(25))
            }
            Issue.record("Nothing in the log says \(words): \(log.lines)")
            return ""
        }
        try await server.serving { _ in
            #expect(try await wait(for: "the served certificate expires in 9 days").hasPrefix("warning"))

            try put("long.pem", as: "served.pem")
            clock.advance(10)
            let refused = try await wait(for: "the certificate on disk is refused, and the one from before stays")
            #expect(refused.hasPrefix("error"))
            #expect(refused.contains("served.key cannot be used for TLS (it is not the key of"))
            #expect(refused.contains("Put a certificate and its key there"))

            try put("long.key", as: "served.key")
            clock.advance(10)
            #expect(try await wait(for: "new connections get the new certificate").hasPrefix("notice"))
            #expect(log.lines.count { $0.contains("is refused") } == 1, "Once, and not with every look.")

            // One that has expired does not take the place of one that has not.
            clock.advance(30 * 86_400)
            try put("short.pem", as: "served.pem")
            try put("short.key", as: "served.key")
            clock.advance(10)
            _ = try await wait(for: "it expired on")
            let expiry = try #require(server.certificate?.expiresAt)
            #expect(expiry > clock.now)
        }
        try await opened.close()
    }
}

private final class SteppedClock: WallClock {
    private let microseconds = Mutex<Int64>(SystemClock().now.microseconds)

    var now: Date { Date(microseconds: microseconds.withLock { $0 }) }

    func advance(_ seconds: Int64) { microseconds.withLock { $0 += seconds * 1_000_000 } }
}
