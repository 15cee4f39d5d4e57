import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import Testing

/// What an application asks of people who sign up.
@Suite("Attributes in native authentication")
struct AttributeTests {
    private static let code = ApplicationRegistration.Attribute(
        name: "postalCode", type: "string", isRequired: true, pattern: "^[1-9][0-9]*$")
    private static let nickname = ApplicationRegistration.Attribute(
        name: "nickname", type: "string", isRequired: false, pattern: "^.{2,10}$")
    private static let city = ApplicationRegistration.Attribute(name: "city", type: "string", isRequired: true)

    private func start(_ client: NativeClient, _ attributes: String) async throws -> Reply {
        try await client.post(
            .signUpStart,
            ["username": NativeClient.email, "challenge_type": "oob redirect", "attributes": attributes])
    }

    @Test
    func `A pattern is told to the client, and judged at the start and later`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(attributes: [Self.code, Self.city, Self.nickname])
            let wrong = try await start(client, #"{"postalCode":"0123","nickname":"x","city":"London"}"#)
            expectRefused(wrong, "invalid_grant", "attribute_validation_failed")
            #expect(
                wrong.json["invalid_attributes"] == [["name": "nickname"], ["name": "postalCode"]], "\(wrong.text)")

            let begun = try await start(client, #"{"nickname":"Ada"}"#)
            #expect(begun.status == 200, "\(begun.text)")
            _ = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
            let asked = try await client.post(
                .signUpContinue,
                ["continuation_token": begun.token, "grant_type": "oob", "oob": client.codes().last])
            expectRefused(asked, "attributes_required", number: 55106)
            #expect(
                asked.json["required_attributes"] == [
                    [
                        "name": "postalCode", "type": "string", "required": true,
                        "options": ["regex": "^[1-9][0-9]*$"],
                    ],
                    ["name": "city", "type": "string", "required": true],
                ], "\(asked.text)")
            func give(_ attributes: String) async throws -> Reply {
                try await client.post(
                    .signUpContinue,
                    ["continuation_token": asked.token, "grant_type": "attributes", "attributes": attributes])
            }
            let refused = try await give(#"{"postalCode":"W1","city":"London"}"#)
            expectRefused(refused, "invalid_grant", "attribute_validation_failed")
            #expect(refused.json["invalid_attributes"] == [["name": "postalCode"]])
            let tokens = try await client.token(
                .continuationToken,
                ["continuation_token": give(#"{"postalCode":"90210","city":"London"}"#).token])
            let claims = try Tokens.claims(tokens.json["id_token"])
            #expect(claims["postalCode"] == "90210" && claims["nickname"] == "Ada", "\(claims)")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `A pattern and a text that would keep other engines busy for years take no time`() async throws {
        try await TestServer.with { server in
            let attribute = ApplicationRegistration.Attribute(
                name: "slow", type: "string", isRequired: true, pattern: "^((a+)+|(a|aa)*)+$")
            let client = try await server.application(attributes: [attribute])
            let text = String(repeating: "a", count: 1000)
            let wrong = try await start(client, #"{"slow":"\#(text)!"}"#)
            expectRefused(wrong, "invalid_grant", "attribute_validation_failed")
            #expect(try await start(client, #"{"slow":"\#(text)"}"#).status == 200)
        }
    }

    @Test
    func `What no attribute can be is invalid, also where it was not requested`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(attributes: [Self.city])
            for value in ["1", "true", "{}", "[1]", "\"\\u0007\"", "\"\(String(repeating: "x", count: 1025))\""] {
                let reply = try await start(client, #"{"city":\#(value)}"#)
                expectRefused(reply, "invalid_grant", "attribute_validation_failed")
                #expect(reply.json["invalid_attributes"] == [["name": "city"]], "\(value): \(reply.text)")
            }
            for value in ["null", "\"\"", "\"Paris\"", "[\"a\",\"b\"]"] {
                #expect(try await start(client, #"{"city":\#(value),"unknown":7}"#).status == 200)
            }
        }
    }
}
