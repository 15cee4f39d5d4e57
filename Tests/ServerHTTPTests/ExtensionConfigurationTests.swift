import CountersignServer
import Delivery
import Foundation
import TestSupport
import Testing

@Suite("Configuration of calls to extensions")
struct ExtensionConfigurationTests {
    private func load(_ values: [String: String]) async throws -> ServerConfiguration {
        let named = values.map { ("COUNTERSIGN_EXTENSIONS_\($0.key)", $0.value) }
        return try await ServerConfiguration.load(environment: Dictionary(uniqueKeysWithValues: named))
    }

    @Test
    func `Only the public Internet is allowed unless configured otherwise, and the server says so at the start`()
        async throws
    {
        let standard = try await load([:])
        #expect(standard.extensions.allowedNetworks.isEmpty && standard.warnings.isEmpty)
        let allowed = try await load(["ALLOWED_NETWORKS": "10.1.0.0/16,fd00::/8"])
        #expect(allowed.extensions.allowedNetworks.map(\.description) == ["10.1.0.0/16", "fd00:0:0:0:0:0:0:0/8"])
        #expect(allowed.warnings.count == 1 && allowed.warnings[0].contains("10.1.0.0/16"))
        let developing = try await ServerConfiguration.load(environment: ["COUNTERSIGN_DEV": "true"])
        #expect(developing.warnings.contains { $0.contains("custom extensions may be called on this machine") })
    }

    @Test
    func `What is no network, and no file of certificates, is a fault`() async throws {
        let folder = try TestRun.place(for: "extension-configuration")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("authorities.pem")
        try Data("no certificate".utf8).write(to: file)
        let error = await #expect(throws: ConfigurationFaults.self) {
            try await load(["ALLOWED_NETWORKS": "10.1.0.0/16,10.0.0.1/8,private", "AUTHORITIES": file.path])
        }
        #expect(error?.faults.count == 3, "\(String(describing: error))")
        let authority = try TestAuthority()
        try Data(authority.root.utf8).write(to: file)
        #expect(try await load(["AUTHORITIES": file.path]).extensions.authorities == file.path)
    }
}
