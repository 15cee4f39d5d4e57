import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// What the four functions answer (Apple, "Keychain items").
    @Suite(.conformanceKeychain) struct ItemFunctionsTests {
        @Test func `What is added is found changed and deleted`() {
            #expect(read("ada") == nil)
            #expect(add("ada", "one") == errSecSuccess)
            #expect(read("ada") == "one")
            #expect(
                SecItemUpdate(password("ada"), [kSecValueData: Data("two".utf8)] as CFDictionary) == errSecSuccess)
            #expect(read("ada") == "two")
            #expect(SecItemDelete(password("ada")) == errSecSuccess)
            #expect(find(password("ada")).status == errSecItemNotFound)
        }

        @Test func `Nothing that matches is not found`() {
            #expect(find(password("nobody")).status == errSecItemNotFound)
            #expect(SecItemDelete(password("nobody")) == errSecItemNotFound)
            #expect(
                SecItemUpdate(password("nobody"), [kSecAttrLabel: "x"] as CFDictionary) == errSecItemNotFound)
        }

        @Test func `Asking for a result without a place for it is a parameter error`() {
            #expect(add("ada") == errSecSuccess)
            for kind in [kSecReturnData, kSecReturnAttributes, kSecReturnPersistentRef] {
                #expect(SecItemCopyMatching(password("ada", [kind: true]), nil) == errSecParam)
                #expect(SecItemCopyMatching(password("ada", [kind: false]), nil) == errSecSuccess)
            }
        }

        @Test func `Without a return type there is a status and nothing else`() {
            #expect(add("ada") == errSecSuccess)
            let found = find(password("ada"))
            #expect(found.status == errSecSuccess)
            #expect(found.result == nil)
        }

        @Test func `One return type gives the thing and two a dictionary`() throws {
            #expect(add("ada", "one", [kSecAttrLabel: "a label"]) == errSecSuccess)
            #expect(find(password("ada", [kSecReturnData: true])).result is Data)
            #expect(find(password("ada", [kSecReturnPersistentRef: true])).result is Data)
            let attributes = try #require(
                find(password("ada", [kSecReturnAttributes: true])).result as? [String: Any])
            #expect(attributes[kSecAttrAccount as String] as? String == "ada")
            #expect(attributes[kSecAttrLabel as String] as? String == "a label")
            #expect(attributes[kSecValueData as String] == nil)
            #expect(attributes[kSecAttrCreationDate as String] is Date)
            let both = try #require(
                find(password("ada", [kSecReturnAttributes: true, kSecReturnData: true])).result as? [String: Any])
            #expect(both[kSecValueData as String] as? Data == Data("one".utf8))
            #expect(both[kSecAttrAccount as String] as? String == "ada")
        }

        @Test func `Adding gives what is asked for`() throws {
            var result: CFTypeRef?
            let item = password("ada", [kSecValueData: Data("one".utf8), kSecReturnPersistentRef: true])
            #expect(SecItemAdd(item, &result) == errSecSuccess)
            let reference = try #require(result as? Data)
            let query: [CFString: Any] = [
                kSecValuePersistentRef: reference, kSecReturnData: true, kSecUseDataProtectionKeychain: true,
            ]
            #expect(find(query as CFDictionary).result as? Data == Data("one".utf8))
        }

        @Test func `The first match is given unless a limit says more`() throws {
            for account in ["a", "b", "c"] { #expect(add(account) == errSecSuccess) }
            #expect(find(password(nil, [kSecReturnData: true])).result is Data)
            #expect(find(password(nil, [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne])).result is Data)
            #expect(find(password(nil, [kSecReturnData: true, kSecMatchLimit: 1])).result is Data)
            let two = find(password(nil, [kSecReturnAttributes: true, kSecMatchLimit: 2]))
            #expect((two.result as? [Any])?.count == 2)
            let all = find(password(nil, [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]))
            let accounts = (all.result as? [[String: Any]])?.compactMap { $0[kSecAttrAccount as String] as? String }
            #expect(Set(accounts ?? []) == ["a", "b", "c"])
        }

        @Test func `A limit of all gives an array for one match too`() {
            #expect(add("ada") == errSecSuccess)
            let all = find(password(nil, [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]))
            #expect((all.result as? [Any])?.count == 1)
            let none = find(password("nobody", [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]))
            #expect(none.status == errSecItemNotFound)
        }

        @Test func `Update and delete act on all matches`() {
            for account in ["a", "b", "c"] { #expect(add(account) == errSecSuccess) }
            #expect(SecItemUpdate(password(), [kSecAttrLabel: "same"] as CFDictionary) == errSecSuccess)
            let labelled = find(
                password(nil, [kSecAttrLabel: "same", kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]))
            #expect((labelled.result as? [Any])?.count == 3)
            #expect(SecItemDelete(password()) == errSecSuccess)
            #expect(find(password()).status == errSecItemNotFound)
        }

        @Test func `Update and delete refuse what only a search takes`() {
            #expect(add("ada") == errSecSuccess)
            let change = [kSecAttrLabel: "x"] as CFDictionary
            for kind in [kSecReturnData, kSecReturnAttributes, kSecReturnPersistentRef] {
                #expect(SecItemUpdate(password("ada", [kind: true]), change) == errSecParam)
            }
            #expect(SecItemUpdate(password("ada", [kSecMatchLimit: kSecMatchLimitAll]), change) == errSecParam)
            #expect(SecItemDelete(password("ada", [kSecMatchLimit: kSecMatchLimitOne])) == errSecParam)
            #expect(SecItemDelete(password("ada", [kSecMatchLimit: 5])) == errSecParam)
            #expect(read("ada") == "secret")
        }

        @Test func `Skipping protected items is for searches alone`() {
            let skip = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(add("ada", "one", skip) == errSecParam)
            #expect(add("ada") == errSecSuccess)
            #expect(SecItemUpdate(password("ada", skip), [kSecAttrLabel: "x"] as CFDictionary) == errSecParam)
            #expect(SecItemDelete(password("ada", skip)) == errSecParam)
            #expect(find(password("ada", skip)).status == errSecSuccess)
        }

        @Test func `Matches are exact`() {
            #expect(add("Ada", "one", [kSecAttrLabel: "label"]) == errSecSuccess)
            #expect(find(password("ada")).status == errSecItemNotFound)
            #expect(find(password("Ad")).status == errSecItemNotFound)
            #expect(find(password("Ada", [kSecAttrLabel: "labe"])).status == errSecItemNotFound)
            #expect(find(password("Ada", [kSecAttrLabel: "label"])).status == errSecSuccess)
        }

        @Test func `What is gone is not found by its persistent reference`() throws {
            var result: CFTypeRef?
            #expect(
                SecItemAdd(password("ada", [kSecValueData: Data(), kSecReturnPersistentRef: true]), &result)
                    == errSecSuccess)
            let reference = try #require(result as? Data)
            #expect(SecItemDelete(password("ada")) == errSecSuccess)
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecValuePersistentRef: reference,
                kSecUseDataProtectionKeychain: true,
            ]
            #expect(find(query as CFDictionary).status == errSecItemNotFound)
        }
    }
}
