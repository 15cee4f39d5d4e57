import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Who is asked when. On a Mac, a person gives the passcode where these tests read.
    @Suite(.conformanceKeychain) struct ProtectedItemTests {
        private func addGuarded(_ flags: SecAccessControlCreateFlags = .userPresence) throws {
            #expect(add("ada", "guarded", [kSecAttrAccessControl: try accessControl(flags)]) == errSecSuccess)
        }

        static let silent: [(String, @Sendable () -> [CFString: Any])] = [
            ("UI fail", { [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail] }),
            ("no UI", { [kSecUseNoAuthenticationUI: true] }),
            (
                "a context that may not interact",
                {
                    let context = LAContext()
                    context.interactionNotAllowed = true
                    return [kSecUseAuthenticationContext: context]
                }
            ),
        ]

        @Test(arguments: silent.indices) func `Without interaction a protected item exists and is not given`(
            _ index: Int
        ) throws {
            let (_, silent) = Self.silent[index]
            try addGuarded()
            for wanted in [[:], [kSecReturnData: true], [kSecReturnAttributes: true]] as [[CFString: Any]] {
                let query = password("ada", silent().merging(wanted) { own, _ in own })
                let found = find(query)
                #expect(found.status == errSecInteractionNotAllowed)
                #expect(found.result == nil)
            }
            let nobody = password("nobody", silent())
            #expect(find(nobody).status == errSecItemNotFound)
        }

        @Test(arguments: silent.indices) func `What is not protected is given without interaction`(_ index: Int) {
            #expect(add("ada", "open") == errSecSuccess)
            #expect(read("ada", Self.silent[index].1()) == "open")
        }

        @Test func `Skipping leaves protected items out`() throws {
            try addGuarded()
            let skip: [CFString: Any] = [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]
            #expect(find(password("ada", skip)).status == errSecItemNotFound)
            #expect(add("bob", "open") == errSecSuccess)
            let all = find(
                password(
                    nil,
                    skip.merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]) { own, _ in own }))
            let accounts = (all.result as? [[String: Any]])?.compactMap { $0[kSecAttrAccount as String] as? String }
            #expect(accounts == ["bob"])
        }

        @Test func `A person who is there gets it`() throws {
            try addGuarded()
            #expect(read("ada", [kSecUseOperationPrompt: "to test"]) == "guarded")
        }

        @Test func `Deleting never asks`() throws {
            try addGuarded()
            #expect(
                SecItemDelete(password("ada", [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])) == errSecSuccess)
            #expect(find(password("ada")).status == errSecItemNotFound)
        }

        @Test func `Changing asks`() throws {
            try addGuarded()
            let silent = password("ada", [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
            for change in [
                [kSecValueData: Data("new".utf8)], [kSecAttrLabel: "new"],
                [kSecAttrAccessControl: try accessControl([], kSecAttrAccessibleWhenUnlocked)],
            ] as [[CFString: Any]] {
                #expect(SecItemUpdate(silent, change as CFDictionary) == errSecInteractionNotAllowed)
            }
            #expect(
                SecItemUpdate(password("ada"), [kSecValueData: Data("new".utf8)] as CFDictionary) == errSecSuccess)
            #expect(read("ada") == "new")
        }

        @Test func `An invalidated context authenticates nothing`() throws {
            try addGuarded()
            let context = LAContext()
            context.invalidate()
            let found = find(password("ada", [kSecReturnData: true, kSecUseAuthenticationContext: context]))
            #expect(found.status == errSecAuthFailed)
        }

        @Test func `A context of another type is a parameter error`() {
            #expect(add("ada") == errSecSuccess)
            #expect(find(password("ada", [kSecUseAuthenticationContext: "context"])).status == errSecParam)
        }

        @Test func `An application password is needed as well`() throws {
            let context = LAContext()
            #expect(!context.isCredentialSet(.applicationPassword))
            #expect(context.setCredential(Data("app".utf8), type: .applicationPassword))
            #expect(context.isCredentialSet(.applicationPassword))
            let control = try accessControl(.applicationPassword, kSecAttrAccessibleWhenUnlocked)
            let with: [CFString: Any] = [kSecUseAuthenticationContext: context]
            #expect(
                add("ada", "behind", with.merging([kSecAttrAccessControl: control]) { own, _ in own }) == errSecSuccess)
            #expect(read("ada", with) == "behind")
            let without = password(
                "ada", [kSecReturnData: true, kSecUseAuthenticationUI: kSecUseAuthenticationUIFail])
            #expect(find(without).status == errSecInteractionNotAllowed)
            #expect(context.setCredential(nil, type: .applicationPassword))
            #expect(!context.isCredentialSet(.applicationPassword))
        }
    }
}
