#if !canImport(Security)
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// Keys that never leave a chip; the chip of these tests is in memory, a real one has its own tests.
        @Suite struct HardwareKeyTests {
            private func with(
                _ body: @Sendable (TestChip, ScriptedPresence) async throws -> Void
            ) async throws {
                let chip = TestChip()
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence, hardware: chip) { _ in try await body(chip, presence) }
            }

            private func parameters(_ half: [CFString: Any] = [:]) -> CFDictionary {
                let parameters: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: half.merging([kSecAttrApplicationTag: Data("chip".utf8)]) { own, _ in own },
                ]
                return parameters as CFDictionary
            }

            @Test func `A key in a chip is kept unless it says so and signs there`() async throws {
                try await with { chip, presence in
                    let control = try accessControl([.userPresence, .privateKeyUsage])
                    let made = try #require(SecKeyCreateRandomKey(parameters([kSecAttrAccessControl: control]), nil))
                    let query: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("chip".utf8), kSecReturnRef: true,
                    ]
                    let found = try #require(find(query as CFDictionary).result) as! SecKey
                    let publicKey = try #require(SecKeyCopyPublicKey(made))
                    let message = Data("approve".utf8) as CFData
                    #expect(presence.requests.count == 1)
                    for algorithm in [
                        SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageRFC4754SHA256,
                    ] {
                        let signature = try #require(SecKeyCreateSignature(found, algorithm, message, nil))
                        #expect(SecKeyVerifySignature(publicKey, algorithm, message, signature, nil))
                    }
                    #expect(chip.signatures == 2)
                    #expect(presence.requests.count == 3)
                    for key in [made, found] {
                        var error: Unmanaged<CFError>?
                        #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
                        #expect(code(error) == Int(errSecUnimplemented))
                    }
                    let byToken = query.merging([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]) { own, _ in own }
                    #expect(find(byToken as CFDictionary).status == errSecSuccess)
                }
            }

            @Test func `What a chip cannot do is refused`() async throws {
                try await with { _, _ in
                    let refused: [[CFString: Any]] = [
                        [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 384],
                        [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 4096],
                        [
                            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false],
                        ],
                    ]
                    for parameters in refused {
                        let all = parameters.merging([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]) { own, _ in own }
                        var error: Unmanaged<CFError>?
                        #expect(SecKeyCreateRandomKey(all as CFDictionary, &error) == nil)
                        #expect(code(error) == Int(errSecUnimplemented))
                    }
                    let item: [CFString: Any] = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
                    #expect(add("ada", "x", item) == errSecUnimplemented)
                }
            }

            @Test func `The modern surface makes them too`() async throws {
                try await with { chip, _ in
                    let keychain = Keychain()
                    let made = try await keychain.makeKey(
                        .p256, tag: "chip", access: .presentUserSigning, inHardware: true)
                    #expect(made.isHardwareBound)
                    #expect(try await keychain.key(tag: "chip") == made)
                    _ = try await keychain.sign(Data("approve".utf8), with: "chip", .es256)
                    #expect(chip.signatures == 1)
                    await #expect(throws: KeychainError.duplicateItem) {
                        try await keychain.makeKey(.p256, tag: "chip", access: .presentUserSigning)
                    }
                    try await keychain.removeKey(tag: "chip")
                    await #expect(throws: KeychainError.self) {
                        try await keychain.makeKey(.rsa4096, tag: "chip", access: .presentUserSigning, inHardware: true)
                    }
                }
            }

            @Test func `Without a chip the modern surface makes none instead`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let keychain = Keychain()
                    await #expect(throws: KeychainError.self) {
                        try await keychain.makeKey(.p256, tag: "chip", access: .presentUserSigning, inHardware: true)
                    }
                    await #expect(throws: KeychainError.itemNotFound) { _ = try await keychain.key(tag: "chip") }
                }
            }
        }
    }
#endif
