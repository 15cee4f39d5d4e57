import Foundation
import Testing

/// The built program ends TLS, and its certificate is replaced while it runs.
@Suite struct CertificateTests {
    private let folder: URL
    private let openssl: Tool
    private let curl: Tool

    init() throws {
        guard let openssl = Tool(named: "openssl") else { throw MissingTool(name: "openssl") }
        guard let curl = Tool(named: "curl") else { throw MissingTool(name: "curl") }
        (self.openssl, self.curl) = (openssl, curl)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("countersign-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// A certificate that signed itself, as NAME.pem and NAME.key.
    private func make(_ name: String, days: Int = 90) async throws {
        let made = try await openssl.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "\(days)",
            "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
        ])
        #expect(made.status == 0, "\(made.errors)")
    }

    /// Puts copies in the place that the server reads.
    private func serve(certificate: String, key: String) throws {
        for (source, target) in [("\(certificate).pem", "served.pem"), ("\(key).key", "served.key")] {
            try Data(contentsOf: folder.appendingPathComponent(source))
                .write(to: folder.appendingPathComponent(target), options: .atomic)
        }
    }

    /// The name in the certificate that a fresh connection sees, and the version of HTTP that it speaks.
    private func seen(at url: URL, _ version: String) async throws -> (name: String?, version: String) {
        let outcome = try await curl.run([
            "--silent", "--verbose", "--insecure", version, "--max-time", "300", "--write-out", "%{http_version}",
            "--output", "/dev/null", "\(url)/health/live",
        ])
        let line = outcome.errors.split(separator: "\n").first { $0.contains("subject: ") }
        return (line?.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespaces) }, outcome.output)
    }

    private func expectSeen(_ name: String, at url: URL) async throws {
        for (option, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
            let seen = try await seen(at: url, option)
            #expect(seen.name == name)
            #expect(seen.version == version)
        }
    }

    private func metrics(_ url: URL) async throws -> [String: Double] {
        let text = try await curl.run(["--silent", "--insecure", "--max-time", "300", "\(url)/metrics"]).output
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("countersign_tls_") {
            let words = line.split(separator: " ")
            if words.count == 2 {
                values[words[0].dropFirst("countersign_tls_certificate_".count).description] = Double(words[1])
            }
        }
        return values
    }

    private func wait(_ url: URL, until isReached: ([String: Double]) -> Bool) async throws {
        for _ in 0..<6_000 {
            if isReached(try await metrics(url)) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("The server did not get there: \(try await metrics(url))")
    }

    @Test func `New connections get the new certificate and open ones go on`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["first", "second", "third"] { try await make(name) }
        try serve(certificate: "first", key: "first")
        let server = try await ServerProcess([
            "--dev", "--tls-certificate", path("served.pem"), "--tls-key", path("served.key"),
        ])
        let url = server.url
        #expect(url.scheme == "https")
        try await expectSeen("first", at: url)
        let before = try await metrics(url)
        let expiry = try #require(before["expires_at_seconds"])
        #expect(abs(expiry - Date().timeIntervalSince1970 - 90 * 86_400) < 3600)
        #expect(before["replacements_total"] == 0)

        // A connection that was there before, and a session that might be resumed.
        let held = try HeldConnection(openssl: openssl.path, port: try #require(url.port), sessionFile: path("session"))
        try await held.ask(times: 1)

        try serve(certificate: "second", key: "second")
        kill(server.processIdentifier, SIGHUP)
        try await wait(url) { $0["replacements_total"] == 1 }
        try await expectSeen("second", at: url)
        try await held.ask(times: 2)
        let resumed = try await openssl.run(
            [
                "s_client", "-connect", "127.0.0.1:\(try #require(url.port))", "-sess_in", path("session"),
                "-ign_eof",
            ], input: "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(resumed.output.contains("New, TLSv1.3"), "No client resumes the session of another certificate.")
        #expect(resumed.output.contains("CN = second") || resumed.output.contains("CN=second"))

        // A key that does not belong to it, and something that is no certificate.
        try serve(certificate: "third", key: "first")
        kill(server.processIdentifier, SIGHUP)
        try await wait(url) { $0["refusals_total"] == 1 }
        try await expectSeen("second", at: url)
        // The server keeps a connection that is silent for 75 seconds, which are not many on a slow machine.
        try await held.ask(times: 3)
        try Data("broken".utf8).write(to: folder.appendingPathComponent("served.pem"))
        kill(server.processIdentifier, SIGHUP)
        try await wait(url) { $0["refusals_total"] == 2 }
        try await expectSeen("second", at: url)
        try await held.ask(times: 4)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("served.key"))
        kill(server.processIdentifier, SIGHUP)
        try await wait(url) { $0["refusals_total"] == 3 }
        try await expectSeen("second", at: url)
        try await held.ask(times: 5)

        // Without a signal the clock decides.
        try serve(certificate: "third", key: "third")
        let moved = try await curl.run([
            "--silent", "--insecure", "--max-time", "300", "--header", "Content-Type: application/json", "--data",
            #"{"advanceSeconds":60}"#, "\(url)/dev/clock",
        ])
        #expect(moved.status == 0, "\(moved.errors)")
        try await wait(url) { $0["replacements_total"] == 2 }
        try await expectSeen("third", at: url)
        try await held.ask(times: 6)
        held.end()
        #expect(await server.terminate() == 0)
    }
}

/// A connection that `openssl s_client` holds open.
private final class HeldConnection {
    private let process = Process()
    private let input = Pipe()
    private let output: URL

    init(openssl: String, port: Int, sessionFile: String) throws {
        output = URL(fileURLWithPath: sessionFile + ".out")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = [
            "s_client", "-connect", "127.0.0.1:\(port)", "-sess_out", sessionFile, "-quiet", "-no_ign_eof",
        ]
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Asks once more on the same connection, and waits for the answer.
    func ask(times: Int) async throws {
        try input.fileHandleForWriting.write(
            contentsOf: Data("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        for _ in 0..<12_000 {
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            if text.components(separatedBy: "HTTP/1.1 200").count == times + 1 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("The connection gave no answer number \(times).")
    }

    func end() { process.terminate() }
}
