import Foundation
import NativeAuthWire
import Testing

/// The wire types, read and written. Source: Native authentication API reference (Microsoft Learn).
@Suite struct WireTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    @Test(arguments: [
        ("oob password redirect", [ChallengeType.oob, .password, .redirect], []),
        ("password,oob,redirect", [.password, .oob, .redirect], []), (" oob  oob, redirect ", [.oob, .redirect], []),
        ("oob fax redirect OOB", [.oob, .redirect], ["fax", "OOB"]), ("", [], []),
    ])
    func `Lists of words have spaces or commas, and what is unknown is told`(
        text: String, words: [ChallengeType], unknown: [String]
    ) {
        let list = WordList<ChallengeType>(text)
        #expect(list.words == words)
        #expect(list.unknown == unknown)
        #expect(list.text == words.map(\.rawValue).joined(separator: " "))
    }

    @Test func `Capabilities are found under both of their names`() throws {
        let text = #"{"capability":"registration_required,mfa_required","capabilities":"mfa_required"}"#
        let request = try read(text, as: InitiateRequest.self)
        #expect(request.announcedCapabilities.words == [.mfaRequired, .registrationRequired])
        #expect(try read("{}", as: SignUpStartRequest.self).announcedCapabilities.words.isEmpty)
    }

    @Test func `A request's fields are those that are there, by the protocol's names`() {
        let request = TokenRequest(
            clientID: "app", grantType: GrantType.mfaOOB.rawValue, continuationToken: "t&=+ ä", oob: "123",
            clientInfo: "true", redirectURI: "x")
        #expect(
            request.formFields().map { $0.name + ":" + $0.value } == [
                "client_id:app", "client_info:true", "continuation_token:t&=+ ä", "grant_type:mfa_oob", "oob:123",
                "redirect_uri:x",
            ])
    }

    @Test func `The documents' refusals are read whole`() throws {
        let body: ErrorBody = try read(
            #"""
            { "error": "attributes_required", "error_description": "User attributes required", "error_codes": [55106],
              "timestamp": "yyyy-mm-dd 10:15:00Z", "trace_id": "t", "correlation_id": "c",
              "continuation_token": "AQABAAEAAAAtn...", "inner_errors": [{"error": "x"}],
              "required_attributes": [
                { "name": "displayName", "type": "string", "required": true, "options": { "regex": ".*@.**$" } },
                { "name": "age", "type": "string", "required": false } ] }
            """#)
        #expect(body.error == .attributesRequired)
        #expect(body.codes == [.attributesRequired])
        #expect(body.continuationToken == "AQABAAEAAAAtn...")
        #expect(
            body.requiredAttributes == [
                RequiredAttribute(
                    name: "displayName", type: "string", required: true, options: .init(regex: ".*@.**$")),
                RequiredAttribute(name: "age", type: "string", required: false),
            ])
        let unknown: ErrorBody = try read(#"{"error":"brand_new","suberror":"newer","error_codes":[7]}"#)
        #expect(unknown.error.rawValue == "brand_new")
        #expect(unknown.suberror?.isAboutPassword == false)
        #expect(throws: DecodingError.self) { try read(#"{"suberror":"x"}"#, as: ErrorBody.self) }
    }

    @Test func `A refusal is written by the protocol's names, without what it lacks`() throws {
        let body = ErrorBody(
            error: .invalidGrant, description: "No.", codes: [.wrongPassword], suberror: .attributeValidationFailed,
            invalidAttributes: [AttributeName("city")])
        #expect(
            try json(body)
                == #"{"error":"invalid_grant","error_codes":[50126],"error_description":"No.","#
                + #""invalid_attributes":[{"name":"city"}],"suberror":"attribute_validation_failed"}"#)
    }

    @Test func `Answers are written by the protocol's names`() throws {
        #expect(
            try json(
                ChallengeResponse(
                    continuationToken: "t", challengeType: .oob, bindingMethod: "prompt",
                    challengeTargetLabel: "c***r@c",
                    challengeChannel: "email", codeLength: 8, interval: 300))
                == #"{"binding_method":"prompt","challenge_channel":"email","challenge_target_label":"c***r@c","#
                + #""challenge_type":"oob","code_length":8,"continuation_token":"t","interval":300}"#)
        #expect(
            try json(RedirectResponse(challengeType: .redirect, redirectReason: "r"))
                == #"{"challenge_type":"redirect","redirect_reason":"r"}"#)
        #expect(
            try json(ResetPasswordPollResponse(status: .notStarted)) == #"{"status":"not_started"}"#)
        #expect(throws: DecodingError.self) { try read(#"{"status":"odd"}"#, as: ResetPasswordPollResponse.self) }
    }

    @Test func `The client info survives Base64 for URLs and back`() {
        for count in 0...5 {
            let info = ClientInfo(uid: String(repeating: "ÿ?", count: count), utid: "t>")
            #expect(info.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
            #expect(ClientInfo(text: info.text) == info)
        }
        #expect(
            ClientInfo(text: "eyJ1aWQiOiI8b2lkPiIsInV0aWQiOiI8dGlkPiJ9") == ClientInfo(uid: "<oid>", utid: "<tid>"))
        #expect(ClientInfo(text: "nonsense") == nil)
        #expect(ClientInfo(text: "") == nil)
    }
}
