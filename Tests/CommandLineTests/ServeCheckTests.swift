import CountersignCore
import Foundation
import JSON
import TestSupport
import Testing

@testable import CountersignServer
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

    /// Foundation's own ends the program for the first of them.
    @Test(arguments: [
        ("d", "."), ("dd", "."), ("d/e", "d"), ("d/e/", "d"), ("/d", "/"), ("/", "/"), ("//d", "/"), ("./d", "."),
        ("/d//e", "/d"), ("", "."), ("..", "."),
    ])
    func `A path of any length has a directory`(path: String, directory: String) {
        #expect(path.parentDirectory == directory)
    }

    @Test func `A data directory of one letter is one`() async throws {
        let directory = try TestDirectory()
        let (report, status) = try await check(directory, "--data", "d")
        #expect(status == 0 && report.states("data") == ["ok"], "\(report)")
        let (below, code) = try await check(directory, "--data", "a/b/c")
        #expect(code == 0 && below.states("data") == ["ok"], "\(below)")
    }

    @Test(arguments: [
        (0o777, "every user of this machine may replace what is in"),
        (0o755, "other users of this machine may look into"),
    ])
    func `A directory that is not this user's alone is warned of`(mode: Int, problem: String) async throws {
        let directory = try await TestDirectory.prepared()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.data)
        let (report, status) = try await check(directory, "--data", directory.data)
        #expect(status == 0 && report.states("data") == ["warning"], "\(report)")
        let text = report.findings.first { $0.area == "data" }?.text
        #expect(text == "\(problem) \(directory.data) (mode \(String(mode, radix: 8)))")
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
        let files = try TestAuthority(until: 43_200).write(into: directory.url)
        let (report, status) = try await check(
            directory, "--data", directory.data, "--tls-certificate", files.certificate, "--tls-key", files.key)
        #expect(status == 1)
        let certificates = report.findings.filter { $0.area == "tls" }
        #expect(certificates.map(\.state) == ["warning", "warning"], "Its end, and its authority.")
        #expect(certificates.first?.text.contains("is good for 0 days") == true, "\(certificates)")
        #expect(report.findings.contains { $0.area == "database" && $0.text.contains("holds development data") })
    }

    /// What is said of a certificate file and a key file, on a machine that trusts the authorities of a third one.
    private func certificate(
        _ certificate: String, _ key: String, trusting authorities: String, publicURL: String? = nil
    ) async throws -> [Report.Finding] {
        let directory = try TestDirectory()
        let place = directory.url.appendingPathComponent("key.pem").path
        try directory.writePrivately(key, to: place)
        let arguments = [
            "--tls-certificate", try directory.write(certificate, to: "certificate.pem"), "--tls-key", place,
        ]
        let transcript = try await Program.run(
            ["serve", "--check", "--json", "--listen", "127.0.0.1:0", "--data", directory.data] + arguments
                + (publicURL.map { ["--public-url", $0] } ?? []), in: directory,
            environment: ["SSL_CERT_FILE": try directory.write(authorities, to: "authorities.pem")])
        #expect(!transcript.output.contains("PRIVATE KEY") && !transcript.error.contains("PRIVATE KEY"))
        let report = try JSONDecoder().decode(Report.self, from: Data(transcript.output.utf8))
        return report.findings.filter { $0.area == "tls" }
    }

    @Test func `A chain that ends too early or is mixed up and a name that it lacks are told`() async throws {
        let (own, other) = (try TestAuthority(until: 90 * 86_400), try TestAuthority())
        func states(_ chain: String, trusting authorities: String, _ url: String? = nil) async throws -> [String] {
            try await certificate(chain, own.key, trusting: authorities, publicURL: url).map {
                "\($0.state) \($0.text)"
            }
        }
        let whole = try await states(own.certificate, trusting: other.root + own.root, "https://localhost")
        #expect(whole.count == 1 && whole[0].hasPrefix("ok "), "\(whole)")
        let early = try await states(own.certificate, trusting: "")
        #expect(early.count == 2 && early[1].contains("ends before an authority that this machine trusts"), "\(early)")
        let itself = try await states(own.certificate + own.root, trusting: "no certificate")
        #expect(itself.count == 2 && itself[1].contains("signed by itself"), "\(itself)")
        let mixed = try await states(own.certificate + other.certificate, trusting: own.root)
        #expect(
            mixed.count == 2 && mixed[1].contains("certificate 2 in") && mixed[1].contains("did not sign"), "\(mixed)")
        let elsewhere = try await states(own.certificate, trusting: own.root, "https://login.example.com")
        #expect(elsewhere.count == 2 && elsewhere[1].contains("is not for login.example.com"), "\(elsewhere)")
    }

    @Test func `Files that TLS cannot be had with are faults with the file`() async throws {
        let (own, other) = (try TestAuthority(), try TestAuthority())
        let (expired, early) = (try TestAuthority(from: -172_800, until: -86_400), try TestAuthority(from: 3600))
        for (chain, key, words) in [
            (expired.certificate, expired.key, "certificate.pem expired on"),
            (early.certificate, early.key, "certificate.pem is good from"),
            (own.certificate, other.key, "key.pem cannot be used for TLS (it is not the key of"),
            ("", own.key, "certificate.pem cannot be used for TLS"),
            (own.certificate, "", "key.pem cannot be used for TLS"),
            (own.key, own.key, "certificate.pem cannot be used for TLS"),
            (own.certificate, own.certificate, "key.pem cannot be used for TLS"),
            (
                own.certificate, own.key.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"),
                "key.pem cannot be used for TLS (it is sealed with a passphrase"
            ),
            (String(own.certificate.dropLast(80)), own.key, "certificate.pem cannot be used for TLS"),
        ] {
            let found = try await certificate(chain, key, trusting: own.root)
            #expect(found.map(\.state) == ["fault"], "\(words): \(found)")
            #expect(found.first?.text.contains(words) == true, "\(words): \(found)")
        }
        // Root reads everything, and no one reads a directory.
        let directory = try TestDirectory()
        let files = try own.write(into: directory.url)
        for (chain, key) in [(directory.url.path, files.key), (files.certificate, directory.url.path)] {
            let (report, status) = try await check(
                directory, "--data", directory.data, "--tls-certificate", chain, "--tls-key", key)
            #expect(status == 1 && report.states("tls") == ["fault"], "\(report)")
            #expect(report.findings.contains { $0.area == "tls" && $0.text.contains("it cannot be read") })
        }
    }

    @Test func `A mail server without encryption, certificate or login is told with what to do`() async throws {
        let directory = try TestDirectory()
        let authority = try TestAuthority().write(into: directory.url)
        let identity = (authority.certificate, authority.key)
        let (plain, login) = (
            try await MailServer(), try await MailServer(tls: .starttls, identity: identity, login: ("ops", "right"))
        )
        defer {
            plain.stop()
            login.stop()
        }
        for (port, more, words, remedy) in [
            (plain.port, [:], "smtp-no-starttls", "offers no encryption"),
            (login.port, [:], "smtp-certificate", "mail.smtp.authorities"),
            (
                login.port,
                [
                    "COUNTERSIGN_MAIL_SMTP_AUTHORITIES": authority.root, "COUNTERSIGN_MAIL_SMTP_USER": "ops",
                    "COUNTERSIGN_MAIL_SMTP_PASSWORD": "SECRET",
                ], "smtp-login-535", "mail.smtp.user"
            ),
        ] {
            let settings = [
                "COUNTERSIGN_MAIL_FROM": "login@example.com", "COUNTERSIGN_MAIL_SMTP_URL": "smtp://localhost:\(port)",
            ]
            let (report, status) = try await check(
                directory, "--data", directory.data, environment: settings.merging(more) { $1 })
            let found = try #require(report.findings.first { $0.area == "mail" })
            #expect(status == 1 && found.state == "fault" && found.text.contains(words), "\(found)")
            #expect(found.remedy?.contains(remedy) == true, "\(found)")
            #expect(!"\(report)".contains("SECRET"))
        }
        #expect(plain.mails.isEmpty && login.mails.isEmpty)
    }

    @Test func `A mail server that refuses this machine is not taken for one that is away`() {
        for (reason, words) in [
            ("smtp-554", "refuses this machine"), ("smtp-421", "refuses this machine"), ("smtp-timeout", "in time"),
            ("smtp-login-535", "mail.smtp.user"), ("smtp-connection-7", "the port is open"), ("smtp-setup", "the port"),
        ] {
            #expect(ServerCheck.remedy(ofMailServer: reason).contains(words), "\(reason)")
        }
    }

    /// Both wait at the same time: what never answers costs seconds, and hides nothing else.
    @Test(.timeLimit(.minutes(20)))
    func `A database and a mail server that never answer are given up and all else is told beside them`() async throws {
        let silent = try ScriptedService { _ in [.hold] }
        defer { silent.stop() }
        let directory = try TestDirectory()
        let expired = try TestAuthority(from: -172_800, until: -86_400).write(into: directory.url)
        let (report, status) = try await check(
            directory, "--data", directory.data, "--database", "postgres://127.0.0.1:\(silent.port)/x?sslmode=disable",
            "--tls-certificate", expired.certificate, "--tls-key", expired.key,
            environment: [
                "COUNTERSIGN_MAIL_FROM": "login@example.com",
                "COUNTERSIGN_MAIL_SMTP_URL": "smtp://127.0.0.1:\(silent.port)",
            ])
        #expect(status == 1)
        for area in ["database", "tls", "mail"] { #expect(report.states(area) == ["fault"], "\(area): \(report)") }
        #expect(report.states("data") == ["ok"] && report.states("listen") == ["ok"])
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

    @Test func `Where a file cannot be understood what flags say is judged, and the rest is named`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write("listen: [\n", to: "broken.yaml")
        for name in ["nowhere.yaml", file] {
            let (report, status) = try await check(directory, "--config", name, "--data", directory.data)
            #expect(status == 1 && report.states("configuration") == ["fault", "warning"], "\(report)")
            #expect(report.states("listen") == ["ok"] && report.states("data") == ["ok"], "\(report)")
            #expect(report.findings.count == 4, "\(report)")
            #expect(
                report.findings.last?.text.hasSuffix(
                    "the master key, the database, the database's clock, certificate and key, open files, the mail server"
                ) == true, "\(report)")
        }
        let (report, _) = try await check(
            directory, "--config", file, environment: ["COUNTERSIGN_HTTP_MAX_CONNECTIONS": "10"])
        #expect(report.states("data") == [] && report.states("descriptors") == ["ok"], "\(report)")
    }

    @Test func `JSON is for the check alone`() async throws {
        let directory = try TestDirectory()
        let wrong = try await Program.run(["serve", "--json"], in: directory)
        #expect(wrong.status == 2 && wrong.error.contains("--json is for --check"))
    }

    @Test(
        arguments: [
            (1_048_576, nil, .ok, nil), (4096, nil, .ok, nil), (4095, nil, .warning, nil), (1024, nil, .warning, nil),
            (1, nil, .warning, nil), (1024, 768, .ok, nil), (1024, 769, .warning, 1025), (65_536, 1000, .ok, nil),
            (65_536, 65_281, .warning, 65_537), (65_536, 65_280, .ok, nil),
        ] as [(Int, Int?, CheckFinding.State, Int?)])
    func `Too few open files for the connections that are wanted are told with how many to allow`(
        openFiles: Int, maximum: Int?, state: CheckFinding.State, wanted: Int?
    ) {
        let finding = ServerCheck.descriptors(ConnectionOptions(maximum: maximum), openFiles: openFiles)
        #expect(finding.area == .descriptors && finding.state == state, "\(finding)")
        #expect((finding.remedy == nil) == (state == .ok), "\(finding)")
        if let wanted {
            #expect(finding.remedy?.contains("allow \(wanted):") == true, "\(finding)")
            #expect(ServerCheck.descriptors(ConnectionOptions(maximum: maximum), openFiles: wanted).state == .ok)
        }
    }

    @Test(
        arguments: [
            (nil, nil), (0, .ok), (1.9, .ok), (-1.9, .ok), (2, .warning), (-29.9, .warning), (30, .fault),
            (-3600, .fault),
        ] as [(TimeInterval?, CheckFinding.State?)])
    func `A clock that differs from the database's is told and a fault from half a minute on`(
        skew: TimeInterval?, state: CheckFinding.State?
    ) {
        let findings = ServerCheck.clock(skew)
        #expect(findings.map(\.state) == (state.map { [$0] } ?? []), "\(findings)")
        #expect(findings.allSatisfy { $0.area == .clock && ($0.remedy == nil) == ($0.state == .ok) }, "\(findings)")
    }

    @Test func `A test mail has two names, and is refused where no mail server is set up`() async throws {
        let directory = try await TestDirectory.prepared()
        for command in [["mail", "test"], ["delivery", "test-mail"]] {
            let sent = try await Program.run(
                command + ["ops@example.com", "--data", directory.data, "--json"], in: directory)
            #expect(sent.status == 0 && sent.output.contains("ops@example.com"), "\(sent.error)")
        }
        #expect(try await directory.run("mail", "test", "nowhere").status != 0)
        let told = try await directory.run("mail", "test", "dev@example.com")
        #expect(told.output.contains("`countersign delivery show`"), "Nobody knows yet whether it goes: \(told)")

        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        try await opened.realm.note(
            PublicAddress(url: "https://login.example.com", isConfigured: true),
            Deployment(isDevelopment: false, isEncrypted: true, mail: .none, hashMemory: 19_456, hashPasses: 2))
        try await opened.close()
        let refused = try await directory.run("mail", "test", "ops@example.com")
        #expect(refused.status == 1 && refused.error.contains("Set mail.smtp.url and mail.from"), "\(refused)")
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
