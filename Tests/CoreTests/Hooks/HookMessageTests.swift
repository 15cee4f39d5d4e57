import Foundation
import Testing

@testable import CountersignCore

@Suite("Messages of hooks")
struct HookMessageTests {
    /// The example of the scheme's documentation, by which its libraries are tested.
    @Test func `A message is signed as Standard Webhooks says`() throws {
        let secret = try #require(HookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        let message = HookMessage(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Data(#"{"test": 2432232314}"#.utf8))
        let headers = message.headers(at: Date(timeIntervalSince1970: 1_614_265_330), secrets: [secret])
        #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(
            headers.map(\.value) == [
                "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
        let other = try #require(HookSecret(Secret("whsec_" + Data(repeating: 7, count: 24).base64EncodedString())))
        let both = message.headers(at: Date(timeIntervalSince1970: 1_614_265_330), secrets: [other, secret])[2].value
        #expect(both.hasPrefix("v1,") && both.hasSuffix(" v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="))
    }

    @Test func `A secret has 24 to 64 bytes in Base64, and prints as none`() throws {
        func secret(_ count: Int) -> HookSecret? {
            HookSecret(Secret("whsec_" + Data(repeating: 1, count: count).base64EncodedString()))
        }
        #expect(secret(23) == nil && secret(24) != nil && secret(64) != nil && secret(65) == nil)
        for text in [
            "", "whsec_", "whsec_!!!!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            #expect(HookSecret(Secret(text)) == nil, "\(text)")
        }
        let made = HookSecret(random: SeededRandom(seed: 3))
        #expect(!"\(made)".contains(made.text.reveal()) && HookSecret(made.text) != nil)
    }

    @Test func `A message has ids and words, and no address, name or secret`() throws {
        let event = AuditEvent(
            id: "00063f1c2b3a4d5e0a1b2c3d", at: Date(microseconds: 1_790_000_010_123_456), kind: .emailChanged,
            userID: UserID(rawValue: "ada"), clientID: ClientID(rawValue: "shop"), dialect: .oauth,
            source: "192.0.2.7", reason: nil,
            details: [
                "former": "ada@example.org", "email": "a@b", "displayName": "Ada", "url": "https://x",
                "role": "owner", "kind": "totp", "name": "Ada's phone", "liftsSecondFactor": .bool(true),
            ])
        let message = HookMessage(event)
        #expect(message.id == "evt_00063f1c2b3a4d5e0a1b2c3d")
        #expect(
            String(decoding: message.body, as: UTF8.self)
                == #"{"data":{"application":"shop","category":"users","details":{"kind":"totp","#
                + #""liftsSecondFactor":true,"role":"owner"},"#
                + #""id":"00063f1c2b3a4d5e0a1b2c3d","protocol":"oauth","user":"ada"},"#
                + #""timestamp":"2026-09-21T14:13:30.123Z","type":"user.email-changed"}"#)
    }

    @Test func `Every kind of event stands in one category or in none, and deliveries in none`() {
        let cases: [(AuditEvent.Kind, EventCategory?)] = [
            (.userCreated, .users), (.usersImported, .users), (.factorEnrolled, .factors), (.passkeyCounter, .factors),
            (.sessionEnded, .sessions), (.consentGiven, .sessions), (.signedIn, .signIns), (.approvalAsked, .signIns),
            (.answerRefused, .refusals), (.clientRefused, .refusals), (.administratorGranted, .administrators),
            (.machineTokenAdded, .administrators), (.hookAdded, .administrators), (.hookDisabled, .administrators),
            (.hookTested, .administrators), (.hookReplayed, .administrators),
            (.groupAdded, .groups), (.applicationChanged, .applications), (.resourceChanged, .applications),
            (.settingsChanged, .settings), (.keyRotated, .settings), (.masterKeyReplaced, .settings),
            (.faultFound, .settings),
            (.hookEventFailed, nil), (.mailFailed, nil), (.pushFailed, nil), (.logoutFailed, nil),
            (AuditEvent.Kind(rawValue: "of-a-later-version.done"), nil),
        ]
        for (kind, category) in cases { #expect(EventCategory(of: kind) == category, "\(kind)") }
    }
}
