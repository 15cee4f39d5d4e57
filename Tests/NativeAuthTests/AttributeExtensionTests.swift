import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import NativeAuthWire
import TestSupport
import Testing

/// Attribute collection start and submit (Microsoft Learn, attribute collection events).
@Suite("Services that have a say in sign-ups")
struct AttributeExtensionTests {
    private static let attributes: [ApplicationRegistration.Attribute] = [
        .init(name: "city", type: "string", isRequired: true), .init(name: "age", type: "integer", isRequired: true),
        .init(name: "news", type: "boolean", isRequired: false),
    ]

    private func with(
        _ event: ExtensionEvent, _ script: @escaping ScriptedService.Script,
        _ body: @escaping @Sendable (TestServer, NativeClient, ScriptedService) async throws -> Void
    ) async throws {
        let service = try ScriptedService(script)
        defer { service.stop() }
        try await TestServer.with(.development, extensions: .patient) { server in
            let client = try await server.application(attributes: Self.attributes)
            try await server.ask(service, about: event, of: client)
            try await body(server, client, service)
        }
    }

    /// A sign-up as far as the code.
    private func signUp(
        _ client: NativeClient, _ more: [String: String?] = [:]
    ) async throws -> (fields: [String: String?], reply: Reply) {
        let start: [String: String?] = ["username": NativeClient.email, "challenge_type": "oob redirect"]
        let begun = try await client.post(.signUpStart, start.merging(more) { $1 })
        let asked = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
        let fields: [String: String?] = [
            "continuation_token": asked.token, "grant_type": "oob", "oob": try await client.codes().last,
        ]
        return (fields, try await client.post(.signUpContinue, fields))
    }

    private func give(_ attributes: String, _ token: String?, _ client: NativeClient) async throws -> Reply {
        try await client.post(
            .signUpContinue,
            ["continuation_token": token, "grant_type": "attributes", "attributes": attributes])
    }

    private func account(_ server: TestServer) async throws -> User? {
        try await server.realm.accounts.user(email: EmailAddress(kept: NativeClient.email))
    }

    @Test
    func
        `What is to be prefilled comes with the attributes that are asked for, and is not stored until it is submitted`()
        async throws
    {
        let script = ScriptedService.json(
            Answers.start("setPrefillValues", #""inputs":{"city":"London","age":36,"unknown":"x"}"#))
        try await with(.attributeCollectionStart, script) { server, client, service in
            let (fields, asked) = try await signUp(client)
            let expected: JSON = [
                ["name": "city", "type": "string", "required": true, "options": ["prefill": "London"]],
                ["name": "age", "type": "integer", "required": true, "options": ["prefill": "36"]],
            ]
            #expect(asked.error == "attributes_required" && asked.json["required_attributes"] == expected)
            // The answer that was lost has the same in it.
            #expect(try await client.post(.signUpContinue, fields).json["required_attributes"] == expected)
            #expect(service.requests.count == 1)
            let info = try #require(service.requests.first).json["data"]["userSignUpInfo"]
            #expect(info["identities"][0]["issuerAssignedId"].text == NativeClient.email)
            #expect(info["attributes"].names == ["age", "city", "news"])
            #expect(info["attributes"]["city"]["value"] == .null)
            let done = try await give(#"{"city":"Paris","age":"37"}"#, asked.token, client)
            #expect(done.status == 200, "\(done.text)")
            #expect(try await account(server)?.profile.attributes == ["city": "Paris", "age": .integer(37)])
            #expect(service.requests.count == 1, "asked once for a sign-up")
        }
    }

    @Test
    func `A sign-up that is blocked makes no account; the words are the service's`() async throws {
        let block = #""title":"Sorry","message":"No sign-ups\u0007today""#
        for (event, script) in [
            (ExtensionEvent.attributeCollectionStart, Answers.start("showBlockPage", block)),
            (.attributeCollectionSubmit, Answers.submit("showBlockPage", block)),
        ] {
            try await with(event, ScriptedService.json(script)) { server, client, _ in
                let (_, reply) = try await signUp(client, ["attributes": #"{"city":"Paris","age":37}"#])
                expectRefused(reply, "access_denied")
                #expect(reply.json["error_description"].text?.hasPrefix("Sorry: No sign-ups today\r\n") == true)
                #expect(try await account(server) == nil)
                let events = try await server.realm.auditLog.events(limit: 100)
                #expect(events.contains { $0.kind == .extensionObjected && $0.reason == "blocked" })
            }
        }
    }

    @Test
    func `Attributes that the service does not want are named, and can be given again`() async throws {
        let script = ScriptedService.json(
            Answers.submit(
                "showValidationError",
                #""message":"Please look again.","attributeErrors":{"city":"No such town","unknown":"x"}"#))
        try await with(.attributeCollectionSubmit, script) { server, client, service in
            let (_, asked) = try await signUp(client)
            #expect(asked.error == "attributes_required" && service.requests.isEmpty, "not before they are given")
            let refused = try await give(#"{"city":"Nowhere","age":37,"news":true}"#, asked.token, client)
            expectRefused(refused, "invalid_grant", "attribute_validation_failed", number: 55105)
            #expect(refused.json["invalid_attributes"] == [["name": "city"]])
            #expect(refused.json["error_description"].text?.contains("Please look again. city: No such town") == true)
            #expect(try await account(server) == nil)
            let said = try #require(service.requests.first).json["data"]["userSignUpInfo"]["attributes"]
            #expect(said["city"]["value"] == "Nowhere" && said["age"]["value"] == 37 && said["news"]["value"] == true)
            #expect(said["age"]["@odata.type"] == "microsoft.graph.int64DirectoryAttributeValue")
            service.answers(ScriptedService.json(Answers.goOnWithSubmit))
            let done = try await give(#"{"city":"Paris","age":37}"#, asked.token, client)
            #expect(done.status == 200, "\(done.text)")
            #expect(try await account(server)?.profile.attributes["city"] == "Paris")
        }
    }

    @Test
    func `Attributes that came at the start and are not wanted are asked for`() async throws {
        let script = ScriptedService.json(
            Answers.submit("showValidationError", #""message":"m","attributeErrors":{"city":"No such town"}"#))
        try await with(.attributeCollectionSubmit, script) { server, client, service in
            let (_, asked) = try await signUp(client, ["attributes": #"{"city":"Nowhere","age":37}"#])
            #expect(asked.error == "attributes_required")
            #expect(asked.json["required_attributes"].elements.map(\.["name"]) == ["city"])
            service.answers(ScriptedService.json(Answers.goOnWithSubmit))
            #expect(try await give(#"{"city":"Paris"}"#, asked.token, client).status == 200)
            #expect(try await account(server)?.profile.attributes == ["city": "Paris", "age": .integer(37)])
        }
    }

    @Test
    func `The service can change what was given, and add nothing`() async throws {
        let script = ScriptedService.json(
            Answers.submit("modifyAttributeValues", #""attributes":{"city":"PARIS","news":true,"password":"x"}"#))
        try await with(.attributeCollectionSubmit, script) { server, client, service in
            let (_, reply) = try await signUp(
                client,
                [
                    "attributes": #"{"city":"Paris","age":37,"displayName":"Ada"}"#, "password": NativeClient.password,
                    "challenge_type": NativeClient.everything,
                ])
            #expect(reply.status == 200, "\(reply.text)")
            let user = try #require(try await account(server))
            #expect(user.profile.attributes == ["city": "PARIS", "age": .integer(37)])
            #expect(user.profile.displayName == "Ada")
            let request = try #require(service.requests.first)
            #expect(!String(decoding: request.body, as: UTF8.self).contains(NativeClient.password))
            let name = request.json["data"]["userSignUpInfo"]["attributes"]["displayName"]
            #expect(name["attributeType"] == "builtIn" && name["value"] == "Ada")
        }
    }

    @Test
    func `A service that fails makes no account, and the code is good still`() async throws {
        let wrongType = Answers.submit("modifyAttributeValues", #""attributes":{"age":"37"}"#)
        for script: ScriptedService.Script in [
            ScriptedService.json(wrongType), { _ in [.send(ScriptedService.answer(500, ""))] },
            ScriptedService.json(Answers.submit("modifyAttributeValues", #""attributes":{"city":"a\u0000b"}"#)),
            ScriptedService.json(Answers.submit("setPrefillValues", #""inputs":{}"#)),
        ] {
            try await with(.attributeCollectionSubmit, script) { server, client, service in
                let (fields, reply) = try await signUp(client, ["attributes": #"{"city":"Paris","age":37}"#])
                expectRefused(reply, "invalid_request", number: 1_100_001)
                #expect(try await account(server) == nil)
                #expect(try await server.failures().count == 1)
                service.answers(ScriptedService.json(Answers.goOnWithSubmit))
                #expect(try await client.post(.signUpContinue, fields).status == 200)
                #expect(try await account(server) != nil)
            }
        }
    }

    @Test
    func `An address that has an account is not told of`() async throws {
        try await with(.attributeCollectionSubmit, ScriptedService.json(Answers.goOnWithSubmit)) {
            server, client, service in
            try await server.account()
            let (_, reply) = try await signUp(client, ["attributes": #"{"city":"Paris","age":37}"#])
            expectRefused(reply, "user_already_exists")
            #expect(service.requests.isEmpty)
        }
    }
}
