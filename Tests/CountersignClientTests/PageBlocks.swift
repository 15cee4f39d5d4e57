import CountersignClient
import Foundation

/// What docs/openid-client.md shows, so that the build compiles it; `scripts/check-docs` compares.
func showsSession(url: URL) async throws {
    let session = CountersignSession(
        ClientApplication(issuer: "https://auth.example.com", clientID: "notes", bindsTokens: true))
    try await session.signIn(by: LoopbackBrowser())
    let answer = try await session.send("GET", url)
    try await session.signOut()
    _ = answer
}
