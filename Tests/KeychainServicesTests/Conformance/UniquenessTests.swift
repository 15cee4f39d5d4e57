import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Which items are the same (Apple, "Item attribute keys and values"; Security framework, `SecItemDb`).
    @Suite(.conformanceKeychain) struct UniquenessTests {
        @Test func `Account and service make a password unique`() {
            #expect(add("ada") == errSecSuccess)
            #expect(add("ada") == errSecDuplicateItem)
            #expect(add("ada", "another value") == errSecDuplicateItem)
            #expect(add("bob") == errSecSuccess)
        }

        @Test(arguments: [kSecAttrLabel, kSecAttrDescription, kSecAttrComment, kSecAttrGeneric].map { $0 as String })
        func `What is not in the key does not make it another`(attribute: String) {
            #expect(add("ada") == errSecSuccess)
            #expect(add("ada", "x", [attribute as CFString: "different"]) == errSecDuplicateItem)
        }

        @Test func `Another access control is a duplicate and is found without asking`() throws {
            #expect(add("ada") == errSecSuccess)
            #expect(
                add("ada", "x", [kSecAttrAccessControl: try accessControl(.userPresence)]) == errSecDuplicateItem)
            #expect(
                add("ada", "x", [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecDuplicateItem)
            #expect(read("ada") == "secret")
        }

        @Test func `A missing account is an empty one`() {
            #expect(add(nil) == errSecSuccess)
            #expect(add("") == errSecDuplicateItem)
            #expect(find(password("")).status == errSecSuccess)
            #expect(add("ada") == errSecSuccess)
        }

        @Test func `Text and its bytes are the same`() {
            #expect(add("ada") == errSecSuccess)
            #expect(find(password(nil, [kSecAttrAccount: Data("ada".utf8)])).status == errSecSuccess)
            #expect(add(nil, "x", [kSecAttrAccount: Data("ada".utf8)]) == errSecDuplicateItem)
        }

        @Test func `An update that makes two equal is a duplicate and changes nothing`() {
            #expect(add("ada", "of ada") == errSecSuccess)
            #expect(add("bob", "of bob") == errSecSuccess)
            #expect(
                SecItemUpdate(password("bob"), [kSecAttrAccount: "ada"] as CFDictionary) == errSecDuplicateItem)
            #expect(SecItemUpdate(password(), [kSecAttrAccount: "carol"] as CFDictionary) == errSecDuplicateItem)
            #expect(read("ada") == "of ada")
            #expect(read("bob") == "of bob")
            #expect(read("carol") == nil)
        }

        @Test func `An update moves an item to another key`() {
            #expect(add("ada", "of ada") == errSecSuccess)
            #expect(SecItemUpdate(password("ada"), [kSecAttrAccount: "bob"] as CFDictionary) == errSecSuccess)
            #expect(read("bob") == "of ada")
            #expect(add("ada") == errSecSuccess)
            #expect(add("bob") == errSecDuplicateItem)
        }

        @Test func `What was deleted can be added again`() {
            for _ in 1...3 {
                #expect(add("ada") == errSecSuccess)
                #expect(SecItemDelete(password("ada")) == errSecSuccess)
            }
        }
    }
}
