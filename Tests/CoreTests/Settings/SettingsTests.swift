import Foundation
import Testing

@testable import CountersignCore

@Suite("Settings")
struct SettingsTests {
    @Test
    func `A fresh realm has safe defaults, and TOTP on with one adjacent interval`() async throws {
        let settings = try await TestRealm.make().realm.settings()
        #expect(settings == RealmSettings())
        #expect(settings.secondFactors.offersTOTP && settings.secondFactors.totpWindow == 1)
        #expect(settings.privacy.hidesAddresses)
        #expect(settings.passwords.minimumLength == 8 && settings.passwords.refusesCommon)
        #expect(!settings.signUp.allowsAnonymous)
        #expect(settings.tokens.algorithm == .es256)
        #expect(!RealmMode.production.usesUnsignedTokens && !RealmMode.production.allowsAnonymousUsers)
    }

    @Test
    func `A change is kept and logged; one that throws changes nothing`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.tokens.sessionDays = 7 }
        #expect(try await test.realm.settings().tokens.sessionDays == 7)
        #expect(try await test.events(.settingsChanged).count == 1)
        await #expect(throws: TestFailure.self) {
            try await test.realm.changeSettings(by: test.client) { settings in
                settings.tokens.sessionDays = 8
                throw TestFailure()
            }
        }
        #expect(try await test.realm.settings().tokens.sessionDays == 7)
        #expect(try await test.events(.settingsChanged).count == 1)
    }

    @Test
    func `Changes at once are all kept`() async throws {
        let test = try await TestRealm.make()
        _ = try await race(20, meetingBefore: 1) { index in
            try await test.realm.changeSettings(by: test.client) { $0.tokens.customTokenKeys["\(index)"] = "PEM" }
        }
        #expect(try await test.realm.settings().tokens.customTokenKeys.count == 20)
    }
}
