#if !canImport(Security)
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// The checklist of docs/keychain.md (OWASP MASTG, MASVS-STORAGE and MASVS-AUTH), one test for each line, on a vault. What a vault cannot meet is said where
        /// its test is, and in docs/keychain.md.
        @Suite struct OWASPChecklistTests {
            private let keychain = Keychain()
            private let service = "owasp"

            private func secret(_ text: String = "test_strong_password") -> LockedBytes {
                LockedBytes(Array(text.utf8))
            }

            private func with(
                _ presence: ScriptedPresence = .init(always: "correct horse"), factors: [Factor] = [.passcode],
                _ body: @Sendable (ScriptedPresence, _ directory: String) async throws -> Void
            ) async throws {
                try await TestVault.with(presence, factors: factors) { try await body(presence, $0) }
            }

            /// C1. A provider hands over a credential and no verdict, so the most that can be forged is a wrong one.
            @Test func `C 1 no boolean gives a secret out`() async throws {
                let presence = ScriptedPresence(["correct horse", "yes", .unavailable, "true", .unavailable])
                try await with(presence) { _, _ in
                    try await keychain.store(secret(), account: "ada", service: service, access: .presentUser)
                    for _ in 1...2 {
                        let error = await #expect(throws: KeychainError.self) {
                            _ = try await keychain.read(account: "ada", service: service)
                        }
                        #expect(error?.osStatus == errSecAuthFailed)
                    }
                }
            }

            /// C2. The access control is a parameter without a default, which is for the compiler; the presets ask.
            @Test func `C 2 what is sensitive is stored with an access control that asks`() async throws {
                try await with { presence, _ in
                    try await keychain.store(secret(), account: "ada", service: service, access: .presentUser)
                    let before = presence.requests.count
                    for _ in 1...3 { _ = try await keychain.read(account: "ada", service: service) }
                    #expect(presence.requests.count == before + 3)
                }
            }

            /// C3. With a factor that verifies its user, as here. A vault with nothing but a passcode cannot meet it, and
            /// refuses such items: `errSecAuthFailed`, see `ReferencePageTests`.
            @Test func `C 3 the passcode does not stand in for biometry`() async throws {
                let finger = TestFinger()
                try await with(factors: [.passcode, .securityKey(finger)]) { presence, _ in
                    try await keychain.store(secret(), account: "ada", service: service, access: .highSecurity)
                    finger.unplug()
                    let before = presence.requests.count
                    let error = await #expect(throws: KeychainError.self) {
                        _ = try await keychain.read(account: "ada", service: service)
                    }
                    #expect(error?.osStatus == errSecAuthFailed)
                    #expect(presence.requests.count == before)
                }
            }

            /// C4. And the item reads as if it had never been: ask for the secret again.
            @Test func `C 4 another enrolment invalidates`() async throws {
                let finger = TestFinger()
                try await with(factors: [.passcode, .securityKey(finger)]) { _, _ in
                    let current = try accessControl(.biometryCurrentSet)
                    let any = try accessControl(.biometryAny)
                    #expect(add("current", "x", [kSecAttrAccessControl: current]) == errSecSuccess)
                    #expect(add("any", "survives", [kSecAttrAccessControl: any]) == errSecSuccess)
                    #expect(read("current") == "x")
                    finger.enrolAnother()
                    #expect(find(password("current", [kSecReturnData: true])).status == errSecItemNotFound)
                    #expect(
                        SecItemUpdate(password("current"), [kSecAttrLabel: "x"] as CFDictionary) == errSecItemNotFound)
                    // Its place is free again.
                    try await KeychainVault.unlock()
                    #expect(add("current", "anew", [kSecAttrAccessControl: current]) == errSecSuccess)
                    #expect(read("any") == "survives")
                }
            }

            /// C5.
            @Test func `C 5 sensitive items need a passcode`() async throws {
                let presets: [AccessControl] = [.presentUser, .highSecurity, .presentUserSigning, .highSecuritySigning]
                #expect(presets.allSatisfy { $0.accessibility == .whenPasscodeSetThisDeviceOnly })
                try await with(factors: []) { _, _ in
                    let passcodeSet = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                    #expect(add("ada", "x", [kSecAttrAccessible: passcodeSet]) == errSecAuthFailed)
                    let presence = try accessControl(.userPresence)
                    #expect(add("ada", "x", [kSecAttrAccessControl: presence]) == errSecAuthFailed)
                    #expect(find(password("ada")).status == errSecItemNotFound)
                    #expect(add("ada") == errSecSuccess)
                }
            }

            /// C6. Nothing leaves the machine: there is no synchronisation to switch on.
            @Test func `C 6 nothing is synchronised`() async throws {
                try await with { _, _ in
                    #expect(add("ada", "x", [kSecAttrSynchronizable: true]) == errSecParam)
                    #expect(add("ada") == errSecSuccess)
                    #expect(
                        SecItemUpdate(password("ada"), [kSecAttrSynchronizable: true] as CFDictionary) == errSecParam)
                }
            }

            /// C7. Neither the secret nor what it is for can be read out of the files.
            @Test func `C 7 files show neither secrets nor names`() async throws {
                try await with { _, directory in
                    let words = ["test_strong_password", "ada@example.com", "owasp-label", "correct horse"]
                    #expect(add(words[1], words[0], [kSecAttrLabel: words[2]]) == errSecSuccess)
                    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                    #expect(!names.isEmpty)
                    for name in names {
                        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
                        for word in words { #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(name)") }
                    }
                }
            }

            /// C8. OWASP's least for Argon2id is 19 MiB and two passes; the default is above it.
            @Test func `C 8 passcodes are stretched`() throws {
                let configuration = try VaultConfiguration(application: "x", presence: ScriptedPresence(always: "x"))
                #expect(configuration.keyDerivation == .moderate)
                #expect(configuration.keyDerivation.memory >= 19 << 20)
                #expect(configuration.keyDerivation.operations >= 2)
                #expect(throws: KeychainError.self) { try KeyDerivation(operations: 1, memory: 64 << 20) }
                #expect(throws: KeychainError.self) { try KeyDerivation(operations: 3, memory: 8 << 20) }
            }

            /// C9. Imported ones too: `SignatureInteropTests.shortRSAKeysAreRefused`.
            @Test(arguments: [512, 1024, 2040, 2047, 4104, 8192]) func `C 9 rsa keys have 2048 to 4096 bits`(
                _ bits: Int
            ) throws {
                let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: bits]
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
                #expect(code(error) == Int(errSecParam))
            }

            /// C10.
            @Test func `C 10 keys sign and do nothing else`() async throws {
                try await with { _, _ in
                    try await keychain.makeKey(.p256, tag: "login", access: .presentUserSigning)
                    let query: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecAttrApplicationTag: "login", kSecReturnRef: true,
                        kSecReturnAttributes: true,
                    ]
                    let found = try #require(find(query as CFDictionary).result as? [String: Any])
                    #expect(found[kSecAttrCanSign as String] as? Int == 1)
                    for use in [kSecAttrCanEncrypt, kSecAttrCanDecrypt, kSecAttrCanDerive, kSecAttrCanUnwrap] {
                        #expect(found[use as String] as? Int == 0)
                    }
                    let key = try #require(found[kSecValueRef as String]) as! SecKey
                    for operation in [SecKeyOperationType.encrypt, .decrypt, .keyExchange] {
                        #expect(!SecKeyIsAlgorithmSupported(key, operation, .ecdsaSignatureMessageX962SHA256))
                    }
                }
            }

            /// C11. What `kSecReturnData` gives is the app's copy, in ordinary memory: `Keychain.read` gives none.
            @Test func `C 11 the modern surface gives memory that is wiped`() async throws {
                try await with { _, _ in
                    try await keychain.store(secret(), account: "ada", service: service, access: .presentUser)
                    let read: LockedBytes = try await keychain.read(account: "ada", service: service)
                    #expect(read.count == 20)
                }
            }

            /// C12.
            @Test func `C 12 nothing that is printed has a secret`() async throws {
                let log = TestLog()
                let presence = ScriptedPresence(["correct horse", "battery staple", .unavailable, "correct horse"])
                var printed: [String] = []
                let results = Results()
                try await TestVault.with(presence, log: { log.append($0) }) { _ in
                    try await keychain.store(secret(), account: "ada", service: service, access: .presentUser)
                    do { _ = try await keychain.read(account: "ada", service: service) } catch {
                        results.append("\(error)")
                    }
                    let read = try await keychain.read(account: "ada", service: service)
                    results.append("\(read)")
                    results.append(String(reflecting: read))
                    var error: Unmanaged<CFError>?
                    let bytes = Data("test_strong_password".utf8) as CFData
                    let parameters: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                    ]
                    #expect(SecKeyCreateWithData(bytes, parameters as CFDictionary, &error) == nil)
                    results.append("\(try #require(error).takeRetainedValue())")
                }
                printed = log.lines + results.lines
                #expect(printed.count >= 4)
                for text in printed {
                    for word in ["test_strong_password", "correct horse", "battery staple"] {
                        #expect(!text.contains(word))
                    }
                }
            }

            private typealias Results = TestLog

            /// C13. Each approval is a signature of its own, and each signature asks.
            @Test func `C 13 each approval asks and is a signature`() async throws {
                try await with { presence, _ in
                    let key = try await keychain.makeKey(.rsa2048, tag: "approve", access: .presentUserSigning)
                    let publicKey = try #require(
                        SecKeyCreateWithData(
                            key.publicKey as CFData,
                            [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic]
                                as CFDictionary,
                            nil))
                    for transaction in ["one", "two"] {
                        let before = presence.requests.count
                        let message = Data(transaction.utf8)
                        let signature = try await keychain.sign(message, with: "approve", .rs256)
                        #expect(presence.requests.count == before + 1)
                        #expect(
                            SecKeyVerifySignature(
                                publicKey, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature as CFData,
                                nil))
                    }
                }
            }

            /// C14 is about items that outlive an uninstall on iOS, for which there is `Keychain.wipeOnFirstLaunch`. A vault
            /// is a folder: who deletes it deletes every item, and the next process begins with none.
            @Test func `C 14 without its folder nothing is left`() async throws {
                try await with { _, directory in
                    #expect(add("ada") == errSecSuccess)
                    KeychainVault.reset()
                    try FileManager.default.removeItem(atPath: directory)
                    try await TestVault.configure(.scripted("another"), directory: directory)
                    #expect(find(password("ada")).status == errSecItemNotFound)
                }
            }
        }
    }
#endif
