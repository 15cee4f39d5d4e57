import Foundation
import JSON
import Testing

/// An ID token of production mode, checked by PyJWT against the published keys: before, during and after a rotation.
@Suite struct TokenVerificationTests {
    private struct Verified: Decodable {
        let kid: String
        let alg: String
        let claims: Claims

        struct Claims: Decodable {
            let sub: String
            let email: String
        }
    }

    @Test func `Tokens verify before during and after a rotation`() async throws {
        let server = try await ServerProcess()
        let key = try server.apiKey
        let earlier = try await server.signUp(email: "a@example.com", password: "a quiet afternoon", key: key)
        let first = try await verify(earlier, server)
        #expect(first.alg == "ES256")
        #expect(first.claims.email == "a@example.com")

        // The server learns of the rotation from the database, as another server would.
        let rotation = try await Tool(path: try ServerProcess.executable)
            .run(["key", "rotate", "--data", server.dataDirectory.path])
        #expect(rotation.status == 0, "\(rotation.errors)")
        let during = try await server.signUp(email: "b@example.com", password: "a quiet afternoon", key: key)
        _ = try await verify(during, server)
        _ = try await verify(earlier, server)

        // It reads its keys again within five seconds, or when the machine has time for it.
        try await eventually {
            let keys = try await server.get("/.well-known/jwks.json").json["keys"] as? [[String: Any]]
            return keys?.contains { $0["alg"] as? String == "ES256" && $0["kid"] as? String != first.kid } == true
        }
        var later = during
        var newKey = first.kid
        for attempt in 0..<40 where newKey == first.kid {
            try await Task.sleep(for: .milliseconds(250))
            later = try await server.signUp(email: "c\(attempt)@example.com", password: "a quiet afternoon", key: key)
            newKey = try await verify(later, server).kid
        }
        #expect(newKey != first.kid)
        _ = try await verify(earlier, server)
        let looked = try await server.post("/v1/accounts:lookup?key=\(key)", ["idToken": earlier])
        #expect(looked.status == 200, "an old token counts until it expires: \(looked.json)")
    }

    @Test func `A tampered token is refused by both`() async throws {
        let server = try await ServerProcess()
        let key = try server.apiKey
        let token = try await server.signUp(email: "a@example.com", password: "a quiet afternoon", key: key)
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = try #require(Self.replacing(#""email_verified":false"#, by: #""email_verified":true"#, in: parts[1]))
        let tampered = parts.joined(separator: ".")
        await #expect(throws: (any Error).self) { try await verify(tampered, server) }
        let answer = try await server.post("/v1/accounts:lookup?key=\(key)", ["idToken": tampered])
        #expect(answer.status == 400)
    }

    private static func replacing(_ text: String, by other: String, in part: String) -> String? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        let json = String(decoding: bytes, as: UTF8.self)
        guard json.contains(text) else { return nil }
        return json.replacingOccurrences(of: text, with: other).utf8.base64URL
    }

    @discardableResult
    private func verify(_ token: String, _ server: ServerProcess) async throws -> Verified {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let python = here.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingTool(name: "PyJWT") }
        let outcome = try await Tool(path: python).run(
            [
                here.appendingPathComponent("verify_token.py").path,
                server.url.appendingPathComponent(".well-known/jwks.json").absoluteString, "countersign",
                "https://securetoken.google.com/countersign",
            ], input: token)
        guard outcome.status == 0 else { throw NotVerified(because: outcome.errors) }
        return try JSONDecoder().decode(Verified.self, from: Data(outcome.output.utf8))
    }

    private struct NotVerified: Error {
        let because: String
    }
}
