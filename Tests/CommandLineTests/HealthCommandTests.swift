import Testing

@testable import countersign

@Suite struct HealthCommandTests {
    @Test func `A server that takes requests is ready, and one that is gone cannot be reached`() async throws {
        let directory = try await TestDirectory.prepared()
        var address = ""
        try await directory.serving { url, _ in
            address = url
            let ready = try await Program.run(["health", "--server", url], in: directory)
            #expect(ready.status == 0 && ready.output == "ready\n", "\(ready.error)")
            let json = try await Program.run(["health", "--server", url + "/", "--json"], in: directory)
            #expect(try json.json()["status"] as? String == "ready")
            // As in a container: the server's own variable says where it is.
            let listen = String(url.dropFirst("http://".count))
            let here = try await Program.run(["health"], in: directory, environment: ["COUNTERSIGN_LISTEN": listen])
            #expect(here.status == 0 && here.output == "ready\n", "\(here.error)")
        }
        let gone = try await Program.run(["health", "--server", address], in: directory)
        #expect(gone.status == 3 && gone.output.isEmpty, "\(gone.error)")
    }

    @Test(arguments: [
        ([:], "http://127.0.0.1:8080"), (["COUNTERSIGN_LISTEN": "0.0.0.0:9000"], "http://127.0.0.1:9000"),
        (["COUNTERSIGN_LISTEN": "[::]:9000"], "http://127.0.0.1:9000"),
        (["COUNTERSIGN_LISTEN": "[::1]:9000"], "http://[::1]:9000"),
        (["COUNTERSIGN_LISTEN": "nonsense"], "http://127.0.0.1:8080"),
    ])
    func `The server of an environment is asked where it listens`(environment: [String: String], url: String) {
        #expect(Health.here(environment) == url)
    }

    @Test(arguments: ["login.example.com", "http://login.example.com", "ftp://127.0.0.1"])
    func `An address that is not asked is usage`(server: String) async throws {
        let transcript = try await Program.run(["health", "--server", server], in: try TestDirectory())
        #expect(transcript.status == 2, "\(transcript.error)")
    }
}
