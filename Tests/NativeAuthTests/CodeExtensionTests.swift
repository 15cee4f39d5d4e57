import CountersignCore
import Delivery
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Synchronization
import TestSupport
import Testing

@testable import CountersignServer

/// Codes that a service of the developer's own sends (Microsoft Learn, Custom email provider for one-time passcode events).
@Suite("A service that sends codes")
struct CodeExtensionTests {
    /// Stands in for the mail server.
    private final class Post: MessageSender {
        let channel = OutboxMessage.Channel.email
        let retries = RetryPolicy.mail
        let concurrency = 1
        private let sent = Mutex<[String]>([])

        var codes: [String] { sent.withLock { $0 } }

        func isReady() async throws -> Bool { true }
        func shutDown() async {}
        func send(_ message: OpenedMessage) async -> DeliveryResult {
            sent.withLock { $0.append(message.content.values["code"] ?? "") }
            return .delivered
        }
    }

    private func with(
        _ script: @escaping ScriptedService.Script = ScriptedService.json(Answers.sent), fallsBack: Bool = false,
        _ body: @escaping @Sendable (TestServer, NativeClient, ScriptedService) async throws -> Void
    ) async throws {
        let service = try ScriptedService(script)
        defer { service.stop() }
        try await TestServer.with(.development, extensions: .patient) { server in
            let client = try await server.application()
            try await server.ask(service, about: .otpSend, of: client) { $0.fallsBack = fallsBack }
            try await body(server, client, service)
        }
    }

    /// Delivers what is due.
    private func deliver(_ server: TestServer, mail: Post? = nil) async throws -> Int {
        let sender = OTPSender(realm: server.realm, mail: mail)
        return try await OutboxDelivery(realm: server.realm, sender: sender).deliverDue()
    }

    private func message(_ server: TestServer) async throws -> OutboxMessage {
        try #require(await server.realm.outbox.messages().last).message
    }

    @Test
    func `It gets the codes of sign-in, sign-up and reset, and what they are for`() async throws {
        try await with { server, client, service in
            try await server.account()
            let begun = try await client.post(
                .resetPasswordStart, ["username": NativeClient.email, "challenge_type": "oob redirect"])
            _ = try await client.post(.resetPasswordChallenge, ["continuation_token": begun.token])
            try await server.account("code@example.org", password: nil)
            let (token, code) = try await client.signInByCode("code@example.org")
            let signUp = try await client.post(
                .signUpStart, ["username": "new@example.org", "challenge_type": "oob redirect"])
            _ = try await client.post(.signUpChallenge, ["continuation_token": signUp.token])
            #expect(try await deliver(server) == 3)
            var told: [String: JSON] = [:]
            for request in service.requests {
                let data = request.json["data"]
                #expect(request.json["type"] == "microsoft.graph.authenticationEvent.emailOtpSend")
                #expect(data["@odata.type"] == "microsoft.graph.onOtpSendCalloutData")
                #expect(data["authenticationContext"]["clientServicePrincipal"]["displayName"].text == client.id)
                #expect(data["authenticationContext"]["user"] == .null)
                #expect(data["authenticationContext"]["correlationId"].text == client.requestID)
                told[data["otpContext"]["identifier"].text ?? ""] = data
            }
            #expect(told[NativeClient.email]?["authenticationContext"]["requestType"] == "passwordReset")
            #expect(told["new@example.org"]?["authenticationContext"]["requestType"] == "signUp")
            #expect(told["code@example.org"]?["authenticationContext"]["requestType"] == "signIn")
            #expect(told["code@example.org"]?["otpContext"]["oneTimeCode"].text == code)
            // It is delivered, once, and is right.
            #expect(try await deliver(server) == 0)
            #expect(try await message(server).deliveredAt != nil)
            #expect(try await client.token(.oob, ["continuation_token": token, "oob": code]).status == 200)
        }
    }

    @Test
    func `An address without account causes no call, and the developer's inbox shows what there is`() async throws {
        try await with { server, client, service in
            let email = try await unknownAddress(client)
            _ = try await client.signInByCode(email)
            #expect(try await deliver(server) == 0 && service.requests.isEmpty)
            try await server.account(password: nil)
            let (_, code) = try await client.signInByCode()
            let inbox = try await server.send(.get, "/dev/inbox.json").json["messages"].elements
            #expect(inbox.last?["kind"] == "email" && inbox.last?["payload"]["code"].text == code)
            #expect(inbox.last?["subject"].text?.isEmpty == false && inbox.count == 1)
        }
    }

    /// An address without account that is asked for a code.
    private func unknownAddress(_ client: NativeClient) async throws -> String {
        for number in 0..<50 {
            let email = "nobody\(number)@example.org"
            if try await client.initiate(email, types: "oob redirect").token != nil { return email }
        }
        throw CancellationError()
    }

    @Test
    func `Without leave to fall back nothing is mailed: what may pass is tried again, what will not is given up`()
        async throws
    {
        for (status, isTransient) in [(503, true), (400, false)] {
            try await with({ _ in [.send(ScriptedService.answer(status, "{}"))] }) { server, client, service in
                try await server.account(password: nil)
                let (_, code) = try await client.signInByCode()
                let post = Post()
                #expect(try await deliver(server, mail: post) == 1)
                let after = try await message(server)
                #expect((after.deliveredAt == nil) == isTransient)
                #expect(post.codes.isEmpty)
                if isTransient {
                    service.answers(ScriptedService.json(Answers.sent))
                    #expect(try await deliver(server) == 0, "not at once")
                    server.clock.advance(2)
                    #expect(try await deliver(server) == 1)
                    #expect(service.requests.last?.json["data"]["otpContext"]["oneTimeCode"].text == code)
                } else {
                    let event = try await server.realm.auditLog.events(limit: 1000).first { $0.kind == .mailFailed }
                    #expect(event?.reason == "CustomExtensionInvalidHTTPStatus")
                    #expect(!"\(String(describing: event))".contains(code))
                }
            }
        }
    }

    @Test
    func `With it the code goes by mail at once`() async throws {
        try await with({ _ in [.send(ScriptedService.answer(500, ""))] }, fallsBack: true) { server, client, service in
            try await server.account(password: nil)
            let (_, code) = try await client.signInByCode()
            let post = Post()
            #expect(try await deliver(server, mail: post) == 1)
            #expect(post.codes == [code] && service.requests.count == 1)
            #expect(try await message(server).deliveredAt != nil)
        }
    }

    @Test
    func `A code whose extension was removed goes by mail, as codes of other applications do`() async throws {
        try await with { server, client, service in
            try await server.account(password: nil)
            let (_, code) = try await client.signInByCode()
            let present = try #require(try await server.realm.customExtensions.all().first)
            #expect(try await server.realm.customExtensions.remove(present.id, by: .testAdministrator))
            let post = Post()
            #expect(try await deliver(server, mail: post) == 1)
            #expect(post.codes == [code] && service.requests.isEmpty)
            _ = try await client.signInByCode()
            #expect(try await message(server).channel == .email)
        }
    }

    @Test
    func `The server itself has a sender for codes`() async throws {
        try await TestServer.with { server in
            let senders = try server.countersign.senders()
            #expect(senders.count { $0.channel == .otp } == 1)
            for sender in senders { await sender.shutDown() }
        }
    }
}
