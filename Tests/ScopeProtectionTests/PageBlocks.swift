import Foundation
import Hummingbird
import ScopeProtection

// What README.md ("An API in Swift"), docs/openid-client.md and docs/security-checks.md show, so that the build compiles it;
// `scripts/check-docs` compares.

func showsAPI() async throws {
    let api = try ProtectedResource(
        "http://127.0.0.1/api", issuer: "http://127.0.0.1:8080", scopes: ["api"], origin: "http://127.0.0.1:8081")

    let router = Router()
    router.publishMetadata(of: api)
    router.requires("api", of: api).get("notes") { _, _ in
        "The notes of \(ValidToken.current?.subject ?? "no user").\n"
    }
    try await Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8081))
    ).runService()
}

func showsScopes(router: Router<BasicRequestContext>) throws {
    let api = try ProtectedResource(
        "https://api.example.com", issuer: "https://auth.example.com", scopes: ["read", "write"])
    router.publishMetadata(of: api)
    router.requires("read", of: api).get("notes") { _, _ in "" }
    router.requires(ScopeRequirement("write", atLeast: .aal2, maxAge: 300), of: api).delete("notes") { _, _ in "" }
}

func showsIntrospection(url: URL, secret: String) throws -> ProtectedResource {
    let api = ProtectedResource(
        try .init(identifier: "https://api.example.com", authorizationServers: ["https://auth.example.com"]),
        validator: IntrospectionValidator(
            .accessTokens(
                introspectionURL: url, audiences: ["https://api.example.com"], clientID: "api", clientSecret: secret)))
    return api
}

func showsGateway(router: Router<BasicRequestContext>, url: URL, secret: String) {
    let validator = IntrospectionValidator(.securityChecks(server: url, clientID: "shop", clientSecret: secret))
    router.requires(scope: "orders:read", validator: validator).get("orders") { _, _ in "" }
}
