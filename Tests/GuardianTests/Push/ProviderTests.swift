import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import GuardianWire
import HTTPTypes
import Testing

@Suite("Push providers of the Management API")
struct ProviderTests {
    private let selected = "guardian/factors/push-notification/selected-provider"

    @Test
    func `APNs is set up, shown without its key, changed and switched`() async throws {
        try await TestServer.with { server in
            let nothing = try await server.management(.get, TestServer.apns)
            #expect(nothing.status == 200 && nothing.json == ["sandbox": false, "enabled": false])
            #expect(try await server.management(.get, selected).json == ["provider": "guardian"])
            let put = try await server.setUpAPNs()
            let shown: JSON = [
                "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ", "bundle_id": "com.example.app", "sandbox": false,
            ]
            #expect(put.status == 200 && put.json == shown, "\(put.text)")
            let get = try await server.management(.get, TestServer.apns)
            #expect(get.json == shown.with(["enabled": true]))
            #expect(try await server.management(.get, selected).json == ["provider": "direct"])
            let patched = try await server.management(.patch, TestServer.apns, ["sandbox": true])
            #expect(patched.json == shown.with(["sandbox": true]))
            let off = try await server.management(.put, selected, ["provider": "guardian"])
            #expect(off.status == 200 && off.json == ["provider": "guardian"])
            #expect(try await server.management(.get, TestServer.apns).json["enabled"] == false)
            #expect(try await server.management(.put, selected, ["provider": "direct"]).status == 200)
            #expect(try await server.management(.get, TestServer.apns).json["enabled"] == true)
            // A file's bytes in Base64 are the same key.
            let key = P256.Signing.PrivateKey()
            let encoded = Data(key.pemRepresentation.utf8).base64EncodedString()
            #expect(try await server.management(.patch, TestServer.apns, ["p8": .string(encoded)]).status == 200)
            #expect(
                try await server.realm.pushProviders.apnsCredentials()?.privateKey.reveal() == key.pemRepresentation)
        }
    }

    @Test(
        arguments: [
            (["p12": "AAAA"], "p8"), (["p8": "AAAA"], "PEM"), (["p8": ""], "PEM"), (["p8": .null], "p8 missing"),
            (["key_id": "has space"], "key_id"), (["key_id": ""], "key_id"), (["team_id": "a\r\nb"], "team_id"),
            (["bundle_id": "a b"], "bundle_id"), (["bundle_id": "x\r\ny: z"], "bundle_id"),
            (["key_id": .null], "key_id missing"),
            (["sandbox": "perhaps"], "sandbox"), (["p8": 7], "p8"),
        ] as [([String: JSON], String)])
    func `What cannot be used is refused with what to write, and changes nothing`(changes: [String: JSON], word: String)
        async throws
    {
        try await TestServer.with { server in
            let reply = try await server.setUpAPNs(changes.mapValues { $0 == .null ? nil : $0 })
            expectRefused(reply, 400, "invalid_body")
            #expect(reply.json["message"].text?.contains(word) == true, "\(reply.text)")
            #expect(try await server.realm.pushProviders.apns().settings == APNsSettings())
        }
    }

    @Test
    func `Other services are not here, and say so`() async throws {
        try await TestServer.with { server in
            for name in ["fcm", "fcmv1", "sns"] {
                for method in [HTTPRequest.Method.put, .patch] {
                    let reply = try await server.management(
                        method, "guardian/factors/push-notification/providers/\(name)", ["server_key": "x"])
                    expectRefused(reply, 400, "feature_disabled")
                    #expect(reply.json["message"].text?.contains(name == "sns" ? "direct" : "long poll") == true)
                }
            }
            expectRefused(try await server.management(.put, selected, ["provider": "sns"]), 400, "feature_disabled")
            for wrong: JSON in [["provider": "automatic"], [:], ["provider": 1]] {
                #expect(try await server.management(.put, selected, wrong).status == 400)
            }
            let stranger = try await server.send(.get, "/api/v2/\(TestServer.apns)")
            expectRefused(stranger, 401, "invalid_token")
        }
    }

    @Test
    func `A push fits into what Apple takes: what is optional goes first`() {
        func payload(_ length: Int) -> PushPayload {
            let text = String(repeating: "ü", count: length)
            return PushPayload(
                device: "dev_1", token: "t", challenge: "c", startedAt: Date(timeIntervalSince1970: 0), server: "s",
                title: "countersign", body: "Allow the sign-in of \(text)?", browser: (text, "1"), system: (text, "2"),
                place: (text, "1", "2"), linkingID: nil, numberLength: 6)
        }
        let small = payload(10)
        #expect(small.fitting() == small)
        for length in [300, 500, 700, 1000, 2000, 5000] {
            let whole = payload(length)
            let cut = whole.fitting()
            #expect(cut.encoded.count <= 4096)
            #expect(cut.mfa.txtkn == "t" && cut.mfa.c == "c" && cut.mfa.dai == "dev_1" && cut.mfa.nl == 6)
            #expect(cut.aps.category == PushPayload.category && cut.aps.alert.body.hasPrefix("Allow the sign-in"))
            #expect(cut == whole || cut.mfa.l == nil)
        }
        #expect(payload(500).fitting().mfa.l == nil && payload(500).fitting().mfa.s != nil, "No more goes than has to.")
    }
}
