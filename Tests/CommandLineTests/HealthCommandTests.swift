import TestSupport
import Testing

@testable import countersign

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
