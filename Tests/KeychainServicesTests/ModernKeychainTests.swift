#if !canImport(Security)
    import Crypto
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import TestSupport
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        @Suite struct ModernKeychainTests {
            private let keychain = Keychain()
            private let service = "modern"

            private func secret(_ text: String) -> LockedBytes { LockedBytes(Array(text.utf8)) }
            private func text(_ secret: LockedBytes) -> String {
                secret.withBytes { String(decoding: $0, as: UTF8.self) }
            }

            private func with(
                _ body: @Sendable (ScriptedPresence) async throws -> Void
            ) async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { _ in try await body(presence) }
            }

            @Test func `What is stored is read`() async throws {
                try await with { presence in
                    try await keychain.store(secret("token"), account: "ada", service: service, access: .presentUser)
                    let before = presence.requests.count
                    #expect(text(try await keychain.read(account: "ada", service: service)) == "token")
                    #expect(presence.requests.count == before + 1)
                    await #expect(throws: KeychainError.duplicateItem) {
                        try await keychain.store(
                            secret("other"), account: "ada", service: service, access: .presentUser)
                    }
                    try await keychain.update(secret("newer"), account: "ada", service: service)
                    #expect(text(try await keychain.read(account: "ada", service: service)) == "newer")
                    try await keychain.remove(account: "ada", service: service)
                    await #expect(throws: KeychainError.itemNotFound) {
                        try await keychain.read(account: "ada", service: service)
                    }
                    await #expect(throws: KeychainError.itemNotFound) {
                        try await keychain.remove(account: "ada", service: service)
                    }
                    await #expect(throws: KeychainError.itemNotFound) {
                        try await keychain.update(secret("x"), account: "ada", service: service)
                    }
                }
            }

            @Test func `Asking whether there is one never prompts`() async throws {
                try await with { presence in
                    try await keychain.store(secret("token"), account: "ada", service: service, access: .presentUser)
                    try await keychain.store(
                        secret("open"), account: "bob", service: service,
                        access: AccessControl(unconstrained: .whenUnlocked))
                    let before = presence.requests.count
                    #expect(try await keychain.contains(account: "ada", service: service))
                    #expect(try await keychain.contains(account: "ada", service: "another") == false)
                    #expect(try await keychain.accounts(service: service) == ["ada", "bob"])
                    #expect(try await keychain.accounts(service: "another") == [])
                    try await keychain.remove(account: "ada", service: service)
                    #expect(presence.requests.count == before)
                }
            }

            @Test func `A context is reused only when it says so`() async throws {
                try await with { presence in
                    try await keychain.store(secret("token"), account: "ada", service: service, access: .presentUser)
                    for (reuse, expected) in [(Duration.zero, 2), (.seconds(60), 1)] {
                        let before = presence.requests.count
                        let context = AuthenticationContext(reason: "to test", reuse: reuse)
                        for _ in 1...2 {
                            _ = try await keychain.read(account: "ada", service: service, context: context)
                        }
                        #expect(presence.requests.count == before + expected)
                        #expect(presence.requests.last?.reason == "to test")
                    }
                    let silent = AuthenticationContext(interactionAllowed: false)
                    await #expect(throws: KeychainError.interactionNotAllowed) {
                        try await keychain.read(account: "ada", service: service, context: silent)
                    }
                }
            }

            @Test func `What is not there is refused and not stored weaker`() async throws {
                try await with { _ in
                    let error = await #expect(throws: KeychainError.self) {
                        try await keychain.store(secret("x"), account: "ada", service: service, access: .highSecurity)
                    }
                    let isMissingFactor = if case .factorUnavailable = error { true } else { false }
                    #expect(isMissingFactor, "\(String(describing: error))")
                    let isStored = try await keychain.contains(account: "ada", service: service)
                    #expect(!isStored)
                }
            }

            @Test(arguments: [KeyKind.p256, .rsa2048]) func `A key signs under its tag`(_ kind: KeyKind) async throws {
                try await with { presence in
                    let made = try await keychain.makeKey(kind, tag: "login", access: .presentUserSigning)
                    #expect(made.kind == kind)
                    #expect(made.access == .presentUserSigning)
                    #expect(!made.isHardwareBound)
                    #expect(made.applicationLabel == Data(Insecure.SHA1.hash(data: made.publicKey)))
                    #expect(try await keychain.key(tag: "login") == made)
                    await #expect(throws: KeychainError.duplicateItem) {
                        try await keychain.makeKey(kind, tag: "login", access: .presentUserSigning)
                    }
                    let message = Data("approve".utf8)
                    let algorithms: [SignatureAlgorithm] = kind == .p256 ? [.es256, .es256DER] : [.rs256, .ps256]
                    for algorithm in algorithms {
                        let before = presence.requests.count
                        let signature = try await keychain.sign(message, with: "login", algorithm)
                        #expect(presence.requests.count == before + 1)
                        #expect(try verify(signature, message, made, algorithm))
                    }
                    await #expect(throws: KeychainError.self) {
                        try await keychain.sign(message, with: "login", kind == .p256 ? .rs256 : .es256)
                    }
                    try await keychain.removeKey(tag: "login")
                    for attempt in [
                        { _ = try await keychain.key(tag: "login") }, { try await keychain.removeKey(tag: "login") },
                        { _ = try await keychain.sign(message, with: "login", .es256) },
                    ] as [() async throws -> Void] {
                        await #expect(throws: KeychainError.itemNotFound) { try await attempt() }
                    }
                }
            }

            private func verify(
                _ signature: Data, _ message: Data, _ key: KeyInfo, _ algorithm: SignatureAlgorithm
            ) throws -> Bool {
                let openssl = try OpenSSL()
                try openssl.write(message, "message")
                try openssl.write(key.subjectPublicKeyInfo, "public.der")
                try openssl.run("pkey", "-pubin", "-inform", "DER", "-in", "public.der", "-out", "public.pem")
                var signature = signature
                if algorithm == .es256 {
                    #expect(signature.count == 64)
                    signature = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
                }
                try openssl.write(signature, "signature")
                let padding = algorithm == .ps256 ? "pss" : "pkcs1"
                return key.kind == .p256
                    ? try openssl.run(
                        "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message"
                    ).status == 0
                    : try openssl.run(
                        "dgst", "-sha256", "-sigopt", "rsa_padding_mode:\(padding)", "-verify", "public.pem",
                        "-signature",
                        "signature", "message"
                    ).status == 0
            }

            @Test func `Of many who make a key at once one succeeds`() async throws {
                try await with { _ in
                    let made = await withTaskGroup(of: Bool.self) { group in
                        for _ in 0..<8 {
                            group.addTask {
                                (try? await keychain.makeKey(.p256, tag: "raced", access: .presentUserSigning)) != nil
                            }
                        }
                        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                    #expect(made == 1)
                }
            }

            @Test func `A key is found by the facade too`() async throws {
                try await with { _ in
                    let made = try await keychain.makeKey(.p256, tag: "login", access: .presentUserSigning)
                    let query: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("login".utf8), kSecReturnRef: true,
                    ]
                    let key = try #require(find(query as CFDictionary).result) as! SecKey
                    let publicKey = try #require(SecKeyCopyPublicKey(key))
                    #expect(SecKeyCopyExternalRepresentation(publicKey, nil) as Data? == made.publicKey)
                }
            }

            @Test func `A cancelled task ends during a prompt`() async throws {
                // Cancelled between the request and an answer that never comes.
                let presence = StalledPresence()
                let directory = FileManager.default.temporaryDirectory
                    .appendingPathComponent("facade-\(UUID().uuidString)").path
                defer { try? FileManager.default.removeItem(atPath: directory) }
                KeychainVault.reset()
                defer { KeychainVault.reset() }
                var configuration = try VaultConfiguration(
                    application: TestVault.application, presence: presence, directory: directory)
                configuration.keyDerivation = .weakForTests
                try await KeychainVault.configure(configuration)
                try await keychain.store(secret("token"), account: "ada", service: service, access: .presentUser)
                presence.stall()
                let task = Task { try await keychain.read(account: "ada", service: service) }
                await presence.waitUntilAsked()
                // Calls without a prompt do not wait for one.
                #expect(try await keychain.contains(account: "ada", service: service))
                task.cancel()
                await #expect(throws: KeychainError.cancelled) { _ = try await task.value }
                presence.letGo()
                #expect(text(try await keychain.read(account: "ada", service: service)) == "token")
            }
        }
    }

    /// A person who, when told so, does not answer until let go.
    private final class StalledPresence: PresenceProvider {
        private struct State {
            var isStalled = false
            var asked: CheckedContinuation<Void, Never>?
            var wasAsked = false
        }

        let asksPerson = true
        private let condition = NSCondition()
        nonisolated(unsafe) private var state = State()

        func stall() { condition.withLock { state.isStalled = true } }

        func letGo() {
            condition.withLock {
                state.isStalled = false
                condition.broadcast()
            }
        }

        func waitUntilAsked() async {
            await withCheckedContinuation { continuation in
                let isLate = condition.withLock {
                    if !state.wasAsked { state.asked = continuation }
                    return state.wasAsked
                }
                if isLate { continuation.resume() }
            }
        }

        func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
            condition.withLock {
                guard state.isStalled else { return }
                state.wasAsked = true
                state.asked?.resume()
                state.asked = nil
                while state.isStalled { condition.wait() }
            }
            return LockedBytes(Array("correct horse".utf8))
        }
    }
#endif
