// Signs a user in with the browser, calls an API, and signs out. A server has to run on this machine: make dev

import CountersignClient
import Foundation

// On Linux tokens are kept in memory unless the process opens a vault: `KeychainVault.configure`, of KeychainServices.
let session = CountersignSession(
    ClientApplication(
        issuer: "http://127.0.0.1:8080", clientID: "dev-native", scopes: ["openid", "email", "offline_access"],
        bindsTokens: true))

do {
    #if os(Linux) || os(macOS)
        // Opens the browser, and waits on a port of this machine for its answer. An app with windows on an Apple system takes
        // WebAuthenticationBrowser instead.
        let browser = LoopbackBrowser { url in
            if !LoopbackBrowser.open(url) { print("Open \(url)") }
        }
        let user = try await session.signIn(by: browser)
        print("Signed in as \(user?.id ?? "no user").")
    #endif

    // The token is renewed where it has to be, and comes with a proof of this device's key.
    if let url = URL(string: "http://127.0.0.1:8080/userinfo") {
        let answer = try await session.send("GET", url)
        print(answer.status, String(decoding: answer.body, as: UTF8.self))
    }
    try await session.signOut()
} catch let failure as ClientFailure where failure.code == .cancelled {
    print("The user said no.")
}
