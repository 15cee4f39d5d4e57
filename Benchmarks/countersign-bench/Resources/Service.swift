import ArgumentParser
import Foundation
import Hummingbird
import Logging
import ScopeProtection

/// A separate resource server with the same resource: open, with tokens verified by published keys, and by
/// introspection.
struct Service: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a resource with and without a scope, beside the server that issues tokens.",
        shouldDisplay: false)

    @Option var issuer: String

    func run() async throws {
        guard let issuer = URL(string: issuer) else { throw ValidationError("\(issuer) is no URL.") }
        let requirement = ScopeRequirement.securityChecks(Issuer.scope)
        let router = Router()
        router.get("open") { _, _ in Issuer.balance }
        router.requires(requirement, validator: JWKSValidator(.securityChecks(server: issuer)))
            .get("offline") { _, _ in Issuer.balance }
        router.requires(
            requirement,
            validator: IntrospectionValidator(
                .securityChecks(server: issuer, clientID: Issuer.service.id, clientSecret: Issuer.service.secret))
        ).get("online") { _, _ in Issuer.balance }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { Announcement.write("http://127.0.0.1:\($0.localAddress?.port ?? 0)") },
            logger: Logger(label: "service", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await application.runService()
    }
}
