// Keeps a secret that only a present user can read, and reads it again. On Linux the vault asks for its passcode at the
// terminal; the first run chooses it.

import Foundation
import KeychainServices

try await KeychainVault.configure(presence: .terminal, application: "kept-secret")

let keychain = Keychain()
do {
    try await keychain.store(
        LockedBytes(Array("a token of an API".utf8)), account: "ada", service: "com.example.notes", access: .presentUser
    )
    print("Stored.")
} catch .duplicateItem {
    print("It is there already.")
}

let secret = try await keychain.read(account: "ada", service: "com.example.notes")
print("The secret has \(secret.withBytes { $0.count }) bytes.")
