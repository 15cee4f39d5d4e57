// Signs a user in who has a browser on another device, as a program on a machine without one does (RFC 8628). A server has
// to run on this machine: make dev

import CountersignClient
import Foundation

let session = CountersignSession(
    ClientApplication(issuer: "http://127.0.0.1:8080", clientID: "dev-native", scopes: ["openid", "offline_access"]))

do {
    // Asks the server as often as it allows until the user has decided, or the code has ended.
    let user = try await session.signInOnOtherDevice { prompt in
        print("Open \(prompt.verificationURI) on a device with a browser, and type \(prompt.userCode) there.")
        print("The code is good until \(prompt.expiresAt).")
    }
    print("Signed in as \(user?.id ?? "no user").")
    print("The access token is good until \(try await session.accessToken().expiresAt).")
    try await session.signOut()
} catch let failure as ClientFailure {
    switch failure.code {
    case .cancelled: print("The user said no.")
    case .timedOut: print("The user did not answer in time.")
    default: print(failure.description)
    }
}
