import ClientHTTP
import Foundation
import SecurityChecksWire

/// A request for a resource as the app wants it sent. Source: MobileFirst's web SDK.
struct ResourceCall: Sendable {
    var method: String
    var url: URL
    var headers: [String: String] = [:]
    var body: Data?
    var timeout: TimeInterval = 30
    /// What the app says that the resource asks for; nil where it finds out.
    var scope: Scope?

    /// How often it is sent, at most, to have its token accepted. Source: MobileFirst's web SDK.
    private static let maximumTries = 5
    private static let maximumResponseBytes = 64 << 20

    /// Sends it, gets what tokens it needs, and sends it again.
    ///
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``WLError`` where there is no answer, or no token that the resource accepts.
    func send(over session: SecuritySession) async throws -> HTTPClientResponse {
        let connection = try session.connection()
        let target = try session.resourceServer().resource(url)
        let key = ScopeMemory.key(method, target)
        let request = WLRequest()
        var wanted = scope?.union(.registeredClient) ?? connection.scopes.withLock { $0.scope(for: key) }
        var conflicts = 0
        var tries = 0
        while true {
            let token = try await token(for: wanted, key, connection)
            var headers = headers
            if let token { headers["Authorization"] = token.asAuthorizationRequestHeaderField }
            let response = try await session.send(
                method, target, headers: headers, body: body, timeout: timeout,
                maximumResponseBytes: Self.maximumResponseBytes)
            if let gateway = try await connection.engine.passGateways(response, request) {
                gateway.end(request)
                continue
            }
            switch ResourceReaction(status: response.status, headers: response.headers) {
            case .done: return response
            case .conflict:
                guard conflicts < ProtocolLimits.conflictRepeats else { return response }
                conflicts += 1
                continue
            case .freshToken:
                if let token { connection.tokens.withLock { $0.drop(token) } }
                wanted = wanted ?? .registeredClient
            case .token(let scope):
                // The one that was shown is for this very scope, and not good enough any more.
                if scope == wanted, let token { connection.tokens.withLock { $0.drop(token) } }
                wanted = scope.union(self.scope ?? Scope())
                connection.scopes.withLock { $0.remember(scope, for: key) }
            }
            tries += 1
            guard tries < Self.maximumTries else {
                throw WLError(
                    .authorizationFailure,
                    "Cannot retrieve a valid authorization header for \(target.path). "
                        + "Check resource and authorization server configuration.",
                    response: WLResponse(response))
            }
        }
    }

    private func token(for scope: Scope?, _ key: String, _ connection: Connection) async throws -> AccessToken? {
        guard let scope else { return nil }
        do {
            return try await connection.token(for: scope)
        } catch let error as WLError {
            if error.response?.status == 500 { connection.scopes.withLock { $0.forget(key) } }
            throw error
        }
    }
}
