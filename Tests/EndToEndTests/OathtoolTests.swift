import Foundation
import Testing

/// The codes come from `oathtool`, so that nothing of ours both makes and checks one.
@Suite struct OathtoolTests {
    @Test func `A user enrols and signs in with codes of another implementation`() async throws {
        guard let oathtool = Tool(named: "oathtool") else { throw MissingTool(name: "oathtool") }
        let server = try await ServerProcess(["--dev"])
        let idToken = try await server.signUp(email: "ada@example.com", password: "a quiet afternoon")
        try await server.confirmAddress(idToken: idToken)

        let start = try await server.post(
            "/v2/accounts/mfaEnrollment:start?key=any",
            ["idToken": idToken, "totpEnrollmentInfo": [:] as [String: Any]])
        let session = try #require(start.json["totpSessionInfo"] as? [String: Any])
        let secret = try #require(session["sharedSecretKey"] as? String)
        func code(ahead seconds: Int) async throws -> String {
            let outcome = try await oathtool.run(
                ["--totp", "--base32", "--now", "now + \(seconds) seconds", secret])
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        let enrolled = try await server.post(
            "/v2/accounts/mfaEnrollment:finalize?key=any",
            [
                "idToken": idToken, "displayName": "oathtool",
                "totpVerificationInfo": [
                    "sessionInfo": try #require(session["sessionInfo"] as? String),
                    "verificationCode": try await code(ahead: 0),
                ],
            ])
        #expect(enrolled.status == 200, "\(enrolled.json)")

        let pending = try await server.post(
            "/v1/accounts:signInWithPassword?key=any",
            ["email": "ada@example.com", "password": "a quiet afternoon", "returnSecureToken": true])
        #expect(pending.json["idToken"] == nil)
        let credential = try #require(pending.json["mfaPendingCredential"] as? String)
        let factors = try #require(pending.json["mfaInfo"] as? [[String: Any]])
        let factorID = try #require(factors.first?["mfaEnrollmentId"] as? String)
        try await server.post("/dev/clock", ["advanceSeconds": 60])

        func finish(_ code: String) async throws -> (status: Int, json: [String: Any]) {
            try await server.post(
                "/v2/accounts/mfaSignIn:finalize?key=any",
                [
                    "mfaPendingCredential": credential, "mfaEnrollmentId": factorID,
                    "totpVerificationInfo": ["verificationCode": code],
                ])
        }
        // The code that enrolled the factor is two steps old, and used up.
        #expect(try await finish(try await code(ahead: 0)).status == 400)
        let signedIn = try await finish(try await code(ahead: 60))
        #expect(signedIn.status == 200, "\(signedIn.json)")
        #expect(signedIn.json["idToken"] is String)
    }
}

extension ServerProcess {
    func signUp(email: String, password: String, key: String = "any") async throws -> String {
        let answer = try await post(
            "/v1/accounts:signUp?key=\(key)", ["email": email, "password": password, "returnSecureToken": true])
        return try #require(answer.json["idToken"] as? String, "\(answer.json)")
    }

    /// Asks for the mail, and follows the link in the inbox.
    func confirmAddress(idToken: String) async throws {
        try await post("/v1/accounts:sendOobCode?key=any", ["requestType": "VERIFY_EMAIL", "idToken": idToken])
        let inbox = try await get("/dev/inbox.json").json
        let messages = try #require(inbox["messages"] as? [[String: Any]])
        let payload = try #require(messages.last?["payload"] as? [String: Any])
        let link = try #require((payload["link"] as? String).flatMap { URLComponents(string: $0) })
        let code = try #require(link.queryItems?.first { $0.name == "oobCode" }?.value)
        let applied = try await post("/v1/accounts:update?key=any", ["oobCode": code])
        #expect(applied.status == 200, "\(applied.json)")
    }
}
