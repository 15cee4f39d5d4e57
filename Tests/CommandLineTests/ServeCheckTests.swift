import CountersignServer
import Foundation
import JSON
import TestSupport
import Testing

@testable import countersign

/// What a start would meet, judged before it.
@Suite struct ServeCheckTests {
    private struct Report: Decodable {
        struct Finding: Decodable, Equatable {
            let area: String
            let state: String
            let text: String
            let remedy: String?
        }

        let isReady: Bool
        let findings: [Finding]

        func states(_ area: String) -> [String] { findings.filter { $0.area == area }.map(\.state) }
    }

    /// The report, and the exit code.
    private func check(
        _ directory: TestDirectory, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (Report, Int32) {
        let transcript = try await Program.run(
            ["serve", "--check", "--json", "--listen", "127.0.0.1:0"] + arguments, in: directory,
            environment: environment)
        let report = try JSONDecoder().decode(Report.self, from: Data(transcript.output.utf8))
        #expect(transcript.error.isEmpty, "\(transcript.error)")
        return (report, transcript.status)
    }

    /// Every file below a directory with its content, rights and time, without the streams of runs, which ``Program`` keeps there.
    private func files(_ path: String) throws -> [String: [String]] {
        var files: [String: [String]] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? []
        where !name.hasPrefix("run-") {
            let file = (path as NSString).appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            files[name] = [
                "\(attributes[.modificationDate] ?? 0)", "\(attributes[.posixPermissions] ?? 0)",
                FileManager.default.contents(atPath: file)?.base64EncodedString() ?? "",
            ]
        }
        return files
    }

    @Test func `Where nothing is yet nothing is made`() async throws {
        let directory = try TestDirectory()
        let before = try files(directory.url.path)
        let (report, status) = try await check(directory, "--data", directory.data)
        #expect(status == 0 && report.isReady, "\(report)")
        #expect(report.states("data") == ["ok"] && report.states("database") == ["ok"])
        #expect(report.states("masterKey") == ["ok"] && report.states("mail") == ["warning"])
        #expect(try files(directory.url.path) == before)
    }

    @Test func `Data of a server is judged and left as it is`() async throws {
        let directory = try await TestDirectory.prepared()
        let before = try files(directory.data)
        let (report, status) = try await check(directory, "--data", directory.data)
        #expect(status == 0 && report.isReady, "\(report)")
        #expect(report.findings.contains { $0.area == "database" && $0.text.contains("sealed with the master key") })
        #expect(try files(directory.data) == before)
        // For people.
        let text = try await Program.run(
            ["serve", "--check", "--data", directory.data, "--listen", "127.0.0.1:0"], in: directory)
        #expect(text.status == 0 && text.output.contains("0 to be mended."), "\(text.output)")
        #expect(text.output.hasPrefix("ok    Every key is understood."))
    }

    @Test func `A server that runs is not disturbed and its port is taken`() async throws {
        let directory = try await TestDirectory.prepared()
        try await directory.serving { url, _ in
            let address = String(url.dropFirst("http://".count))
            let transcript = try await Program.run(
                ["serve", "--check", "--data", directory.data, "--listen", address], in: directory)
            #expect(transcript.status == 0, "\(transcript.output)")
            #expect(transcript.output.contains("note  listen: \(address) is taken"))
            let added = try await directory.run("user", "add", "anna@example.com", "--generate-password")
            #expect(added.status == 0, "\(added.error)")
        }
    }

    @Test func `All that is wrong is said at once`() async throws {
        let directory = try await TestDirectory.prepared()
        let (one, other) = (try TestAuthority(), try TestAuthority())
        let certificate = try directory.write(one.certificate, to: "certificate.pem")
        try directory.writePrivately(other.key, to: directory.url.appendingPathComponent("key.pem").path)
        let configuration = try directory.write(
            """
            data: \(directory.data)
            listn: 127.0.0.1:1
            passwords: { threads: 0 }
            log: { format: xml }
            tls:
              certificate: \(certificate)
              key: \(directory.url.appendingPathComponent("key.pem").path)
            mail:
              from: login@example.com
              smtp: { url: "smtp://127.0.0.1:9", encryption: none }
            """, to: "server.yaml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: directory.data + "/admin-token")
        try Data((Data(repeating: 7, count: 32).base64EncodedString() + "\n").utf8)
            .write(to: URL(fileURLWithPath: directory.data + "/master-key"))
        let (report, status) = try await check(directory, "--config", configuration)
        #expect(status == 1 && !report.isReady)
        let faults = report.findings.filter { $0.state == "fault" }
        #expect(faults.filter { $0.area == "configuration" }.count == 3, "\(faults)")
        for (area, words) in [
            ("data", "admin-token can be read by every user"), ("masterKey", "is not the one"),
            ("tls", "is not the key of"),
            ("mail", "127.0.0.1:9 cannot be used"),
        ] {
            #expect(faults.contains { $0.area == area && $0.text.contains(words) }, "\(area): \(faults)")
        }
        #expect(faults.allSatisfy { $0.area == "tls" || $0.remedy != nil })
        #expect(!"\(report)".contains("PRIVATE KEY"))
    }

    @Test func `A certificate that ends soon and development data are told`() async throws {
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        let files = try TestAuthority().write(into: directory.url)
        let (report, status) = try await check(
            directory, "--data", directory.data, "--tls-certificate", files.certificate, "--tls-key", files.key)
        #expect(status == 1)
        #expect(report.states("tls") == ["warning"])
        #expect(report.findings.contains { $0.area == "database" && $0.text.contains("holds development data") })
    }

    @Test func `A database without its key and a directory that may not be written are faults`() async throws {
        let directory = try await TestDirectory.prepared()
        try FileManager.default.removeItem(atPath: directory.data + "/master-key")
        let (report, status) = try await check(directory, "--data", directory.data)
        #expect(status == 1)
        #expect(report.states("masterKey") == ["fault"])
        #expect(!FileManager.default.fileExists(atPath: directory.data + "/master-key"), "No new key is made.")
        let (elsewhere, code) = try await check(directory, "--data", directory.data + "/api-key/below")
        #expect(code == 1 && elsewhere.states("data") == ["fault"], "\(elsewhere)")
    }

    @Test func `A file that cannot be read is all that is said of it and json is for the check alone`() async throws {
        let directory = try TestDirectory()
        let (report, status) = try await check(directory, "--config", "nowhere.yaml")
        #expect(status == 1 && report.findings.count == 1)
        let wrong = try await Program.run(["serve", "--json"], in: directory)
        #expect(wrong.status == 2 && wrong.error.contains("--json is for --check"))
    }

    @Test func `A test mail has two names`() async throws {
        let directory = try await TestDirectory.prepared()
        for command in [["mail", "test"], ["delivery", "test-mail"]] {
            let sent = try await Program.run(
                command + ["ops@example.com", "--data", directory.data, "--json"], in: directory)
            #expect(sent.status == 0 && sent.output.contains("ops@example.com"), "\(sent.error)")
        }
        #expect(try await directory.run("mail", "test", "nowhere").status != 0)
    }

    @Test(
        arguments: [
            (true, [:], true), (true, ["NO_COLOR": ""], true), (true, ["NO_COLOR": "1"], false),
            (true, ["NO_COLOR": "0"], false),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm-256color"], true), (false, [:], false),
        ] as [(Bool, [String: String], Bool)])
    func `Colours are for terminals whose reader wants them`(
        isTerminal: Bool, environment: [String: String], shown: Bool
    ) {
        #expect(Terminal.showsColours(isTerminal: isTerminal, environment) == shown)
    }
}
