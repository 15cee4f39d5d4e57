import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

// To answer a check before it asks, and to take it back. Source: MobileFirst's web SDK.
extension Connection {
    /// Satisfies a check; gives no token. Where the credentials are wrong, the check's handler is asked.
    func login(_ check: String, _ credentials: JSONValue) async throws {
        guard !check.isEmpty, !check.contains(" ") else {
            throw WLError(.illegalArgument, "The name of a security check is not empty and has no blanks.")
        }
        try await queue.login {
            try await self.asClient { client in
                try await self.preauthorize(
                    client, Scope([check]), answers: [check: credentials], timeout: self.session.loginTimeout)
            }
        }
    }

    /// Takes back what a check granted, and forgets all tokens.
    func logout(_ check: String) async throws {
        guard let client = await registrar.known() else {
            throw WLError(.authorizationFailure, "Cannot logout before client is registered.")
        }
        try await queue.logout {
            do {
                try await self.send(Endpoint.logout, check: check, client)
                self.tokens.withLock { $0.clear() }
                self.refreshTokens.clear()
            } catch let unknown as UnknownClient {
                // It has nothing left to log out from; the next request registers again.
                await self.forget(client)
                throw unknown.asError
            }
        }
    }

    /// Says that the app is still there. The result does not matter.
    func beat() async {
        guard let client = await registrar.known() else { return }
        do {
            try await send(Endpoint.heartbeat, check: nil, client)
        } catch is UnknownClient {
            await forget(client)
        } catch {}
    }

    private func send(_ path: String, check: String?, _ client: RegisteredClient) async throws {
        let url = try address.endpoint(path)
        let assertion = try await registrar.assertion(of: client, audience: nil, id: nil, at: serverTime)
        let response = try await engine.run { [session] _ in
            try await session.send(
                form: [
                    ("security_check", check), ("client_assertion", assertion),
                    ("client_assertion_type", ClientAssertion.type),
                ], url)
        }
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
    }
}
