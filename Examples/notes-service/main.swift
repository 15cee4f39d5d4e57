// An API of its own, in a process of its own, behind a scope. It has no users and no passwords: it verifies the access tokens that
// the server signed for it, and says to everyone else where to get one.
//
//     make dev                                # the server, with the samples
//     swift run notes-service                 # this, on port 8081
//     curl -i http://127.0.0.1:8081/notes     # 401, and what is missing
//
//     countersign login --scope "openid offline_access api" --resource http://127.0.0.1/api
//     curl -H "$(countersign token --header)" http://127.0.0.1:8081/notes

import Foundation
import Hummingbird
import ScopeProtection

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8081

let api = try ProtectedResource(
    environment["RESOURCE"] ?? "http://127.0.0.1/api",
    issuer: environment["COUNTERSIGN_URL"] ?? "http://127.0.0.1:8080", scopes: ["api"],
    origin: "http://127.0.0.1:\(port)")

let router = Router()
router.publishMetadata(of: api)
router.requires("api", of: api).get("notes") { _, _ in
    "The notes of \(ValidToken.current?.subject ?? "no user").\n"
}
// A second factor, within the last five minutes.
router.requires(ScopeRequirement("api", atLeast: .aal2, maxAge: 300), of: api).delete("notes") { _, _ in
    "Deleted.\n"
}

try await Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
).runService()
