import CountersignServer
import Foundation
import TestSupport
import Testing

@Suite struct HealthCommandTests {
    @Test func `A server that takes requests is ready, and one that is gone cannot be reached`() async throws {
        let directory = try await TestDirectory.prepared()
        /// A server is not ready where its store needs more than two seconds, as on a machine that does much else.
        func health(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Transcript {
            for _ in 0..<100 {
                let told = try await Program.run(["health"] + arguments, in: directory, environment: environment)
                if told.status == 0 { return told }
            }
            return try await Program.run(["health"] + arguments, in: directory, environment: environment)
        }
        try await directory.serving { url, _ in
            let ready = try await health("--server", url)
            #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.error)")
            let json = try await health("--server", url + "/", "--json")
            #expect(try json.json()["status"] as? String == "ready")
            // As in a container: the server's own variable says where it is.
            let listen = String(url.dropFirst("http://".count))
            let here = try await health(environment: ["COUNTERSIGN_LISTEN": listen])
            #expect(here.status == 0 && here.output == "ready\n", "\(here.error)")
        }
        // Not at the port of the one before, which another may have got.
        let address = "http://127.0.0.1:\(try QuietPort.next())"
        let gone = try await Program.run(["health", "--server", address], in: directory)
        #expect(gone.status == 3 && gone.output.isEmpty, "\(gone.error)")
        #expect(gone.error.hasPrefix("countersign: \(address) cannot be reached ("), "\(gone.error)")
        let unnamed = try await Program.run(
            ["health"], in: directory, environment: ["COUNTERSIGN_LISTEN": String(address.dropFirst("http://".count))])
        #expect(
            unnamed.status == 3 && unnamed.error.contains("\(address) cannot be reached")
                && unnamed.error.contains("--server"),
            "\(unnamed.error)")
    }

    /// The image's health is asked so (deploy/container/Containerfile).
    @Test func `A server that ends TLS itself is asked by TLS and has to show its certificate`() async throws {
        let directory = try await TestDirectory.prepared()
        let (_, certificate, key) = try TestAuthority().write(into: directory.url)
        let other = directory.url.appendingPathComponent("other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let stranger = try TestAuthority().write(into: other).certificate
        try await directory.serving("--tls-certificate", certificate, "--tls-key", key) { url, _ in
            let address = String(url.dropFirst("https://".count))
            let file = try directory.write("listen: \(address)\ntls:\n  certificate: \(certificate)\n", to: "c.yaml")
            let variables = ["COUNTERSIGN_LISTEN": address, "COUNTERSIGN_TLS_CERTIFICATE": certificate]
            for (arguments, environment) in [
                ([], variables), (["--config", file], [:]), ([], ["COUNTERSIGN_CONFIG": file]),
            ] as [([String], [String: String])] {
                // A server is not ready where its store needs more than two seconds, as on a machine that does much else.
                var told = try await Program.run(["health"] + arguments, in: directory, environment: environment)
                for _ in 0..<100 where told.status != 0 {
                    told = try await Program.run(["health"] + arguments, in: directory, environment: environment)
                }
                #expect(told.status == 0 && told.output == "ready\n", "\(told)")
            }
            let strange = try await Program.run(
                ["health"], in: directory,
                environment: variables.merging(["COUNTERSIGN_TLS_CERTIFICATE": stranger]) { $1 })
            strange.expect(3)
            #expect(strange.error.contains("shows another certificate than \(stranger) has"), "\(strange.error)")
        }
        let gone = try await Program.run(
            ["health"], in: directory,
            environment: [
                "COUNTERSIGN_LISTEN": "127.0.0.1:\(try QuietPort.next())", "COUNTERSIGN_TLS_CERTIFICATE": certificate,
            ])
        #expect(gone.status == 3 && gone.output.isEmpty, "\(gone.error)")
    }

    /// A container's health check ends the program after five or six seconds, and says then nothing of why.
    @Test func `A peer that takes the connection and says nothing is given up after three seconds, by TLS and without`()
        async throws
    {
        let directory = try TestDirectory()
        let (_, certificate, _) = try TestAuthority().write(into: directory.url)
        let peer = try SilentPeer()
        let address = "127.0.0.1:\(peer.port)"
        async let byTLS = Program.run(
            ["health"], in: directory,
            environment: ["COUNTERSIGN_LISTEN": address, "COUNTERSIGN_TLS_CERTIFICATE": certificate])
        async let plain = Program.run(["health", "--server", "http://\(address)"], in: directory)
        let told = try await (byTLS, plain)
        told.0.expect(3)
        #expect(told.0.error.contains("https://\(address): No complete answer came in 3 s"), "\(told.0.error)")
        told.1.expect(3)
        #expect(told.1.error.contains("No complete answer came in 3"), "\(told.1.error)")
        peer.close()
    }

    @Test(arguments: [
        ([:], "http://127.0.0.1:8080"), (["COUNTERSIGN_LISTEN": "0.0.0.0:9000"], "http://127.0.0.1:9000"),
        (["COUNTERSIGN_LISTEN": "[::]:9000"], "http://127.0.0.1:9000"),
        (["COUNTERSIGN_LISTEN": "[::1]:9000"], "http://[::1]:9000"),
        (["COUNTERSIGN_LISTEN": "0.0.0.0:9000", "COUNTERSIGN_TLS_CERTIFICATE": "/dev/null"], "https://127.0.0.1:9000"),
    ])
    func `The server of an environment is asked where it listens`(
        environment: [String: String], url: String
    ) async throws {
        #expect(try await LocalServer.load(environment: environment, systemFile: "/nowhere").url == url)
    }

    @Test func `The system's file says where its server listens, if this user may read it`() async throws {
        let directory = try TestDirectory()
        let file = try directory.write("listen: \"[::]:8443\"\n", to: "s.yaml")
        #expect(try await LocalServer.load(environment: [:], systemFile: file).url == "http://127.0.0.1:8443")
        let named = try await LocalServer.load(
            environment: ["COUNTERSIGN_LISTEN": "127.0.0.1:9000"], systemFile: file)
        #expect(named.url == "http://127.0.0.1:9000")
        await #expect(throws: ConfigurationFaults.self) {
            try await LocalServer.load(environment: ["COUNTERSIGN_LISTEN": "nonsense"], systemFile: file)
        }
    }

    @Test(arguments: ["login.example.com", "http://login.example.com", "ftp://127.0.0.1"])
    func `An address that is not asked is usage`(server: String) async throws {
        let transcript = try await Program.run(["health", "--server", server], in: try TestDirectory())
        #expect(transcript.status == 2, "\(transcript.error)")
    }
}
