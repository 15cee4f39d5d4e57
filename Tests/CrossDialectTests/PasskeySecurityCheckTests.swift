import CountersignCore
import DialectTestSupport
import Foundation
import PasskeyTestSupport
import SecurityChecks
import ServerHTTP
import Testing

/// A scope of MobileFirst that a passkey opens, whichever protocol enrolled it.
@Suite("Passkeys as a security check")
struct PasskeySecurityCheckTests {
    private static let origin = "http://localhost:8080"

    /// A passkey of a fresh account, enrolled by Identity Toolkit's calls.
    private func enrolled(_ server: TestServer) async throws -> (user: String, authenticator: SoftwareAuthenticator) {
        let signedUp = try await server.post(
            "/v1/accounts:signUp",
            ["email": "ada@example.com", "password": "a long and quiet afternoon", "returnSecureToken": true])
        let token = signedUp.json["idToken"]
        let begun = try await server.post("/v2/accounts/passkeyEnrollment:start", ["idToken": token])
        let options = begun.json["credentialCreationOptions"]
        var authenticator = SoftwareAuthenticator(origin: Self.origin)
        let response = try JSON(parsing: authenticator.create(optionsJSON: Data(options.bytes)))
        let made = try await server.post(
            "/v2/accounts/passkeyEnrollment:finalize",
            ["idToken": token, "authenticatorRegistrationResponse": response])
        #expect(made.status == 200, "\(made.text)")
        return (try #require(signedUp.json["localId"].text), authenticator)
    }

    @Test
    func `A passkey opens a scope, and a wrong answer brings another challenge`() async throws {
        let checks: @Sendable (Realm) -> [SecurityCheckDefinition] = { realm in
            [
                SecurityCheckDefinition(
                    "Passkey",
                    ProofLoginSecurityCheck(
                        realm: realm, by: .passkey,
                        limits: AttemptLimits(maxAttempts: 3, successStateExpiration: 60, blockedStateExpiration: 60)))
            ]
        }
        try await TestServer.with(.development, checks: checks) { server in
            let (user, owned) = try await enrolled(server)
            var authenticator = owned
            try await server.setVersions([ApplicationVersion()])
            let client = try await MobileClient.registered(on: server)
            func ask(_ answer: JSON? = nil) async throws -> Reply {
                try await client.preauthorize("Passkey", answer.map { ["Passkey": $0] })
            }
            func challenge(_ reply: Reply) throws -> JSON {
                let challenge = reply.json["challenges"]["Passkey"]["challenge"]
                #expect(reply.status == 401 && challenge["challenge"].text != nil, "\(reply.text)")
                return challenge
            }
            let first = try challenge(try await ask())
            #expect(try challenge(try await ask()) == first, "It stays for as long as it is open.")
            var elsewhere = authenticator
            elsewhere.origin = "http://localhost:8081"
            let wrong = try JSON(parsing: elsewhere.get(optionsJSON: Data(first.bytes)))
            let second = try challenge(try await ask(wrong))
            #expect(second["challenge"] != first["challenge"])
            let late = try JSON(parsing: authenticator.get(optionsJSON: Data(first.bytes)))
            let third = try challenge(try await ask(late))
            let right = try JSON(parsing: authenticator.get(optionsJSON: Data(third.bytes)))
            let granted = expectGranted(try await ask(right))
            #expect(granted["Passkey"]["user"]["id"] == .string(user))
        }
    }
}
