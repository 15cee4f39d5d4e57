import Crypto
import Foundation
import Testing

@testable import CountersignCore

@Suite("Push providers")
struct PushProviderTests {
    private let pem = P256.Signing.PrivateKey().pemRepresentation

    private func setUp(_ test: TestRealm, _ change: PushProviders.APNsChange? = nil) async throws
        -> PushProviders.APNsStatus?
    {
        let whole = PushProviders.APNsChange(
            keyID: "KEY1234567", teamID: "TEAM123456", bundleID: "com.example.app", privateKey: Secret(pem))
        return try await test.realm.pushProviders.changeAPNs(
            change ?? whole, replacesAll: change == nil, by: test.client)
    }

    @Test
    func `APNs is used once everything is there, and not when the administrator chose otherwise`() async throws {
        let test = try await TestRealm.make()
        let providers = test.realm.pushProviders
        #expect(try await providers.selected() == .polled)
        #expect(try await providers.apnsCredentials() == nil)
        #expect(try await setUp(test)?.isComplete == true)
        #expect(try await providers.selected() == .direct)
        let credentials = try #require(await providers.apnsCredentials())
        #expect(credentials.keyID == "KEY1234567" && credentials.teamID == "TEAM123456" && !credentials.isSandbox)
        #expect(credentials.bundleID == "com.example.app" && credentials.privateKey.reveal() == pem)
        try await providers.select(.polled, by: test.client)
        #expect(try await providers.apnsCredentials() == nil)
        try await providers.select(.direct, by: test.client)
        #expect(try await providers.apnsCredentials() == credentials)
    }

    @Test
    func `Single members change and leave the rest; replacing all leaves nothing`() async throws {
        let test = try await TestRealm.make()
        _ = try await setUp(test)
        #expect(try await setUp(test, .init(isSandbox: true))?.isComplete == true)
        let changed = try #require(await test.realm.pushProviders.apnsCredentials())
        #expect(changed.isSandbox && changed.keyID == "KEY1234567" && changed.privateKey.reveal() == pem)
        for wrong in ["", "not a key", P384.Signing.PrivateKey().pemRepresentation] {
            #expect(try await setUp(test, .init(privateKey: Secret(wrong))) == nil)
        }
        let emptied = try await test.realm.pushProviders.changeAPNs(.init(), replacesAll: true, by: test.client)
        #expect(emptied == .init(settings: APNsSettings(), hasKey: false))
        #expect(try await test.realm.pushProviders.apnsCredentials() == nil)
    }

    @Test
    func `The key is readable neither in the settings nor in the log nor in the row that keeps it`() async throws {
        let test = try await TestRealm.make()
        let status = try await setUp(test)
        let line = try #require(pem.split(separator: "\n").dropFirst().first)
        let sealed = try #require(await test.store.read { try $0.sealedSecret(PushProviders.apnsKey) })
        #expect(sealed.range(of: Data(line.utf8)) == nil)
        let settings = try #require(await test.store.read { try $0.document("settings") })
        #expect(settings.range(of: Data(line.utf8)) == nil)
        let events = try await test.events(.settingsChanged)
        #expect(events.count == 1 && events.first?.details["push.apns.key"] == .string("replaced"))
        let credentials = try await test.realm.pushProviders.apnsCredentials()
        for text in [String(describing: events), "\(String(describing: status))", "\(String(describing: credentials))"]
        {
            #expect(!text.contains(line))
        }
    }

    @Test
    func `A token that Apple calls dead is forgotten, unless the device has registered since`() async throws {
        let test = try await TestRealm.make()
        let id = try await test.enrol(TestDevice(), of: test.addUser().id).factor.id
        let devices = test.realm.devices
        let before = test.now - 10
        #expect(try await !devices.forgetPushToken("a0b1", of: id, unusedSince: before), "It enrolled later.")
        test.clock.advance(100)
        let between = test.now
        test.clock.advance(100)
        // The same token again, as when an app is installed again.
        _ = try await devices.change(id, .init(service: "APNS", pushToken: "a0b1"), by: test.client)
        #expect(try await !devices.forgetPushToken("a0b1", of: id, unusedSince: between))
        #expect(try await !devices.forgetPushToken("ffff", of: id), "Another token than the one it has.")
        #expect(try await devices.device(id)?.pushToken == "a0b1")
        #expect(try await devices.forgetPushToken("a0b1", of: id, unusedSince: test.now, reason: "Unregistered"))
        #expect(try await devices.device(id)?.pushToken == nil)
        #expect(try await test.events(.deviceChanged).filter { $0.reason == "Unregistered" }.count == 1)
    }
}
