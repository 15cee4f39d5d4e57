#if !canImport(Security)
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// How often there is a prompt, which only a scripted provider can count.
        @Suite struct PromptTests {
            private func addGuarded(_ account: String = "ada", _ flags: SecAccessControlCreateFlags = .userPresence)
                throws
            {
                let control = try accessControl(flags)
                #expect(add(account, "of \(account)", [kSecAttrAccessControl: control]) == errSecSuccess)
            }

            /// Expects that `body` asks that often.
            private func asks(
                _ times: Int, _ presence: ScriptedPresence, sourceLocation: SourceLocation = #_sourceLocation,
                _ body: () throws -> Void
            ) rethrows {
                let before = presence.requests.count
                try body()
                #expect(presence.requests.count - before == times, sourceLocation: sourceLocation)
            }

            private func with(
                _ body: @Sendable (ScriptedPresence) async throws -> Void
            ) async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { _ in try await body(presence) }
            }

            @Test func `Adding and deleting never prompt`() async throws {
                try await with { presence in
                    try asks(0, presence) { try addGuarded() }
                    asks(0, presence) { _ = SecItemDelete(password("ada")) }
                }
            }

            @Test func `Each call asks anew`() async throws {
                try await with { presence in
                    try addGuarded()
                    for wanted in [kSecReturnData, kSecReturnAttributes, kSecReturnPersistentRef] {
                        asks(1, presence) { #expect(find(password("ada", [wanted: true])).status == 0) }
                    }
                    // Whether it exists is no less than that.
                    asks(1, presence) { #expect(find(password("ada")).status == errSecSuccess) }
                }
            }

            @Test func `One call asks once for all its items`() async throws {
                try await with { presence in
                    for account in ["a", "b", "c"] { try addGuarded(account) }
                    let all = password(nil, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true])
                    asks(1, presence) { #expect((find(all).result as? [Any])?.count == 3) }
                    let update = { SecItemUpdate(password(), [kSecAttrLabel: "x"] as CFDictionary) }
                    asks(1, presence) { #expect(update() == errSecSuccess) }
                }
            }

            @Test func `A context is authenticated by its first call`() async throws {
                try await with { presence in
                    try addGuarded()
                    let context = LAContext()
                    let with: [CFString: Any] = [kSecUseAuthenticationContext: context]
                    asks(1, presence) { #expect(read("ada", with) == "of ada") }
                    asks(0, presence) { #expect(read("ada", with) == "of ada") }
                    // What is authenticated needs no interaction.
                    let silent = with.merging([kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]) { own, _ in own }
                    #expect(read("ada", silent) == "of ada")
                    context.interactionNotAllowed = true
                    #expect(read("ada", with) == "of ada")
                    context.invalidate()
                    asks(0, presence) { #expect(read("ada", with) == nil) }
                    #expect(find(password("ada", with)).status == errSecAuthFailed)
                }
            }

            @Test func `Forbidding interaction costs no attempt`() async throws {
                try await with { presence in
                    try addGuarded()
                    let silent = password("ada", [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
                    asks(0, presence) {
                        for _ in 0..<20 { #expect(find(silent).status == errSecInteractionNotAllowed) }
                    }
                    #expect(read("ada") == "of ada")
                }
            }

            @Test func `The reason is shown`() async throws {
                try await with { presence in
                    try addGuarded()
                    _ = read("ada", [kSecUseOperationPrompt: "by the prompt"])
                    #expect(presence.requests.last?.reason == "by the prompt")
                    let context = LAContext()
                    context.localizedReason = "by the context"
                    _ = read("ada", [kSecUseAuthenticationContext: context, kSecUseOperationPrompt: "by the prompt"])
                    #expect(presence.requests.last?.reason == "by the context")
                }
            }

            @Test func `The window is capped`() {
                let context = LAContext()
                #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
                context.touchIDAuthenticationAllowableReuseDuration = 10_000
                #expect(context.touchIDAuthenticationAllowableReuseDuration == 300)
                #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
                context.touchIDAuthenticationAllowableReuseDuration = -1
                #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
                #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN))
            }

            @Test func `What a person answers is told apart`() async throws {
                // The first answer is the new passcode; then each read asks.
                let presence = ScriptedPresence([
                    "correct horse", .cancel, "wrong", .unavailable, .unavailable, "correct horse",
                ])
                try await TestVault.with(presence) { _ in
                    try addGuarded()
                    let query = password("ada", [kSecReturnData: true])
                    #expect(find(query).status == errSecUserCanceled)
                    #expect(find(query).status == errSecAuthFailed)
                    #expect(find(query).status == errSecInteractionNotAllowed)
                    #expect(find(query).status == errSecSuccess)
                }
            }

            @Test func `A key that only signs asks at each signature and is not given out`() async throws {
                try await with { presence in
                    let control = try accessControl([.userPresence, .privateKeyUsage])
                    let half: [CFString: Any] = [
                        kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("guarded".utf8),
                        kSecAttrAccessControl: control,
                    ]
                    let parameters: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048, kSecPrivateKeyAttrs: half,
                    ]
                    let made = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
                    let query: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("guarded".utf8), kSecReturnRef: true,
                    ]
                    var found: SecKey?
                    asks(0, presence) { found = find(query as CFDictionary).result.map { $0 as! SecKey } }
                    let publicKey = try #require(SecKeyCopyPublicKey(made))
                    let message = Data("approve".utf8) as CFData
                    for key in [made, try #require(found)] {
                        for _ in 1...2 {
                            try asks(1, presence) {
                                let signature = try #require(
                                    SecKeyCreateSignature(key, .rsaSignatureMessagePKCS1v15SHA256, message, nil))
                                #expect(
                                    SecKeyVerifySignature(
                                        publicKey, .rsaSignatureMessagePKCS1v15SHA256, message, signature, nil))
                            }
                        }
                        var error: Unmanaged<CFError>?
                        #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
                        #expect(code(error) == Int(errSecUnimplemented))
                    }
                    let data = query.merging([kSecReturnData: true]) { own, _ in own }
                    #expect(find(data as CFDictionary).status == errSecUnimplemented)
                }
            }

            @Test func `A context is shared by signatures`() async throws {
                try await with { presence in
                    let control = try accessControl([.userPresence, .privateKeyUsage])
                    let half: [CFString: Any] = [
                        kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("guarded".utf8),
                        kSecAttrAccessControl: control, kSecUseAuthenticationContext: LAContext(),
                    ]
                    let parameters: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                        kSecPrivateKeyAttrs: half,
                    ]
                    let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
                    let message = Data("approve".utf8) as CFData
                    asks(1, presence) {
                        for _ in 1...3 {
                            #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, nil) != nil)
                        }
                    }
                }
            }

            @Test func `An access control on a key that is not kept is refused`() async throws {
                try await with { _ in
                    let half: [CFString: Any] = [kSecAttrAccessControl: try accessControl(.userPresence)]
                    let parameters: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                        kSecPrivateKeyAttrs: half,
                    ]
                    var error: Unmanaged<CFError>?
                    #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
                    #expect(code(error) == Int(errSecParam))
                }
            }

            @Test func `A key in hardware needs a chip`() async throws {
                try await with { _ in
                    let parameters: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    ]
                    var error: Unmanaged<CFError>?
                    #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
                    let fault = try #require(error).takeRetainedValue()
                    #expect(CFErrorGetCode(fault) == Int(errSecUnimplemented))
                    #expect(fault.localizedDescription.contains("KeychainVault.configure(hardware:)"))
                }
            }
        }
    }
#endif
