import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Which items are the same (Apple, "Item attribute keys and values"; Security framework, `SecItemDb`).
    @Suite(.conformanceKeychain) struct UniquenessTests {
        @Test func accountAndServiceMakeAPasswordUnique() {
            #expect(add("ada") == errSecSuccess)
            #expect(add("ada") == errSecDuplicateItem)
            #expect(add("ada", "another value") == errSecDuplicateItem)
            #expect(add("bob") == errSecSuccess)
        }

        @Test(arguments: [kSecAttrLabel, kSecAttrDescription, kSecAttrComment, kSecAttrGeneric].map { $0 as String })
        func whatIsNotInTheKeyDoesNotMakeItAnother(attribute: String) {
            #expect(add("ada") == errSecSuccess)
            #expect(add("ada", "x", [attribute as CFString: "different"]) == errSecDuplicateItem)
        }

        @Test func anotherAccessControlIsADuplicateAndIsFoundWithoutAsking() throws {
            #expect(add("ada") == errSecSuccess)
            #expect(
                add("ada", "x", [kSecAttrAccessControl: try accessControl(.userPresence)]) == errSecDuplicateItem)
            #expect(
                add("ada", "x", [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) == errSecDuplicateItem)
            #expect(read("ada") == "secret")
        }

        @Test func aMissingAccountIsAnEmptyOne() {
            #expect(add(nil) == errSecSuccess)
            #expect(add("") == errSecDuplicateItem)
            #expect(find(password("")).status == errSecSuccess)
            #expect(add("ada") == errSecSuccess)
        }

        @Test func textAndItsBytesAreTheSame() {
            #expect(add("ada") == errSecSuccess)
            #expect(find(password(nil, [kSecAttrAccount: Data("ada".utf8)])).status == errSecSuccess)
            #expect(add(nil, "x", [kSecAttrAccount: Data("ada".utf8)]) == errSecDuplicateItem)
        }

        @Test func anUpdateThatMakesTwoEqualIsADuplicateAndChangesNothing() {
            #expect(add("ada", "of ada") == errSecSuccess)
            #expect(add("bob", "of bob") == errSecSuccess)
            #expect(
                SecItemUpdate(password("bob"), [kSecAttrAccount: "ada"] as CFDictionary) == errSecDuplicateItem)
            #expect(SecItemUpdate(password(), [kSecAttrAccount: "carol"] as CFDictionary) == errSecDuplicateItem)
            #expect(read("ada") == "of ada")
            #expect(read("bob") == "of bob")
            #expect(read("carol") == nil)
        }

        @Test func anUpdateMovesAnItemToAnotherKey() {
            #expect(add("ada", "of ada") == errSecSuccess)
            #expect(SecItemUpdate(password("ada"), [kSecAttrAccount: "bob"] as CFDictionary) == errSecSuccess)
            #expect(read("bob") == "of ada")
            #expect(add("ada") == errSecSuccess)
            #expect(add("bob") == errSecDuplicateItem)
        }

        @Test func whatWasDeletedCanBeAddedAgain() {
            for _ in 1...3 {
                #expect(add("ada") == errSecSuccess)
                #expect(SecItemDelete(password("ada")) == errSecSuccess)
            }
        }
    }
}
