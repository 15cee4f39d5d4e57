/// The same work by another server.
enum Peers {
    @Sendable static func keys(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let peer = try await bench.peerServer()
        return try await bench.measure(peer.server) { _ in Getting(PeerRequest.keys) }.quantities
    }

    @Sendable static func refresh(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let peer = try await bench.peerServer()
        let people = try peer.people.take(64)
        let tokens = Collected<String>()
        // One after another: of those that sign in at once some have tokens that are of no use.
        _ = try await bench.load.run(port: peer.server.port, connections: 1, seconds: 600) { _ in
            PeerSigningIn(people: people, refreshTokens: tokens)
        }
        return try await bench.measure(peer.server) { _ in
            guard let token = tokens.take() else { throw OutOfPeople() }
            return PeerRefreshing(token: token)
        }.quantities
    }

    @Sendable static func wrongCode(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let peer = try await bench.peerServer()
        let waiting = try await passwordsGiven(peer, bench, perSecond: 600)
        return try await bench.measure(peer.server) { _ in PeerGivingWrongCode(waiting: waiting) }.quantities
    }

    @Sendable static func rightCode(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let peer = try await bench.peerServer()
        let waiting = try await passwordsGiven(peer, bench, perSecond: 600)
        return try await bench.measure(peer.server) { _ in PeerSigningIn(waiting: waiting) }.quantities
    }

    @Sendable static func signIn(_ bench: Workbench) async throws -> [Quantity: [Double]] {
        let peer = try await bench.peerServer()
        let people = try peer.people.take(bench.options.people(perSecond: 600))
        return try await bench.measure(peer.server) { _ in PeerSigningIn(people: people) }.quantities
    }

    /// Gives many people's passwords, whose codes are then waited for.
    private static func passwordsGiven(
        _ peer: PeerServer, _ bench: Workbench, perSecond: Int
    ) async throws -> Collected<Waiting> {
        let people = try peer.people.take(bench.options.people(perSecond: perSecond))
        let waiting = Collected<Waiting>()
        _ = try await bench.load.run(port: peer.server.port, connections: 64, seconds: 600) { _ in
            PeerSigningIn(people: people, waiting: waiting, isPasswordAlone: true)
        }
        return waiting
    }
}
