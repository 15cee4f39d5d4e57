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

    @Test func `Who changed a setting last is known when the log has forgotten it`() async throws {
        let test = try await TestRealm.make()
        #expect(try await test.realm.settingChanges().isEmpty)
        var client = test.client
        client.administrator = "user:ada"
        try await test.realm.changeSettings(
            by: client, details: ["setting": "tokens.sessionDays"], before: { _ in .integer(400) }
        ) { $0.tokens.sessionDays = 7 }
        let first = test.now
        test.clock.advance(60)
        // A dialect names no setting: what became different tells which.
        try await test.realm.changeSettings(by: test.client) { $0.audit.retentionDays = 1 }
        test.clock.advance(3 * 86_400)
        _ = try await test.realm.maintenance.run()
        #expect(try await test.events(.settingsChanged).isEmpty)
        let changes = try await test.realm.settingChanges()
        #expect(changes["tokens.sessionDays"] == SettingChange(at: first, by: "user:ada"))
        #expect(changes["audit.retentionDays"]?.at == first + 60 && changes.count == 2)
    }

    @Test(
        arguments: [
            (.all, nil, nil, nil, .es256), (.all, nil, nil, .rs256, .rs256), (.all, nil, nil, .es256, .es256),
            (.all, .rs256, nil, nil, .rs256), (.all, .rs256, nil, .es256, .es256),
            (.used, nil, nil, nil, .rs256), (.used, nil, nil, .es256, .rs256), (.used, nil, nil, .rs256, .rs256),
            (.used, .es256, nil, nil, .es256), (.used, .es256, nil, .rs256, .rs256),
            (.used, nil, .es256, .es256, .es256), (.used, nil, .es256, nil, .rs256),
            (.used, .es256, .es256, .rs256, .es256),
        ] as [(TokenSettings.PublishedKeys, SigningAlgorithm?, SigningAlgorithm?, SigningAlgorithm?, SigningAlgorithm)])
    func `ID tokens are signed with what an application is registered with, where its key is published`(
        _ keys: TokenSettings.PublishedKeys, _ oauth: SigningAlgorithm?, _ guardian: SigningAlgorithm?,
        _ registered: SigningAlgorithm?, _ used: SigningAlgorithm
    ) {
        var tokens = TokenSettings()
        tokens.publishedKeys = keys
        tokens.algorithms["oauth"] = oauth
        tokens.algorithms["guardian"] = guardian
        var registration = OAuthRegistration(kind: .web)
        registration.idTokenAlgorithm = registered
        #expect(tokens.idTokenAlgorithm(of: registration) == used)
        #expect(tokens.published(for: TokenSettings.oauthReaders).contains(used))
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
