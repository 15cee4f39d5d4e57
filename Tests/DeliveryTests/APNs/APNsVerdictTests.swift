import CountersignCore
import Crypto
import Foundation
import JWTKit
import Testing

@testable import Delivery

@Suite("What Apple's push service answers")
struct APNsVerdictTests {
    private enum Kind: String {
        case dead, expired, busy, operators, ours
    }

    private func kind(_ verdict: APNsVerdict) -> Kind? {
        switch verdict {
        case .delivered: nil
        case .deadToken: .dead
        case .expiredProviderToken: .expired
        case .postponed(_, _, let isOperators): isOperators ? .operators : .busy
        case .refused: .ours
        }
    }

    private func verdict(_ status: Int, _ body: String, retryAfter: String? = nil) -> APNsVerdict {
        APNsVerdict(status: status, body: Data(body.utf8), retryAfter: retryAfter)
    }

    /// All reasons of "Handling notification responses from APNs".
    private static let documented: [(Int, String, Kind)] = [
        (400, "BadCollapseId", .ours), (400, "BadDeviceToken", .dead), (400, "BadExpirationDate", .ours),
        (400, "BadMessageId", .ours), (400, "BadPriority", .ours), (400, "BadTopic", .operators),
        (400, "DeviceTokenNotForTopic", .dead), (400, "DuplicateHeaders", .ours), (400, "IdleTimeout", .busy),
        (400, "InvalidPushType", .ours), (400, "MissingDeviceToken", .ours), (400, "MissingTopic", .operators),
        (400, "PayloadEmpty", .ours), (400, "TopicDisallowed", .operators), (403, "BadCertificate", .operators),
        (403, "BadCertificateEnvironment", .operators), (403, "ExpiredProviderToken", .expired),
        (403, "Forbidden", .operators), (403, "InvalidProviderToken", .operators),
        (403, "MissingProviderToken", .operators), (403, "UnrelatedKeyIdInToken", .operators),
        (403, "BadEnvironmentKeyIdInToken", .operators), (404, "BadPath", .ours), (405, "MethodNotAllowed", .ours),
        (410, "ExpiredToken", .dead), (410, "Unregistered", .dead), (413, "PayloadTooLarge", .ours),
        (429, "TooManyProviderTokenUpdates", .busy), (429, "TooManyRequests", .busy),
        (500, "InternalServerError", .busy), (503, "ServiceUnavailable", .busy), (503, "Shutdown", .busy),
    ]

    @Test
    func `Every documented reason has its meaning`() {
        #expect(verdict(200, "") == .delivered)
        for (status, reason, expected) in Self.documented {
            let found = verdict(status, #"{"reason":"\#(reason)"}"#)
            #expect(kind(found) == expected, "\(status) \(reason)")
            #expect("\(found)".contains(reason) || expected == .expired)
        }
    }

    @Test
    func `What is not documented may pass, whatever stands in it`() {
        let answers = [
            (418, "Teapot"), (400, "SomethingNew"), (302, ""), (100, "x"), (502, ""), (504, ""), (599, "x"), (0, ""),
        ]
        for (status, reason) in answers {
            #expect(kind(verdict(status, #"{"reason":"\#(reason)"}"#)) == .busy, "\(status) \(reason)")
        }
        for body in ["", "null", "[]", "{", #"{"reason":7}"#, #"{"reason":""}"#, "\u{0}", #"{"timestamp":1}"#] {
            #expect(verdict(503, body) == .postponed(reason: "Status503", after: nil, isOperators: false), "\(body)")
        }
        // A stranger's text goes into the log: letters alone, and few of them.
        let long = String(repeating: "x\\n", count: 1000)
        #expect(
            verdict(503, #"{"reason":"\#(long)"}"#)
                == .postponed(reason: String(repeating: "x", count: 64), after: nil, isOperators: false))
    }

    @Test
    func `Times are taken where they are times`() {
        #expect(
            verdict(410, #"{"reason":"Unregistered","timestamp":1790244672123}"#)
                == .deadToken(reason: "Unregistered", since: Date(timeIntervalSince1970: 1_790_244_672.123)))
        #expect(verdict(410, #"{"reason":"Unregistered"}"#) == .deadToken(reason: "Unregistered", since: nil))
        for (header, seconds) in [
            ("0", 0.0), ("120", 120), ("999999999", 86_400), ("-5", 0), ("soon", nil), ("", nil), ("1.5", nil),
        ] as [(String, Double?)] {
            #expect(
                verdict(429, #"{"reason":"TooManyRequests"}"#, retryAfter: header)
                    == .postponed(reason: "TooManyRequests", after: seconds, isOperators: false), "\(header)")
        }
    }
}

@Suite("Provider tokens")
struct ProviderTokenTests {
    private let key = P256.Signing.PrivateKey()

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private func credentials(
        keyID: String = "KEY", teamID: String = "TEAM", key: P256.Signing.PrivateKey? = nil
    ) -> PushProviders.APNsCredentials {
        PushProviders.APNsCredentials(
            keyID: keyID, teamID: teamID, bundleID: "com.example.app", isSandbox: false,
            privateKey: Secret((key ?? self.key).pemRepresentation))
    }

    @Test
    func `A token is signed by the key, names it, the team and the time, and nothing else`() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000.75)
        let token = try await ProviderTokens().token(for: credentials(), at: now)
        let parts = token.split(separator: ".").map { [UInt8](base64URL: $0) ?? [] }
        let header = try JSONDecoder().decode([String: String].self, from: Data(parts[0]))
        #expect(header == ["alg": "ES256", "kid": "KEY", "typ": "JWT"] || header == ["alg": "ES256", "kid": "KEY"])
        #expect(
            try JSONDecoder().decode(JSONValue.self, from: Data(parts[1]))
                == .object(["iss": .string("TEAM"), "iat": .integer(1_790_000_000)]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: Data(parts[2]))
        let signed = token.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(key.publicKey.isValidSignature(signature, for: Data(signed.utf8)))
    }

    @Test
    func `It is used for forty minutes, by one key, one id and one team; never one that was refused`() async throws {
        let tokens = ProviderTokens()
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        let first = try await tokens.token(for: credentials(), at: start)
        #expect(try await tokens.token(for: credentials(), at: start + 2399) == first)
        let second = try await tokens.token(for: credentials(), at: start + 2400)
        #expect(second != first)
        // A clock that was put back makes no token that Apple has not heard of for an hour.
        #expect(try await tokens.token(for: credentials(), at: start + 2400 - 2399) == second)
        let refused = try await tokens.token(for: credentials(), at: start + 2401, except: second)
        #expect(refused != second)
        #expect(try await tokens.token(for: credentials(), at: start + 2402, except: second) == refused)
        for other in [credentials(keyID: "K2"), credentials(teamID: "T2"), credentials(key: P256.Signing.PrivateKey())]
        {
            #expect(try await tokens.token(for: other, at: start + 2403) != refused)
        }
    }
}
