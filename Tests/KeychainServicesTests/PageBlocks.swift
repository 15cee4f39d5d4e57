#if os(Linux)
    import Foundation
    import KeychainServices

    /// A window that asks for a passcode.
    protocol AskingWindow: Sendable {
        func ask(_ reason: String?) -> [UInt8]?
    }

    // What docs/keychain.md and docs/keychain-presence.md show, so that the build compiles it; `scripts/check-docs` compares.

    func showsKeychain(challenge: Data, upload: (Data) -> Void, use: (UnsafeRawBufferPointer) -> Void)
        async throws
    {
        #if os(Linux)
            try await KeychainVault.configure(presence: .terminal)
        #endif

        let keychain = Keychain()
        try await keychain.store(
            LockedBytes(Array("token".utf8)), account: "ada", service: "com.example.app", access: .presentUser)

        let token = try await keychain.read(account: "ada", service: "com.example.app")
        token.withBytes { bytes in use(bytes) }

        let key = try await keychain.makeKey(.p256, tag: "com.example.login", access: .presentUserSigning)
        upload(key.subjectPublicKeyInfo)
        let signature = try await keychain.sign(challenge, with: "com.example.login", .es256)
        _ = signature
    }

    func showsPresence(window: any AskingWindow) async throws {
        try await KeychainVault.configure(presence: .terminal, factors: [.passcode])
        try await KeychainVault.configure(presence: .systemdCredential("keychain"))
        try await KeychainVault.configure(presence: .terminal, factors: [.passcode], hardware: .tpm())
        let presence = CustomPresence { request in
            guard var typed = window.ask(request.reason) else { throw PresenceError.cancelled }
            return LockedBytes(wiping: &typed)
        }
        _ = presence
    }
#endif
