/// The same resource with and without a scope.
enum Guarded {
    /// Where the tokens are issued: each request reads what the client has proven.
    static func atIssuer(_ bench: Workbench, _ path: String, clients: Int = 1) async throws -> [Quantity: [Double]] {
        let servers = try await bench.resourceServers()
        return try await get("/mfp/api/adapters/\(path)", of: servers.issuer, servers, clients, bench)
    }

    /// In another process. Where that asks the issuer, what it costs the issuer is a case of its own (`service-online-issuer`).
    static func atService(_ bench: Workbench, _ path: String, clients: Int = 1) async throws -> [Quantity: [Double]] {
        let servers = try await bench.resourceServers()
        return try await get("/\(path)", of: servers.service, servers, clients, bench)
    }

    /// What the issuer's process spends on questions of the other, for each request to that.
    static func issuerAsked(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let servers = try await bench.resourceServers()
        let before = (servers.issuer.figures.processorSeconds, servers.issuer.allocations?.calls)
        let measured = try await measure("/online", of: servers.service, servers, 1, bench)
        var result: [Quantity: [Double]] = [:]
        if let from = before.0, let to = servers.issuer.figures.processorSeconds {
            result[.serverMicroseconds] = [(to - from) / Double(measured.operations) * 1e6]
        }
        if let from = before.1, let to = servers.issuer.allocations?.calls {
            result[.allocationsEach] = [(to - from) / Double(measured.operations)]
        }
        return result
    }

    private static func get(
        _ path: String, of server: ServerProcess, _ servers: ResourceServers, _ clients: Int, _ bench: Workbench
    ) async throws -> [Quantity: [Double]] {
        try await measure(path, of: server, servers, clients, bench).quantities
    }

    private static func measure(
        _ path: String, of server: ServerProcess, _ servers: ResourceServers, _ clients: Int, _ bench: Workbench
    ) async throws -> Workbench.Measured {
        // Open ones get the token too, so that all requests are of one length.
        let tokens = clients == 1 ? [try await servers.token()] : try await servers.tokens()
        return try await bench.measure(server) { number in Getting(path, bearer: tokens[number % tokens.count]) }
    }
}
