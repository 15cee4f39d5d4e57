import CountersignCore
import Delivery
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import TestSupport
import Testing

@testable import CountersignServer

@Suite("What names a request")
struct CorrelationTests {
    private static let answers: [ExtensionEvent: String] = [
        .tokenIssuanceStart: Answers.claims("{}"), .otpSend: Answers.sent,
        .attributeCollectionStart: Answers.goOnWithStart, .attributeCollectionSubmit: Answers.goOnWithSubmit,
    ]

    /// A sign-up up to its tokens, with the answer of the request that each event belongs to.
    private func signUp(_ client: NativeClient, _ server: TestServer) async throws -> [ExtensionEvent: Reply] {
        let begun = try await client.post(
            .signUpStart, ["username": NativeClient.email, "challenge_type": "oob redirect"])
        let asked = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
        let continued = try await client.post(
            .signUpContinue, ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
        #expect(continued.status == 200, "\(continued.text)")
        let tokens = try await client.token(.continuationToken, ["continuation_token": continued.token])
        #expect(tokens.status == 200, "\(tokens.text)")
        let sender = OTPSender(realm: server.realm, mail: nil)
        #expect(try await OutboxDelivery(realm: server.realm, sender: sender).deliverDue() == 1)
        return [
            .otpSend: asked, .attributeCollectionStart: continued, .attributeCollectionSubmit: continued,
            .tokenIssuanceStart: tokens,
        ]
    }

    @Test(
        arguments: ExtensionEvent.allCases, [true, false])
    func `Services are told of each request by the id that its answer has, whether the client named it or not`(
        event: ExtensionEvent, isNamed: Bool
    ) async throws {
        let service = try ScriptedService(ScriptedService.json(Self.answers[event] ?? ""))
        defer { service.stop() }
        try await TestServer.with(.development, extensions: .patient) { server in
            var client = try await server.application()
            if !isNamed { client.requestID = nil }
            // Codes go out by a service in any case, so that there is something to deliver.
            let other = try ScriptedService(ScriptedService.json(Answers.sent))
            defer { other.stop() }
            try await server.ask(service, about: event, of: client)
            if event != .otpSend { try await server.ask(other, about: .otpSend, of: client) }
            let replies = try await signUp(client, server)
            let told = try #require(service.requests.first).json["data"]["authenticationContext"]["correlationId"].text
            #expect(told == replies[event]?.headers[HTTPField.Name(HeaderName.clientRequestID)!], "\(event)")
            #expect((told == client.requestID) == isNamed && UUID(uuidString: told ?? "") != nil)
        }
    }
}
