import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// What browsers and the systems of apps look up at the server's domain.
@Suite("Documents for passkeys")
struct PasskeyDocumentTests {
    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

    @Test
    func `Each document is there where its setting is`() async throws {
        try await TestServer.with(publicURLs: ["https://login.example.org"]) { server in
            let paths = ["webauthn", "apple-app-site-association", "assetlinks.json"].map { "/.well-known/\($0)" }
            for path in paths {
                let reply = try await server.send(.get, path)
                #expect(reply.status == 404 && reply.bytes.isEmpty, "\(path)")
            }
            _ = try await server.realm.changeSettings(by: .testAdministrator) { settings in
                settings.passkeys.relatedOrigins = ["https://example.com"]
                settings.passkeys.appleApps = ["ABCDE12345.org.example.app"]
                settings.passkeys.androidApps = [
                    "org.example.app=\(Self.fingerprint)", "org.example.other=\(Self.fingerprint)",
                    "org.example.app=\(Self.fingerprint.replacing("AB", with: "CD"))",
                ]
                return settings
            }
            let origins = try await server.send(.get, paths[0])
            #expect(origins.json == ["origins": ["https://example.com"]])
            #expect(origins.headers[.contentType] == "application/json")
            #expect(origins.headers[.cacheControl] == "public, max-age=3600")
            #expect(origins.headers[values: .setCookie].isEmpty)
            let apple = try await server.send(.get, paths[1])
            #expect(apple.json == ["webcredentials": ["apps": ["ABCDE12345.org.example.app"]]])
            let android = try await server.send(.get, paths[2])
            #expect(
                android.json.elements.map { $0["target"]["package_name"] } == ["org.example.app", "org.example.other"])
            #expect(android.json[0]["target"]["sha256_cert_fingerprints"].elements.count == 2)
            #expect(android.json[0]["relation"].elements.contains("delegate_permission/common.get_login_creds"))
            let endpoints = try await server.send(.get, "/.well-known/passkey-endpoints")
            #expect(endpoints.json["manage"] == "https://login.example.org/account/security#passkeys")
            #expect(endpoints.json["enroll"] == "https://login.example.org/account/security#passkeys")
            _ = try await server.realm.changeSettings(by: .testAdministrator) { settings in
                settings.secondFactors.offersPasskeys = false
                return settings
            }
            for path in paths { #expect(try await server.send(.get, path).status == 404) }
        }
    }
}
