/// The same resource with and without a scope.
enum Guarded {
    /// Where the tokens are issued: each request reads what the client has proven.
    static func atIssuer(_ bench: Workbench, _ path: String) async throws -> [Quantity: [Double]] {
        let servers = try await bench.resourceServers()
        return try await get("/mfp/api/adapters/\(path)", of: servers.issuer, servers, bench)
    }

    /// In another process.
    static func atService(_ bench: Workbench, _ path: String) async throws -> [Quantity: [Double]] {
        let servers = try await bench.resourceServers()
        return try await get("/\(path)", of: servers.service, servers, bench)
    }

    private static func get(
        _ path: String, of server: ServerProcess, _ servers: ResourceServers, _ bench: Workbench
    ) async throws -> [Quantity: [Double]] {
        // Open ones get the token too, so that all requests are of one length.
        let token = try await servers.token()
        return try await bench.measure(server) { _ in Getting(path, bearer: token) }.quantities
    }
}
