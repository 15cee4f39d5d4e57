// Keeps a secret that only a present user can read, and reads it again. On Linux the vault asks for its passcode at the
// terminal; the first run chooses it.

import Foundation
import KeychainServices

func keepAndRead() async throws {
    let keychain = Keychain()
    let secret = LockedBytes(Array("a token of an API".utf8))
    do {
        try await keychain.store(secret, account: "ada", service: "com.example.notes", access: .presentUser)
        print("Stored.")
    } catch KeychainError.duplicateItem {
        print("It is there already.")
    }
    let kept = try await keychain.read(account: "ada", service: "com.example.notes")
    print("The secret has \(kept.count) bytes.")
}

try await KeychainVault.configure(presence: .terminal, application: "kept-secret")
try await keepAndRead()
