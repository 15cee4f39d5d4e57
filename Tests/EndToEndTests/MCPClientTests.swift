import Foundation
import TestSupport
import Testing

/// The Model Context Protocol's own client, unmodified, against the built program and a server of tools behind a scope.
@Suite struct MCPClientTests {
    @Test(.timeLimit(.minutes(60)))
    func `An MCP client that knows an address alone finds this server, makes itself known and calls tools`()
        async throws
    {
        let data = try TestRun.place(for: "mcp")
        let authority = try TestAuthority()
        let certificate = data.path + ".certificate.pem"
        let key = data.path + ".key.pem"
        let root = data.path + ".root.pem"
        defer { for path in [certificate, key, root, data.path] { try? FileManager.default.removeItem(atPath: path) } }
        try authority.certificate.write(toFile: certificate, atomically: true, encoding: .utf8)
        try authority.root.write(toFile: root, atomically: true, encoding: .utf8)
        try authority.key.write(toFile: key, atomically: true, encoding: .utf8)
        // The site with the client's document has a certificate of the test's own.
        let server = try await ServerProcess(
            ["--dev"], dataDirectory: data,
            environment: Endurance.cheapHashes.merging(["COUNTERSIGN_EXTENSIONS_AUTHORITIES": root]) { $1 })
        let outcome = try await PythonPeer.run(
            "Browser/clients/real_clients_test.py",
            [server.url.absoluteString, try ServerProcess.executable, data.path, "mcp"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
