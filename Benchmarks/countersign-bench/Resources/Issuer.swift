import ArgumentParser
import CountersignCore
import CountersignServer
import Foundation
import Hummingbird
import Logging
import ScopeProtection
import SecurityChecks
import SecurityChecksServer

/// A server with a resource behind a security check, and the same resource without protection.
struct Issuer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a resource with and without a scope, where the tokens are issued.", shouldDisplay: false)

    static let application = "com.example.bench"
    static let check = "PIN"
    static let pin = "2468"
    static let scope = "balance"
    static let balance = "19938.80"
    /// Of a service that asks about tokens.
    static let service = (id: "bench-service", secret: "bench-service-secret-as-long-as-a-drawn-one")

    @Option var data: String

    func run() async throws {
        let opened = try await OpenedRealm.open(
            DataDirectory(path: data), hashing: Workbench.leastHashing, isDevelopment: false)
        try await prepare(opened.realm)
        var options = CountersignServer.Options(port: 0, isDevelopment: false)
        options.securityChecks = try SecurityCheckCatalogue([
            SecurityCheckDefinition(
                Self.check,
                PINSecurityCheck(pin: Secret(Self.pin), limits: AttemptLimits(successStateExpiration: 86_400)))
        ])
        options.resources = { router, checks in
            let group = router.group("mfp/api/adapters")
            group.get("open") { _, _ in Self.balance }
            group.requires(.securityChecks(Self.scope), validator: checks.validator)
                .get("guarded") { _, _ in Self.balance }
        }
        var logger = Logger(label: "issuer")
        logger.logLevel = .warning
        try await CountersignServer(opened, options: options, logger: logger).run(onListening: Announcement.write)
        try await opened.close()
    }

    private func prepare(_ realm: Realm) async throws {
        _ = try await realm.applications.add(
            id: ClientID(rawValue: Self.application),
            ApplicationRegistration(
                displayName: "Balance",
                versions: [ApplicationVersion(scopeElementMapping: [Self.scope: Self.check])]),
            by: .commandLine)
        var service = ApplicationRegistration(displayName: "Service", scopes: ["authorization.introspect"])
        service.setSecret(Secret(Self.service.secret), isDrawn: true)
        _ = try await realm.applications.add(
            id: ClientID(rawValue: Self.service.id), service, by: .commandLine)
    }
}

/// What servers print, to find the port.
enum Announcement {
    @Sendable static func write(_ address: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("listening on \(address)\n".utf8))
    }
}
