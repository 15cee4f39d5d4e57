#if !canImport(Security)
    import Foundation
    import Guardian
    import GuardianReferencePage
    import KeychainTestSupport
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// The keys that Guardian keeps in the keychain.
        @Suite struct GuardianKeyTests {
            private static let tag = "com.example.guardian"

            private func publicKey(_ key: any SigningKey) throws -> Data? {
                try (key.verificationKey() as? AsymmetricPublicKey)?.data
            }

            private func error(_ body: () throws -> Void) -> GuardianError? {
                do {
                    try body()
                    return nil
                } catch {
                    return error as? GuardianError
                }
            }

            /// What lies under the tag, without its secret.
            private func items(_ tag: String = tag) -> [NSDictionary] {
                let query: [String: Any] = [
                    kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data(tag.utf8),
                    kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
                ]
                var found: AnyObject?
                let status = withUnsafeMutablePointer(to: &found) {
                    SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
                }
                return status == errSecSuccess ? found as? [NSDictionary] ?? [] : []
            }

            @Test func `The pages key is found again when the process starts again`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    let (made, found, verificationKey) = try keyInKeychain()
                    #expect(try publicKey(made) == publicKey(found) && verificationKey.jwk != nil)
                    KeychainVault.reset()
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    let (again, _, _) = try keyInKeychain()
                    #expect(try publicKey(again) == publicKey(made))
                    #expect(try again.signature(for: Data("x".utf8)).count == 256)
                }
            }

            @Test(arguments: [
                (KeychainRSAPrivateKey.Accessibility.afterFirstUnlock, "ck"),
                (.afterFirstUnlockThisDeviceOnly, "cku"), (.whenPasscodeIsSet, "akpu"),
            ])
            func `A key is as accessible as its maker said`(
                accessible: KeychainRSAPrivateKey.Accessibility, constant: String
            ) async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let key = try KeychainRSAPrivateKey.new(with: Self.tag, accessible: accessible)
                    #expect(items().map { $0[kSecAttrAccessible as String] as? String } == [constant])
                    // The first one stays, whatever the second call says.
                    let again = try KeychainRSAPrivateKey.new(with: Self.tag, accessible: .afterFirstUnlock)
                    #expect(try publicKey(again) == publicKey(key) && items().count == 1)
                    #expect(items().map { $0[kSecAttrAccessible as String] as? String } == [constant])
                    let usual = try KeychainRSAPrivateKey.new(with: "other")
                    #expect(usual.tag == "other" && usual.signsAtOnce)
                    #expect(items("other").map { $0[kSecAttrAccessible as String] as? String } == ["cku"])
                }
            }

            @Test func `No second key is made for a locked first`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let key = try KeychainRSAPrivateKey.new(with: Self.tag, accessible: .whenPasscodeIsSet)
                    try KeychainVault.lock()
                    let locked = error { _ = try KeychainRSAPrivateKey.new(with: Self.tag) }
                    #expect(locked?.code == "a0.guardian.internal.no.private_key")
                    #expect((locked?.cause as? NSError)?.code == Int(errSecInteractionNotAllowed))
                    #expect(error { _ = try KeychainRSAPrivateKey(tag: Self.tag) }?.cause != nil)
                    #expect(error { _ = try key.storeInKeychain(with: Self.tag) } != nil)
                    try await KeychainVault.unlock()
                    #expect(try publicKey(KeychainRSAPrivateKey(tag: Self.tag)) == publicKey(key))
                    #expect(items().count == 1)
                }
            }

            @Test func `Without a vault no key is made anywhere`() throws {
                KeychainVault.reset()
                for make in [
                    { _ = try KeychainRSAPrivateKey.new(with: Self.tag) },
                    { _ = try KeychainRSAPrivateKey(tag: Self.tag) },
                    { _ = try KeychainP256PrivateKey.new(with: Self.tag, access: .presentUser) },
                ] as [() throws -> Void] {
                    let none = error(make)
                    #expect(none?.code == "a0.guardian.internal.no.private_key")
                    #expect((none?.cause as? NSError)?.code == Int(errSecNotAvailable))
                }
                #expect(error { try KeychainRSAPrivateKey.delete(with: Self.tag) } != nil)
            }

            @Test func `A deleted key is gone and its tag is free`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let key = try KeychainRSAPrivateKey.new(with: Self.tag)
                    let other = try KeychainRSAPrivateKey.new(with: "other")
                    try key.delete()
                    try key.delete()
                    let gone = error { _ = try KeychainRSAPrivateKey(tag: Self.tag) }
                    #expect(gone?.code == "a0.guardian.internal.no.private_key" && gone?.cause == nil)
                    #expect(try publicKey(KeychainRSAPrivateKey.new(with: Self.tag)) != publicKey(key))
                    try KeychainRSAPrivateKey.delete(with: Self.tag)
                    #expect(items().isEmpty)
                    #expect(try publicKey(KeychainRSAPrivateKey(tag: "other")) == publicKey(other))
                }
            }

            @Test func `A key for a present user asks at each signature and at nothing else`() async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { _ in
                    let asked = presence.requests.count
                    let key = try KeychainRSAPrivateKey.new(with: Self.tag, access: .presentUser)
                    let found = try KeychainRSAPrivateKey.new(with: Self.tag, access: .presentUser)
                    #expect(try publicKey(found) == publicKey(key) && !found.signsAtOnce)
                    #expect(presence.requests.count == asked)
                    _ = try found.signature(for: Data("x".utf8))
                    _ = try found.signature(for: Data("x".utf8))
                    #expect(presence.requests.count == asked + 2)
                    try found.delete()
                    #expect(items().isEmpty && presence.requests.count == asked + 2)
                }
            }

            @Test func `A P256 key is made in the chip where one is wanted and nowhere else`() async throws {
                let chip = TestChip()
                try await TestVault.with(.scripted("correct horse"), hardware: chip) { _ in
                    let access = AccessControl(unconstrained: .afterFirstUnlockThisDeviceOnly)
                    let key = try KeychainP256PrivateKey.new(with: Self.tag, access: access, inHardware: true)
                    let again = try KeychainP256PrivateKey.new(with: Self.tag, access: access, inHardware: true)
                    #expect(try publicKey(again) == publicKey(key) && items().count == 1 && !key.signsAtOnce)
                    #expect(try key.signature(for: Data("x".utf8)).count == 64 && chip.signatures == 1)
                    let soft = try KeychainP256PrivateKey.new(with: "soft", access: access)
                    #expect(try soft.signature(for: Data("x".utf8)).count == 64 && chip.signatures == 1)
                    // One tag, one key, of one kind.
                    #expect(
                        error { _ = try KeychainRSAPrivateKey.new(with: Self.tag) }?.code
                            == "a0.guardian.internal.invalid.assymmetric_key")
                    #expect(items().count == 1)
                }
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let refused = error {
                        _ = try KeychainP256PrivateKey.new(with: Self.tag, access: .presentUser, inHardware: true)
                    }
                    #expect(refused?.code == "a0.guardian.internal.failed.creation_assymmetric_key")
                    #expect(items().isEmpty)
                }
            }

            @Test func `A key in memory is kept under a tag that no other has`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let key = try DataRSAPrivateKey.new()
                    let kept = try key.storeInKeychain(with: Self.tag)
                    #expect(try publicKey(kept) == publicKey(key))
                    #expect(try publicKey(KeychainRSAPrivateKey(tag: Self.tag)) == publicKey(key))
                    _ = try key.storeInKeychain(with: Self.tag)
                    let taken = error { _ = try DataRSAPrivateKey.new().storeInKeychain(with: Self.tag) }
                    #expect(taken?.code == "a0.guardian.internal.failed.store_assymmetric_key")
                    #expect(items().count == 1)
                }
            }

            @Test func `Many threads that want the key get the same`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let access = AccessControl(unconstrained: .afterFirstUnlockThisDeviceOnly)
                    let keys = try await withThrowingTaskGroup(of: Data?.self) { tasks in
                        for _ in 0..<8 {
                            tasks.addTask {
                                try publicKey(KeychainP256PrivateKey.new(with: Self.tag, access: access))
                            }
                        }
                        return try await tasks.reduce(into: Set<Data?>()) { $0.insert($1) }
                    }
                    #expect(keys.count == 1 && items().count == 1)
                }
            }
        }
    }
#endif
