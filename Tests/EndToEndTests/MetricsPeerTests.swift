import Testing

/// Prometheus's own client over what the server tells of itself.
@Suite struct MetricsPeerTests {
    @Test(.timeLimit(.minutes(20)))
    func `Prometheus's parser finds metrics by its conventions, whose number strangers do not raise`() async throws {
        let server = try await ServerProcess(["--dev"], environment: Endurance.cheapHashes)
        let outcome = try await PythonPeer.run("metrics_peer.py", ["\(server.url)/metrics"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(await server.terminate() == 0)
    }
}
