import KeychainServices
import KeychainTestSupport
import Testing

#if !canImport(Security)
    import SecretVault

    extension KeychainSuite {
        @Suite struct ReferencePageTests {
            @Test func `Without a biometric factor the item is refused and not stored weaker`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    #expect(ReferencePage.store() == errSecAuthFailed)
                    #expect(ReferencePage.requestCorrected().0 == errSecItemNotFound)
                }
            }

            @Test func `With a finger it is stored and read and the typing error of the page is one`() async throws {
                let finger = TestFinger()
                try await TestVault.with(.scripted("correct horse"), factors: [.passcode, .securityKey(finger)]) { _ in
                    #expect(ReferencePage.store() == noErr)
                    #expect(ReferencePage.store() == errSecDuplicateItem)
                    // The page adds "OWASP Account" and asks for "My Name".
                    #expect(ReferencePage.request() == (errSecItemNotFound, nil))
                    let before = finger.touches
                    #expect(ReferencePage.requestCorrected() == (noErr, "test_strong_password"))
                    #expect(finger.touches > before)
                }
            }

            @Test func `The mapping is loud`() async throws {
                let log = TestLog()
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence, mapsBiometryToPasscode: true, log: { log.append($0) }) { _ in
                    #expect(ReferencePage.store() == noErr)
                    #expect(ReferencePage.requestCorrected() == (noErr, "test_strong_password"))
                    #expect(!log.lines.isEmpty)
                }
                let reasons = presence.requests.compactMap(\.reason)
                #expect(reasons.contains("Please, pass authorisation to enter this area"))
            }
        }
    }
#endif
