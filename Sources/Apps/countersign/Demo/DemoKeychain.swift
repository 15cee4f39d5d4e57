import Foundation
import KeychainServices

#if !canImport(Security)
    import SecretVault
#endif

/// Where apps and authenticators of the demonstration keep their keys and tokens: the system's keychain, or a vault that
/// goes with the demonstration where a system has none.
struct DemoKeychain {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "countersign-demo-keychain-\(UUID().uuidString)")

    /// What the user at the terminal types. The demonstration types by itself.
    private static let passcode = "246810"

    private let leftover: Leftover

    init() async throws {
        leftover = Leftover(folder.path)
        #if !canImport(Security)
            try await KeychainVault.configure(
                presence: ScriptedPresence(always: .answer(Self.passcode)), application: "countersign-demo",
                directory: folder.path, keyDerivation: .interactive)
        #endif
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
        withExtendedLifetime(leftover) {}
    }
}
