import AccountServer
import AdminServer
import CountersignCore
import Foundation
import Hummingbird
import OAuthServer
import ServerHTTP

/// `GET /openapi.json`: what programs can call of administration, of users' own accounts and of OAuth, made of what the endpoints themselves
/// are made of.
struct OpenAPIRoute: Sendable {
    /// The address that clients reach the server by.
    let publicURL: @Sendable () -> String

    /// Seconds that others may keep the document.
    static let maxAge = 300

    static let endpoints = AdministrationOperations.openAPI + AccountAPI.openAPI + OAuth.openAPI

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get("openapi.json") { request, _ in
            let document = OpenAPIDocument(
                title: "Countersign", version: ServerVersion.number, server: publicURL(), endpoints: Self.endpoints)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Response.cached(
                try encoder.encode(document.value), as: "application/json", seconds: Self.maxAge, for: request)
        }
    }
}
