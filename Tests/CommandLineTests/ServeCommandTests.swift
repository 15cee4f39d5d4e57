import ClientHTTP
import Foundation
import TestSupport
import Testing

@Suite struct ServeCommandTests {
    @Test func `It serves says where and ends well`() async throws {
        let directory = try TestDirectory()
        let server = try Program.start(["serve", "--data", directory.data, "--listen", "127.0.0.1:0"], in: directory)
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        let url = String(line.dropFirst("listening on ".count))
        #expect(url.hasPrefix("http://127.0.0.1:") && !url.hasSuffix(":0"))
        let health = try await HTTPClient().get(try #require(URL(string: "\(url)/health/live")))
        #expect(health.status == 200, "\(health)")
        server.terminate()
        let transcript = await server.transcript()
        #expect(transcript.status == 0, "\(transcript.error)")
        #expect(transcript.output == line + "\n", "Standard output has this line alone.")
        #expect(transcript.error.contains("info"), "The log is on standard error.")

        for (path, mode) in [
            ("", 0o700), ("/admin-token", 0o600), ("/api-key", 0o600), ("/master-key", 0o600),
            ("/countersign.sqlite", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.data + path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
    }

    @Test func `A service manager is told that the program is ready, alive and ending, and reloads it`() async throws {
        let directory = try await TestDirectory.prepared()
        let manager = try ServiceManager()
        let server = try Program.start(
            ["serve", "--data", directory.data, "--listen", "127.0.0.1:0"], in: directory,
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "1000000"])
        defer { server.kill() }
        var told: [String] = []
        while !told.contains(where: { $0.hasPrefix("READY=1\n") }) || !told.contains("WATCHDOG=1\n") {
            told.append(try await manager.nextOnThread())
        }
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        let address = line.dropFirst("listening on ".count)
        #expect(told.contains("READY=1\nSTATUS=Listening on \(address)\n"), "\(told)")
        server.hangUp()
        // They come twice a second: not all of these were on their way before the signal.
        for _ in 0..<3 { told.append(try await manager.nextOnThread()) }
        #expect(!told.contains { $0.hasPrefix("STOPPING=1\n") }, "A reload ended the server.")
        server.terminate()
        while told.last?.hasPrefix("STOPPING=1\n") != true { told.append(try await manager.nextOnThread()) }
        #expect(await server.transcript().status == 0)
    }

    @Test func `A service manager hands on its socket, by TLS and without, and keeps it`() async throws {
        let directory = try await TestDirectory.prepared()
        let (_, certificate, key) = try TestAuthority().write(into: directory.url)
        let socket = try HandedSocket()
        let address = "127.0.0.1:\(socket.port)"
        let client = HTTPClient()
        let live = try #require(URL(string: "http://\(address)/health/live"))
        // It waits in the socket until the server is there.
        async let early = client.get(live)
        for options in [[], ["--tls-certificate", certificate, "--tls-key", key]] {
            let check = try Program.start(
                ["serve", "--check", "--data", directory.data] + options, in: directory, handingOn: socket)
            let told = await check.transcript()
            #expect(
                told.status == 0 && told.output.contains("ok    The service manager listens on \(address)"), "\(told)")
            let server = try Program.start(
                ["serve", "--data", directory.data, "--listen", "127.0.0.1:1"] + options, in: directory,
                handingOn: socket)
            let scheme = options.isEmpty ? "http" : "https"
            let line = try await server.line { $0.hasPrefix("listening on ") }
            #expect(line == "listening on \(scheme)://\(address)", "\(server.errorSoFar)")
            #expect(server.errorSoFar.contains("listen is 127.0.0.1:1, and the service manager listens on \(address)"))
            if options.isEmpty {
                let status = try await early.status
                #expect(status == 200)
            }
            var variables = ["COUNTERSIGN_LISTEN": address]
            if !options.isEmpty { variables["COUNTERSIGN_TLS_CERTIFICATE"] = certificate }
            var health = try await Program.run(["health"], in: directory, environment: variables)
            // A server is not ready where its store needs more than two seconds, as on a machine that does much else.
            for _ in 0..<100 where health.status != 0 {
                health = try await Program.run(["health"], in: directory, environment: variables)
            }
            health.expect(0)
            server.terminate()
            await server.transcript().expect(0)
        }
    }

    @Test func `A socket that cannot be served is usage`() async throws {
        let directory = try TestDirectory()
        for (socket, fault) in [
            (try HandedSocket(.ofThisMachine), "hands on a socket that is none of TCP"),
            (try HandedSocket(host: "0.0.0.0"), "ListenStream: plain http to 0.0.0.0:"),
        ] {
            let server = try Program.start(
                ["serve", "--data", directory.data], in: directory, handingOn: socket)
            let transcript = await server.transcript()
            transcript.expect(2)
            #expect(transcript.error.contains(fault), "\(transcript.error)")
            #expect(!FileManager.default.fileExists(atPath: directory.data), "Nothing is made before all is judged.")
        }
    }

    /// `serve` is read without the tree of all commands, which these need.
    @Test func `Its help and the completions are those of the whole program`() async throws {
        let directory = try TestDirectory()
        let help = try await Program.run(["serve", "--help"], in: directory)
        #expect(help.status == 0 && help.output.contains("USAGE: countersign serve "), "\(help.output)")
        let completions = try await Program.run(["serve", "--generate-completion-script", "bash"], in: directory)
        #expect(completions.status == 0 && completions.output.contains("audit"), "\(completions.error)")
        let wrong = try await Program.run(["serve", "--lisen", "127.0.0.1:0"], in: directory)
        #expect(wrong.status == 2 && wrong.error.contains("Usage: countersign serve "), "\(wrong.error)")
    }

    @Test func `A second start keeps the data`() async throws {
        let directory = try await TestDirectory.prepared()
        let token = try String(contentsOfFile: directory.data + "/admin-token", encoding: .utf8)
        try await directory.serving { _, _ in
            let added = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
            #expect(added.status == 0, "\(added.error)")
        }
        let keys = try await directory.run("key", "list", "--json").output
        try await directory.serving { url, _ in
            let remote = try await Program.run(
                ["user", "show", "anna", "--server", url] + tokenFile(directory), in: directory)
            #expect(remote.status == 0, "\(remote.error)")
        }
        #expect(try await directory.run("key", "list", "--json").output == keys)
        #expect(try String(contentsOfFile: directory.data + "/admin-token", encoding: .utf8) == token)
    }

    @Test func `Development warns and has an inbox`() async throws {
        let development = try await TestDirectory.prepared(isDevelopment: true)
        try await development.serving("--dev") { url, server in
            #expect(server.errorSoFar.contains("warning"))
            let inbox = try await HTTPClient().get(try #require(URL(string: "\(url)/dev/inbox.json")))
            #expect(inbox.status == 200, "\(inbox)")
        }
        let production = try await TestDirectory.prepared()
        try await production.serving { url, _ in
            let inbox = try await HTTPClient().get(try #require(URL(string: "\(url)/dev/inbox.json")))
            #expect(inbox.status == 404, "\(inbox)")
        }
    }

    @Test func `A port that is taken is one sentence`() async throws {
        let directory = try await TestDirectory.prepared()
        try await directory.serving { url, _ in
            let address = String(url.dropFirst("http://".count))
            let second = try await directory.run("serve", "--listen", address)
            #expect(second.status == 1, "\(second)")
            #expect(second.output.isEmpty)
            #expect(second.error.contains("countersign: \(address) is taken by another program."))
            #expect(!second.error.contains("Fatal error"))
        }
    }

    @Test func `Configuration is read from flags environment and file`() async throws {
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        let file = try directory.write(
            "listen: 127.0.0.1:0\ndata: \(directory.data)\nlog:\n  level: critical\n", to: "c.yaml")
        let server = try Program.start(
            ["serve", "--config", file], in: directory, environment: ["COUNTERSIGN_DEV": "true"])
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        let inbox = try await HTTPClient().get(
            try #require(URL(string: line.dropFirst("listening on ".count) + "/dev/inbox.json")))
        #expect(inbox.status == 200, "\(inbox)")
        server.terminate()
        await server.transcript().expect(0)
    }

    @Test(arguments: [
        (["--listen", "0.0.0.0:0"], "plain http to 0.0.0.0:0 would show passwords to the network"),
        (["--listen", "here"], "--listen: \"here\" is no address"),
        (
            ["--tls-certificate", "missing.pem", "--tls-key", "missing.pem"],
            "--tls-certificate: \"missing.pem\" cannot be read"
        ),
        (["--log-level", "loud"], "--log-level: there is no level \"loud\""),
        (["--config", "missing.yaml"], "missing.yaml"),
        (["--nonsense"], "Unknown option '--nonsense'"),
    ])
    func `A fault in the configuration is usage`(options: [String], fault: String) async throws {
        let directory = try TestDirectory()
        let transcript = try await Program.run(["serve", "--data", directory.data] + options, in: directory)
        #expect(transcript.status == 2, "\(transcript)")
        #expect(transcript.error.contains(fault), "\(transcript.error)")
        #expect(!FileManager.default.fileExists(atPath: directory.data), "Nothing is made before all is judged.")
    }

    @Test func `Data that cannot be used is unreachable`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write("", to: "file")
        let notADirectory = try await Program.run(["serve", "--data", file, "--listen", "127.0.0.1:0"], in: directory)
        #expect(notADirectory.status == 3, "\(notADirectory)")
        #expect(notADirectory.error.contains("The data directory \(file) cannot be made"))

        let key = directory.data + "/master-key"
        try FileManager.default.removeItem(atPath: key)
        let missing = try await directory.run("serve", "--listen", "127.0.0.1:0")
        #expect(missing.status == 3, "\(missing)")
        #expect(missing.error.contains("There is no master key in \(directory.data)."))
        #expect(!FileManager.default.fileExists(atPath: key), "A second master key would open nothing.")

        try directory.writePrivately(Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: key)
        for command in [["serve", "--listen", "127.0.0.1:0"], ["user", "list"]] {
            let wrong = try await Program.run(command + ["--data", directory.data], in: directory)
            #expect(wrong.status == 3, "\(wrong)")
            #expect(wrong.output.isEmpty)
            #expect(wrong.error.contains("The master key is not the one that this data was sealed with."))
        }

        try directory.writePrivately("not a key\n", to: key)
        let malformed = try await directory.run("serve", "--listen", "127.0.0.1:0")
        #expect(malformed.status == 3, "\(malformed)")
        #expect(malformed.error.contains("holds no master key"))
    }

    @Test func `Files that are no TLS are named`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write("no certificate\n", to: "certificate.pem")
        let transcript = try await directory.run(
            "serve", "--listen", "127.0.0.1:0", "--tls-certificate", file, "--tls-key", file)
        #expect(transcript.status == 2, "\(transcript)")
        #expect(transcript.error.contains("\(file) cannot be used for TLS"), "\(transcript.error)")
    }
}

/// The token of the test's own server.
func tokenFile(_ directory: TestDirectory) -> [String] { ["--token-file", directory.data + "/admin-token"] }
