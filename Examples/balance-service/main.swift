// A service of its own, in a process of its own, that keeps a balance behind a scope. It has no users and no passwords: it
// asks the server that issued the token.
//
//     make dev                                 # the server, with the samples
//     swift run balance-service                # this, on port 8081
//     curl -i http://127.0.0.1:8081/balance    # 401, and what is missing
//
// An app for MobileFirst that requests http://127.0.0.1:8081/balance is asked for the PIN and gets the balance.

import Foundation
import Hummingbird
import ScopeProtection

let environment = ProcessInfo.processInfo.environment
let address = environment["COUNTERSIGN_URL"] ?? "http://127.0.0.1:8080"
guard let server = URL(string: address) else { fatalError("COUNTERSIGN_URL is no URL: \(address)") }

// Online: each token is asked about, so that a logout counts at once.
let online = IntrospectionValidator(
    .securityChecks(
        server: server, clientID: environment["RESOURCE_ID"] ?? "test",
        clientSecret: environment["RESOURCE_SECRET"] ?? "test"))
// Offline: the published keys are enough, and a token counts until it expires.
let offline = JWKSValidator(.securityChecks(server: server))

let router = Router()
router.requires(.securityChecks("accessRestricted"), validator: online).get("balance") { _, _ in "19938.80" }
router.requires(.securityChecks("accessRestricted"), validator: offline).get("rates") { _, _ in "1.0842" }
// RFC 9470: a user who logged in more than five minutes ago has to log in again.
router.requires(ScopeRequirement("RegisteredClient transferPrivilege", maxAge: 300), validator: online)
    .post("transfer") { _, _ in
        "Done for \(ValidToken.current?.displayName ?? "an unknown user")."
    }
router.get("public") { _, _ in "Public." }

let port = environment["PORT"].flatMap { Int($0) } ?? 8081
try await Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
).runService()
