#if !canImport(Security)
    import KeychainTestSupport
    import KeychainTypes
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        @Suite struct DamageTests {
            @Test func `A damaged vault is not an empty one`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    #expect(add("ada") == errSecSuccess)
                    let file = URL(fileURLWithPath: directory + "/vault.kc")
                    let whole = try Data(contentsOf: file)
                    for index in stride(from: 0, to: whole.count, by: whole.count / 40) {
                        var damaged = whole
                        damaged[index] ^= 0x01
                        try damaged.write(to: file)
                        let status = find(password("ada", [kSecReturnData: true])).status
                        #expect(status != errSecSuccess && status != errSecItemNotFound, "byte \(index)")
                        #expect(add("bob") != errSecSuccess, "byte \(index)")
                    }
                    try whole.write(to: file)
                    // Some damage looks as if another process had changed the passcode, and locks.
                    try await KeychainVault.unlock()
                    #expect(read("ada") == "secret")
                }
            }

            @Test func `Persistent references outlive the process`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    #expect(add("ada") == errSecSuccess)
                    let reference = try #require(
                        find(password("ada", [kSecReturnPersistentRef: true])).result as? Data)
                    #expect(reference.count == 20)
                    KeychainVault.reset()
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    let byReference: [CFString: Any] = [kSecValuePersistentRef: reference, kSecReturnData: true]
                    #expect(find(byReference as CFDictionary).result as? Data == Data("secret".utf8))
                    let ofAKey = byReference.merging([kSecClass: kSecClassKey]) { own, _ in own }
                    #expect(find(ofAKey as CFDictionary).status == errSecParam)
                }
            }

            @Test func `A key added as bytes is a key`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let random: [CFString: Any] = [
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    ]
                    let item: [CFString: Any] = [
                        kSecClass: kSecClassKey, kSecAttrApplicationTag: "bytes",
                        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                    ]
                    var publicKeys: [Data] = []
                    for _ in 1...2 {
                        let key = try #require(SecKeyCreateRandomKey(random as CFDictionary, nil))
                        let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil))
                        let value = [kSecValueData: bytes]
                        // The second one takes the place of the first.
                        let status =
                            publicKeys.isEmpty
                            ? SecItemAdd(item.merging(value) { own, _ in own } as CFDictionary, nil)
                            : SecItemUpdate(item as CFDictionary, value as CFDictionary)
                        #expect(status == errSecSuccess)
                        let query = item.merging([kSecReturnRef: true]) { own, _ in own } as CFDictionary
                        let found = try #require(find(query).result) as! SecKey
                        let publicKey = try #require(SecKeyCopyPublicKey(key))
                        let message = Data("message".utf8) as CFData
                        let signature = try #require(
                            SecKeyCreateSignature(found, .ecdsaSignatureMessageX962SHA256, message, nil))
                        #expect(
                            SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil))
                        let info = try await Keychain().key(tag: "bytes")
                        #expect(info.publicKey == SecKeyCopyExternalRepresentation(publicKey, nil) as Data?)
                        publicKeys.append(info.publicKey)
                    }
                    #expect(Set(publicKeys).count == 2)
                }
            }
        }
    }
#endif
