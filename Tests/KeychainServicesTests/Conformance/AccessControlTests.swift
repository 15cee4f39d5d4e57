import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Accessibility, flags, and what excludes what.
    @Suite(.conformanceKeychain) struct AccessControlTests {
        static let accepted: [SecAccessControlCreateFlags] = [
            [], .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
            .privateKeyUsage,
            [.biometryAny, .or, .devicePasscode], [.biometryCurrentSet, .and, .devicePasscode],
            [.biometryAny, .devicePasscode], [.userPresence, .applicationPassword], [.userPresence, .privateKeyUsage],
            [.userPresence, .applicationPassword, .privateKeyUsage], [.devicePasscode, .applicationPassword],
        ]

        @Test(arguments: accepted) func `Is made whether or not the factor is there`(
            _ flags: SecAccessControlCreateFlags
        ) {
            var error: Unmanaged<CFError>?
            #expect(
                SecAccessControlCreateWithFlags(kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked, flags, &error)
                    != nil)
            #expect(error == nil)
        }

        static let refused: [SecAccessControlCreateFlags] = [
            [.or, .and], [.biometryAny, .or, .and, .devicePasscode], [.biometryAny, .biometryCurrentSet],
            [.userPresence, .devicePasscode], [.userPresence, .biometryAny], [.userPresence, .biometryCurrentSet],
            [.userPresence, .or], [.userPresence, .and],
        ]

        @Test(arguments: refused) func `Is refused with a parameter error`(_ flags: SecAccessControlCreateFlags) throws
        {
            var error: Unmanaged<CFError>?
            #expect(
                SecAccessControlCreateWithFlags(kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked, flags, &error)
                    == nil)
            #expect(code(error) == Int(errSecParam))
        }

        @Test func `The protection is one of the constants`() throws {
            for protection in ["never", "", "AK"] {
                var error: Unmanaged<CFError>?
                #expect(SecAccessControlCreateWithFlags(nil, protection as CFString, .userPresence, &error) == nil)
                #expect(code(error) == Int(errSecParam))
            }
            // Without a place for the error nothing is written.
            #expect(SecAccessControlCreateWithFlags(nil, "never" as CFString, .userPresence, nil) == nil)
        }

        @Test(
            arguments: [
                (.userPresence, 1 << 0), (.biometryAny, 1 << 1), (.biometryCurrentSet, 1 << 3),
                (.devicePasscode, 1 << 4),
                (.or, 1 << 14), (.and, 1 << 15), (.privateKeyUsage, 1 << 30), (.applicationPassword, 1 << 31),
            ] as [(SecAccessControlCreateFlags, UInt)])
        func `The bits are apples`(_ flag: SecAccessControlCreateFlags, _ bit: UInt) {
            #expect(flag.rawValue == bit)
        }

        @Test func `Without an accessibility it is when unlocked`() throws {
            #expect(add("ada") == errSecSuccess)
            let attributes = try #require(
                find(password("ada", [kSecReturnAttributes: true])).result as? [String: Any])
            #expect(attributes[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
        }

        @Test func `The access control gives the accessibility`() throws {
            let control = try accessControl([], kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
            #expect(add("ada", "x", [kSecAttrAccessControl: control]) == errSecSuccess)
            let found = find(
                password(
                    nil,
                    [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, kSecReturnAttributes: true]
                ))
            let attributes = try #require(found.result as? [String: Any])
            #expect(attributes[kSecAttrAccount as String] as? String == "ada")
            #expect(
                find(password(nil, [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked])).status == errSecItemNotFound)
        }

        @Test func `Accessibility and access control exclude each other unless they say the same`() throws {
            let same = try accessControl([], kSecAttrAccessibleWhenUnlocked)
            let other = try accessControl([], kSecAttrAccessibleAfterFirstUnlock)
            let guarded = try accessControl(.userPresence, kSecAttrAccessibleWhenUnlocked)
            let accessible: [CFString: Any] = [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
            for control in [other, guarded] {
                let both = accessible.merging([kSecAttrAccessControl: control]) { own, _ in own }
                #expect(add("ada", "x", both) == errSecParam)
            }
            #expect(
                add("ada", "x", accessible.merging([kSecAttrAccessControl: same]) { own, _ in own }) == errSecSuccess)
            let change = accessible.merging([kSecAttrAccessControl: other]) { own, _ in own }
            #expect(SecItemUpdate(password("ada"), change as CFDictionary) == errSecParam)
        }

        @Test func `What is guarded is not synchronised`() throws {
            let guarded: [CFString: Any] = [
                kSecAttrAccessControl: try accessControl(.userPresence), kSecAttrSynchronizable: true,
            ]
            #expect(add("ada", "x", guarded) == errSecParam)
            #expect(add("ada") == errSecSuccess)
            #expect(SecItemUpdate(password("ada"), guarded as CFDictionary) == errSecParam)
            let onlyHere: [CFString: Any] = [
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrSynchronizable: true,
            ]
            #expect(add("bob", "x", onlyHere) == errSecParam)
        }

        @Test func `A search for synchronised or not finds both`() {
            #expect(add("ada") == errSecSuccess)
            #expect(
                find(password("ada", [kSecAttrSynchronizable: kSecAttrSynchronizableAny])).status == errSecSuccess)
            #expect(find(password("ada", [kSecAttrSynchronizable: false])).status == errSecSuccess)
            #expect(find(password("ada", [kSecAttrSynchronizable: true])).status == errSecItemNotFound)
        }
    }
}
