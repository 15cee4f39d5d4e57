import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Keys (Apple, "Storing keys in the keychain").
    @Suite(.conformanceKeychain) struct KeyTests {
        static let tag = "conformance"

        private func create(
            _ type: CFString = kSecAttrKeyTypeECSECPrimeRandom, _ bits: Int = 256, half: [CFString: Any]? = nil
        ) throws -> SecKey {
            var parameters: [CFString: Any] = [
                kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits, kSecUseDataProtectionKeychain: true,
            ]
            parameters[kSecPrivateKeyAttrs] = half
            var error: Unmanaged<CFError>?
            let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error)
            return try #require(key, "\(String(describing: error?.takeRetainedValue()))")
        }

        private func permanent(_ more: [CFString: Any] = [:]) -> [CFString: Any] {
            [kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data(Self.tag.utf8)].merging(more) { own, _ in own }
        }

        private func keys(_ more: [CFString: Any] = [:]) -> CFDictionary {
            let query: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(Self.tag.utf8),
                kSecUseDataProtectionKeychain: true,
            ]
            return query.merging(more) { _, new in new } as CFDictionary
        }

        private func refused(_ parameters: [CFString: Any]) -> Int? {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
            return code(error)
        }

        @Test func `A key is kept only when it says so`() throws {
            _ = try create()
            _ = try create(half: [kSecAttrIsPermanent: false, kSecAttrApplicationTag: Data(Self.tag.utf8)])
            #expect(find(keys()).status == errSecItemNotFound)
            _ = try create(half: permanent())
            #expect(find(keys()).status == errSecSuccess)
        }

        @Test func `A kept key is the one that was made`() throws {
            let made = try create(half: permanent())
            let found = try #require(find(keys([kSecReturnRef: true])).result)
            let key = found as! SecKey
            let message = Data("message".utf8) as CFData
            let signature = try #require(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, nil))
            let publicKey = try #require(SecKeyCopyPublicKey(made))
            #expect(SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, nil))
        }

        @Test func `Two keys may have one tag`() throws {
            _ = try create(half: permanent())
            _ = try create(half: permanent())
            let all = find(keys([kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true]))
            #expect((all.result as? [Any])?.count == 2)
            #expect(SecItemDelete(keys()) == errSecSuccess)
            #expect(find(keys()).status == errSecItemNotFound)
        }

        @Test func `The same key twice is a duplicate`() throws {
            let key = try create()
            #expect(SecItemAdd(keys([kSecValueRef: key]), nil) == errSecSuccess)
            #expect(SecItemAdd(keys([kSecValueRef: key]), nil) == errSecDuplicateItem)
        }

        @Test func `A tag is found as data and as text`() throws {
            _ = try create(half: permanent())
            #expect(find(keys([kSecAttrApplicationTag: Self.tag])).status == errSecSuccess)
            #expect(find(keys([kSecAttrApplicationTag: Data("conformance.other".utf8)])).status == errSecItemNotFound)
        }

        @Test func `A search tells types and classes apart`() throws {
            _ = try create(half: permanent())
            #expect(find(keys([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom])).status == errSecSuccess)
            #expect(find(keys([kSecAttrKeyType: kSecAttrKeyTypeRSA])).status == errSecItemNotFound)
            #expect(find(keys([kSecAttrKeyClass: kSecAttrKeyClassPrivate])).status == errSecSuccess)
            #expect(find(keys([kSecAttrKeyClass: kSecAttrKeyClassPublic])).status == errSecItemNotFound)
            #expect(find(keys([kSecAttrKeySizeInBits: 256])).status == errSecSuccess)
            #expect(find(keys([kSecAttrKeySizeInBits: 384])).status == errSecItemNotFound)
        }

        @Test func `Export and import give the same key`() throws {
            for (type, bits) in [(kSecAttrKeyTypeECSECPrimeRandom, 256), (kSecAttrKeyTypeRSA, 2048)] {
                let key = try create(type, bits)
                let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil))
                let parameters: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
                let again = try #require(SecKeyCreateWithData(bytes, parameters as CFDictionary, nil))
                #expect(SecKeyCopyExternalRepresentation(again, nil) as Data? == bytes as Data)
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                let publicBytes = try #require(SecKeyCopyExternalRepresentation(publicKey, nil))
                let publicAgain = try #require(
                    SecKeyCreateWithData(
                        publicBytes,
                        [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPublic] as CFDictionary, nil))
                #expect(SecKeyCopyExternalRepresentation(publicAgain, nil) as Data? == publicBytes as Data)
            }
        }

        @Test func `Elliptic curve keys are X963`() throws {
            let key = try create()
            let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
            #expect(bytes.count == 97)
            #expect(bytes.first == 4)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(SecKeyCopyExternalRepresentation(publicKey, nil) as Data? == bytes.prefix(65))
            #expect(SecKeyGetBlockSize(key) == 32)
        }

        @Test func `What is no key is a parameter error`() throws {
            let parameters: [[CFString: Any]] = [
                [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic],
                [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate],
                [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic],
                [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate],
            ]
            let garbage = [Data(), Data([0x30]), Data(repeating: 4, count: 65), Data(repeating: 0xff, count: 300)]
            for parameters in parameters {
                for bytes in garbage {
                    var error: Unmanaged<CFError>?
                    #expect(SecKeyCreateWithData(bytes as CFData, parameters as CFDictionary, &error) == nil)
                    #expect(code(error) == Int(errSecParam))
                }
            }
        }

        @Test func `A key needs a type and a size`() throws {
            #expect(refused([kSecAttrKeySizeInBits: 256]) == Int(errSecParam))
            #expect(
                refused([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 257])
                    == Int(errSecParam))
        }

        @Test func `The application label is the hash of the public key`() throws {
            let key = try create(half: permanent())
            let label = try #require(
                (SecKeyCopyAttributes(key) as? [String: Any])?[kSecAttrApplicationLabel as String] as? Data)
            #expect(label.count == 20)
            let byLabel: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrApplicationLabel: label, kSecUseDataProtectionKeychain: true,
            ]
            #expect(find(byLabel as CFDictionary).status == errSecSuccess)
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let publicLabel = (SecKeyCopyAttributes(publicKey) as? [String: Any])?[kSecAttrApplicationLabel as String]
            #expect(publicLabel as? Data == label)
        }

        @Test func `Each type of key has its algorithms`() throws {
            let curve = try create()
            let rsa = try create(kSecAttrKeyTypeRSA, 2048)
            #expect(SecKeyIsAlgorithmSupported(curve, .sign, .ecdsaSignatureDigestX962SHA256))
            #expect(!SecKeyIsAlgorithmSupported(curve, .sign, .rsaSignatureDigestPKCS1v15SHA256))
            #expect(SecKeyIsAlgorithmSupported(rsa, .sign, .rsaSignatureMessagePSSSHA512))
            #expect(!SecKeyIsAlgorithmSupported(rsa, .sign, .ecdsaSignatureMessageX962SHA256))
            let publicKey = try #require(SecKeyCopyPublicKey(rsa))
            #expect(!SecKeyIsAlgorithmSupported(publicKey, .sign, .rsaSignatureDigestPKCS1v15SHA256))
            #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, .rsaSignatureDigestPKCS1v15SHA256))
            #expect(SecKeyGetBlockSize(rsa) == 256)
        }

        @Test func `A digest has the length of its hash`() throws {
            let key = try create(kSecAttrKeyTypeRSA, 2048)
            for count in [0, 20, 31, 33, 64] {
                var error: Unmanaged<CFError>?
                let digest = Data(count: count) as CFData
                #expect(SecKeyCreateSignature(key, .rsaSignatureDigestPKCS1v15SHA256, digest, &error) == nil)
                #expect(code(error) == Int(errSecParam))
            }
        }

        @Test func `A signature of something else does not verify`() throws {
            let key = try create()
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            let message = Data("message".utf8) as CFData
            let signature = try #require(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message, nil))
            let others: [(CFData, CFData)] = [
                (Data("massage".utf8) as CFData, signature), (message, Data() as CFData),
                (message, Data(repeating: 0x30, count: 70) as CFData),
                (message, (signature as Data).dropLast() as CFData),
            ]
            for (message, signature) in others {
                var error: Unmanaged<CFError>?
                #expect(
                    !SecKeyVerifySignature(publicKey, .ecdsaSignatureMessageX962SHA256, message, signature, &error))
                #expect(error?.takeRetainedValue() != nil)
            }
        }
    }
}
