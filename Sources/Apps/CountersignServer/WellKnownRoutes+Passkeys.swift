import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

/// What browsers and the systems of apps look up before they let a page or an app use the passkeys of this server's domain. Each document
/// is there where its setting is.
extension WellKnownRoutes {
    /// Seconds that others may keep them.
    private static let associationsMaxAge = 3600

    func addPasskeyDocuments(to router: some RouterMethods<CountersignRequestContext>) {
        let documents = Self.passkeyDocuments + [("/.well-known/passkey-endpoints", pages)]
        for (path, document) in documents {
            router.get(RouterPath(path)) { [realm] request, _ in
                let settings = try await realm.settings()
                guard settings.secondFactors.offersPasskeys, let value = document(settings.passkeys) else {
                    return Response(status: .notFound)
                }
                return Response.cached(
                    Data(try value.jsonText()), as: "application/json", seconds: Self.associationsMaxAge, for: request)
            }
        }
    }

    private static let passkeyDocuments: [(path: String, document: @Sendable (PasskeySettings) -> JSONValue?)] = [
        ("/.well-known/webauthn", relatedOrigins),
        ("/.well-known/apple-app-site-association", appleApps),
        ("/.well-known/assetlinks.json", androidApps),
    ]

    /// Where users add passkeys and remove them (W3C, "A well-known URL for passkey endpoints").
    @Sendable private func pages(_ settings: PasskeySettings) -> JSONValue? {
        guard let base = realm.site.baseURLs.first else { return nil }
        // One place for both: what is there, and the button for another.
        let list = JSONValue.string(base + "/account/security#passkeys")
        return .object(["enroll": list, "manage": list])
    }

    /// WebAuthn Level 3, section 5.11.
    @Sendable private static func relatedOrigins(_ settings: PasskeySettings) -> JSONValue? {
        guard let origins = settings.relatedOrigins, !origins.isEmpty else { return nil }
        return .object(["origins": .array(origins.map { .string($0) })])
    }

    /// Apple, "Supporting associated domains".
    @Sendable private static func appleApps(_ settings: PasskeySettings) -> JSONValue? {
        guard let apps = settings.appleApps, !apps.isEmpty else { return nil }
        return .object(["webcredentials": .object(["apps": .array(apps.map { .string($0) })])])
    }

    /// Google, "Digital Asset Links". Apps that are named several times, by several certificates, are one statement.
    @Sendable private static func androidApps(_ settings: PasskeySettings) -> JSONValue? {
        guard let apps = settings.androidApps, !apps.isEmpty else { return nil }
        var packages: [(name: String, fingerprints: [String])] = []
        for app in apps {
            let parts = app.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            if let known = packages.firstIndex(where: { $0.name == parts[0] }) {
                packages[known].fingerprints.append(parts[1])
            } else {
                packages.append((parts[0], [parts[1]]))
            }
        }
        return .array(
            packages.map { package in
                .object([
                    "relation": .array([
                        "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
                    ]),
                    "target": .object([
                        "namespace": "android_app", "package_name": .string(package.name),
                        "sha256_cert_fingerprints": .array(package.fingerprints.map { .string($0) }),
                    ]),
                ])
            })
    }
}
