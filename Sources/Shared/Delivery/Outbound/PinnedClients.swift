import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import OutboundTLS
import Synchronization

/// HTTP clients, each of which connects to one address for one host, whatever name services say meanwhile.
///
/// The library takes the address with the client, not with the request, so that there is a client for each. They are kept,
/// as are their connections for a moment, and the longest unused goes where there are too many.
final class PinnedClients: Sendable {
    /// Clients that are kept.
    static let limit = 32

    private struct Pin: Hashable {
        /// As it stands in the URL.
        let host: String
        let address: NetworkAddress
    }

    private struct Entry {
        let client: HTTPClient
        var users: Int
        var lastUse: Int
    }

    private struct State {
        var entries: [Pin: Entry] = [:]
        var uses = 0
    }

    private let trustRoots: NIOSSLTrustRoots?
    private let state = Mutex(State())

    init(trustRoots: NIOSSLTrustRoots?) {
        self.trustRoots = trustRoots
    }

    /// How many there are.
    var count: Int { state.withLock { $0.entries.count } }

    deinit {
        // A client that is let go of without being shut down is a fault to the library.
        for entry in state.withLock({ $0.entries.values.map(\.client) }) {
            entry.shutdown { _ in _ = entry }
        }
    }

    func withClient<T: Sendable>(
        for host: String, at address: NetworkAddress, _ body: (HTTPClient) async throws -> T
    ) async throws -> T {
        let pin = Pin(host: host, address: address)
        let client = state.withLock { state in
            state.uses += 1
            var entry = state.entries[pin] ?? Entry(client: fresh(pin), users: 0, lastUse: 0)
            entry.users += 1
            entry.lastUse = state.uses
            state.entries[pin] = entry
            return entry.client
        }
        let result: Result<T, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        let spare = state.withLock { state in
            state.entries[pin]?.users -= 1
            return Self.spare(&state)
        }
        if let spare { try? await spare.shutdown() }
        return try result.get()
    }

    func shutDown() async {
        let clients = state.withLock { state in
            let clients = state.entries.values.map(\.client)
            state.entries = [:]
            return clients
        }
        for client in clients { try? await client.shutdown() }
    }

    private static func spare(_ state: inout State) -> HTTPClient? {
        guard state.entries.count > limit,
            let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return nil }
        state.entries[oldest.key] = nil
        return oldest.value.client
    }

    private func fresh(_ pin: Pin) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = .outbound(trusting: trustRoots)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.dnsOverride = [pin.host: pin.address.description]
        configuration.timeout.connect = .seconds(2)
        // A call does not wait for a second attempt: its deadline is short, and whether to repeat it is for others to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Shorter than servers keep theirs, so that a call does not meet a connection which is just being closed.
        configuration.connectionPool.idleTimeout = .seconds(3)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
