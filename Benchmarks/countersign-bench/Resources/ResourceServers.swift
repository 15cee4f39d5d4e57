import Foundation
import IBMMobileFirstPlatformFoundation

/// The servers with resources, and tokens for them.
struct ResourceServers: Sendable {
    let issuer: ServerProcess
    let service: ServerProcess
    private let sessions: [SecuritySession]

    /// Clients that hold a token each, for a load of several.
    static let clients = 16

    init(in scratch: String, allocations: AllocationCounter?) async throws {
        let program = ProcessInfo.processInfo.arguments[0]
        issuer = try await ServerProcess(
            program, ["issuer", "--data", "\(scratch)/issuer"], allocations: allocations?.environment(for: "issuer"))
        let url = "http://127.0.0.1:\(issuer.port)"
        service = try await ServerProcess(
            program, ["service", "--issuer", url], allocations: allocations?.environment(for: "service"))
        var sessions: [SecuritySession] = []
        for _ in 0..<Self.clients {
            let session = SecuritySession(
                applicationID: Issuer.application, version: "1.0.0", server: URL(string: url),
                keys: InMemoryClientKeys())
            try await WLAuthorizationManager(session: session)
                .login(Issuer.check, withCredentials: ["pin": Issuer.pin])
            sessions.append(session)
        }
        self.sessions = sessions
    }

    /// Good for an hour; another one where less than that is left.
    func token() async throws -> String { try await token(of: sessions[0]) }

    /// One of each client.
    func tokens() async throws -> [String] {
        var tokens: [String] = []
        for session in sessions { tokens.append(try await token(of: session)) }
        return tokens
    }

    private func token(of session: SecuritySession) async throws -> String {
        try await WLAuthorizationManager(session: session).obtainAccessToken(forScope: Issuer.scope).value
    }

    func stop() async {
        await service.stop()
        await issuer.stop()
    }
}
