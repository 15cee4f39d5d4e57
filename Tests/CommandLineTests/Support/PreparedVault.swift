import Foundation
import TestSupport

#if !canImport(Security)
    import SecretVault
#endif

/// An empty vault with the passcode `123456`, whose passcode costs as little to guess as the program takes for a vault: a twentieth of what it
/// costs in one that the program makes, which is most of a second for each command that opens it. What it costs is said in the file.
enum PreparedVault {
    /// Puts a copy into a test's directory. Where the system has a keychain of its own, there is nothing to put.
    static func copy(into directory: TestDirectory, as name: String = "vault") async throws {
        #if !canImport(Security)
            let vault = try await template.value.url.appendingPathComponent("vault")
            try FileManager.default.copyItem(at: vault, to: directory.url.appendingPathComponent(name))
        #endif
    }

    #if !canImport(Security)
        private static let template = Task { try make() }

        private static func make() throws -> TestDirectory {
            let directory = try TestDirectory()
            var configuration = try VaultConfiguration(
                application: "countersign", presence: ScriptedPresence(always: "123456"),
                directory: directory.url.appendingPathComponent("vault").path)
            configuration.keyDerivation = try KeyDerivation(operations: 2, memory: 19 << 20)
            _ = try Vault.open(configuration)
            return directory
        }
    #endif
}
