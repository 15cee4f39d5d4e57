#if !canImport(Security)
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        @Suite struct ConfigurationTests {
            private func folder() -> String {
                FileManager.default.temporaryDirectory.appendingPathComponent("facade-\(UUID().uuidString)").path
            }

            @Test func `Before it is configured no keychain is available`() throws {
                KeychainVault.reset()
                #expect(add("ada") == errSecNotAvailable)
                #expect(find(password("ada", [kSecReturnData: true])).status == errSecNotAvailable)
                #expect(
                    SecItemUpdate(password("ada"), [kSecAttrLabel: "x"] as CFDictionary) == errSecNotAvailable)
                #expect(SecItemDelete(password("ada")) == errSecNotAvailable)
                let parameters: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true],
                ]
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
                #expect(code(error) == Int(errSecNotAvailable))
            }

            @Test func `The modern surface says what to do`() async {
                KeychainVault.reset()
                let error = await #expect(throws: KeychainError.self) {
                    _ = try await Keychain().read(account: "a", service: "b")
                }
                guard case .notAvailable(let text) = error else { return #expect(error == .notAvailable("")) }
                #expect(text.contains("KeychainVault.configure"))
            }

            @Test func `The same settings again are harmless and others are an error`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    #expect(add("ada") == errSecSuccess)
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    #expect(read("ada") == "secret")
                    let error = await #expect(throws: KeychainError.self) {
                        try await TestVault.configure(.scripted("correct horse"), directory: directory + "-other")
                    }
                    guard case .parameter(let text) = error else { return #expect(error == .parameter("")) }
                    #expect(text.contains(directory))
                    await #expect(throws: KeychainError.self) {
                        try await TestVault.configure(
                            .scripted("correct horse"), mapsBiometryToPasscode: true, directory: directory)
                    }
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `Many that configure at once open one vault`() async throws {
                let directory = folder()
                defer { try? FileManager.default.removeItem(atPath: directory) }
                KeychainVault.reset()
                defer { KeychainVault.reset() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await TestVault.configure(.scripted("correct horse"), directory: directory)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(add("ada") == errSecSuccess)
            }

            @Test func `A wrong passcode opens nothing and the right one does afterwards`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    #expect(add("ada") == errSecSuccess)
                    KeychainVault.reset()
                    let wrong = await #expect(throws: KeychainError.self) {
                        try await TestVault.configure(.init(["battery staple"]), directory: directory)
                    }
                    guard case .authenticationFailed = wrong else {
                        return #expect(wrong == .authenticationFailed(triesLeft: nil))
                    }
                    #expect(find(password("ada")).status == errSecNotAvailable)
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `Cancelling the prompt leaves nothing open`() async throws {
                let directory = folder()
                KeychainVault.reset()
                await #expect(throws: KeychainError.cancelled) {
                    try await TestVault.configure(.init([.cancel]), directory: directory)
                }
                #expect(find(password("ada")).status == errSecNotAvailable)
                try? FileManager.default.removeItem(atPath: directory)
            }

            @Test func `The application is the only access group`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    #expect(add("ada", "x", [kSecAttrAccessGroup: "another.app"]) == errSecMissingEntitlement)
                    #expect(
                        find(password("ada", [kSecAttrAccessGroup: "another.app"])).status == errSecMissingEntitlement)
                    #expect(add("ada", "x", [kSecAttrAccessGroup: TestVault.application]) == errSecSuccess)
                    #expect(add("ada") == errSecDuplicateItem)
                }
            }

            @Test func `A locked vault gives what is readable after the first unlock and nothing else`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let afterFirst = kSecAttrAccessibleAfterFirstUnlock
                    #expect(add("unlocked") == errSecSuccess)
                    #expect(add("first", "after", [kSecAttrAccessible: afterFirst]) == errSecSuccess)
                    try KeychainVault.lock()
                    #expect(
                        find(password("unlocked", [kSecReturnData: true])).status == errSecInteractionNotAllowed)
                    #expect(read("first") == "after")
                    #expect(SecItemDelete(password("first")) == errSecSuccess)
                    try await KeychainVault.unlock()
                    #expect(read("unlocked") == "secret")
                }
            }

            @Test func `Removing the passcode destroys what needs one`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let passcodeSet = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                    let guarded = try accessControl(.userPresence)
                    #expect(add("set", "x", [kSecAttrAccessible: passcodeSet]) == errSecSuccess)
                    #expect(add("guarded", "x", [kSecAttrAccessControl: guarded]) == errSecSuccess)
                    #expect(add("open") == errSecSuccess)
                    try await KeychainVault.removePasscode()
                    #expect(find(password("set", [kSecReturnData: true])).status == errSecItemNotFound)
                    #expect(find(password("guarded", [kSecReturnData: true])).status == errSecItemNotFound)
                    #expect(read("open") == "secret")
                    #expect(add("set", "x", [kSecAttrAccessible: passcodeSet]) == errSecAuthFailed)
                }
            }

            @Test(arguments: ["cert", "idnt"]) func `Certificates are unimplemented`(_ itemClass: String) async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let query = [kSecClass: itemClass] as CFDictionary
                    #expect(find(query).status == errSecUnimplemented)
                    #expect(SecItemAdd(query, nil) == errSecUnimplemented)
                    #expect(SecItemDelete(query) == errSecUnimplemented)
                }
            }

            @Test func `Internet passwords have their own key`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    func internet(_ port: Int, _ more: [CFString: Any] = [:]) -> CFDictionary {
                        let query: [CFString: Any] = [
                            kSecClass: kSecClassInternetPassword, kSecAttrServer: "example.com", kSecAttrAccount: "ada",
                            kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrPort: port,
                        ]
                        return query.merging(more) { own, _ in own } as CFDictionary
                    }
                    let value: [CFString: Any] = [kSecValueData: Data("web".utf8)]
                    #expect(SecItemAdd(internet(443, value), nil) == errSecSuccess)
                    #expect(SecItemAdd(internet(443, value), nil) == errSecDuplicateItem)
                    #expect(SecItemAdd(internet(8443, value), nil) == errSecSuccess)
                    #expect(find(internet(443, [kSecReturnData: true])).result as? Data == Data("web".utf8))
                    #expect(find(internet(444)).status == errSecItemNotFound)
                    #expect(find(password("ada")).status == errSecItemNotFound)
                    #expect(find(password("ada", [kSecAttrServer: "example.com"])).status == errSecNoSuchAttr)
                }
            }

            @Test func `What the facade stores the modern surface reads and the other way round`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    #expect(add("ada", "from below") == errSecSuccess)
                    let service = ConformanceKeychain.service
                    let keychain = Keychain()
                    let secret = try await keychain.read(account: "ada", service: service)
                    #expect(secret.withBytes { Array($0) } == Array("from below".utf8))
                    try await keychain.store(
                        LockedBytes(Array("from above".utf8)), account: "bob", service: service,
                        access: AccessControl(unconstrained: .whenUnlocked))
                    #expect(read("bob") == "from above")
                    #expect(add("bob") == errSecDuplicateItem)
                }
            }
        }
    }
#endif
