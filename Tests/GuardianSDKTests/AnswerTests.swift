import ClientHTTP
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import Guardian

/// What becomes of answers, good and bad (Guardian.swift, `Request` and `GuardianError`).
@Suite struct AnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        var body = ""
        var type: String?
        /// Nil for success.
        let code: NetworkError.Code?
        var description: String?
        var testDescription: String { "\(status) \(type ?? "-") \(body.prefix(30))" }
    }

    private static let json = "application/json"

    @Test(arguments: [
        Case(status: 204, code: nil), Case(status: 200, body: "{}", type: json, code: nil),
        Case(status: 200, body: "{}", type: "application/json; charset=utf-8", code: nil),
        Case(status: 201, body: #"{"a":1}"#, type: json, code: nil),
        Case(status: 200, code: .invalidResponse), Case(status: 200, body: "{}", code: .invalidResponse),
        Case(status: 200, body: "{}", type: "text/plain", code: .invalidResponse),
        Case(status: 200, body: "<html>", type: "text/html", code: .invalidResponse),
        Case(status: 200, body: "", type: json, code: .invalidResponse),
        Case(status: 200, body: "{", type: json, code: .invalidResponse),
        Case(status: 400, body: "{}", type: json, code: .badRequest),
        Case(status: 401, body: "Unauthorized", type: "text/plain", code: .notAuthorized, description: "Unauthorized"),
        Case(status: 403, code: .notAuthorized),
        Case(status: 404, body: #"{"error":"x"}"#, type: json, code: .notFound),
        Case(status: 404, body: #"{"errorCode":7}"#, type: json, code: .notFound),
        Case(status: 409, body: "{}", type: json, code: .failedRequest), Case(status: 429, code: .rateLimited),
        Case(status: 500, code: .serverError), Case(status: 503, body: "[", type: json, code: .serverError),
        Case(status: 302, code: .failedRequest), Case(status: 307, code: .failedRequest),
    ])
    func `Answers without an error code are told by status and form`(answer: Case) async {
        let server = StandIn(answer.status, answer.body, type: answer.type)
        let error = await failure {
            try await server.api().resolve(transaction: "t", withChallengeResponse: "r").start()
        }
        guard let code = answer.code else { return #expect(error == nil, "\(String(describing: error))") }
        let refused = error as? NetworkError
        #expect(refused?.code == code && refused?.statusCode == answer.status, "\(String(describing: error))")
        if let description = answer.description { #expect(refused?.description == description) }
        #expect(refused?.description.isEmpty == false)
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"id":"d"}"#, #"{"id":1,"issuer":"t","user_id":"u","token":"T"}"#,
        #"{"id":"d","issuer":"t","user_id":"u","token":"T","totp":{"secret":"S"}}"#,
        #"{"id":"d","issuer":"t","user_id":"u","token":"T","totp":{"secret":"S","algorithm":"md5","digits":6,"period":30}}"#,
    ])
    func `An enrolment that cannot be read is an invalid response`(body: String) async throws {
        let key = try DataP256PrivateKey.new()
        for status in [200, 204] {
            let server = StandIn(status, body, type: Self.json)
            let error = await failure {
                try await server.api().enroll(
                    withTicket: "t", identifier: "i", name: "n", notificationToken: "",
                    verificationKey: key.verificationKey()
                ).start()
            }
            #expect(error as? NetworkError == NetworkError(.invalidResponse, statusCode: status))
        }
    }

    @Test func `A refusal in Guardian's words says all that it says`() async {
        let server = StandIn(
            404,
            #"{"statusCode":404,"errorCode":"invalid_token","error":"Not Found","message":"gone","again":false,"#
                + #""half":0.5,"list":[1],"object":{}}"#, type: Self.json)
        let error =
            await failure { try await server.api().resolve(transaction: "t", withChallengeResponse: "r").start() }
            as? GuardianError
        #expect(error?.code == "invalid_token" && error?.description == "invalid_token" && error?.cause == nil)
        #expect(error?.info["statusCode"] as? Int == 404 && error?.info["message"] as? String == "gone")
        #expect(error?.info["again"] as? Bool == false && error?.info["half"] as? Double == 0.5)
        #expect(error?.info.count == 5)
    }

    @Test func `An app puts its own error in place of a refusal, and of nothing else`() async {
        struct Own: Error { let status: Int, body: String }
        func error(_ status: Int, _ type: String?, nothing: Bool = false) async -> (any Error)? {
            await failure {
                try await StandIn(status, "x", type: type).api()
                    .resolve(transaction: "t", withChallengeResponse: "r")
                    .mapError {
                        nothing ? nil : Own(status: $0.statusCode, body: String(decoding: $1 ?? Data(), as: UTF8.self))
                    }
                    .start()
            }
        }
        let own = await error(418, nil) as? Own
        #expect(own?.status == 418 && own?.body == "x")
        #expect(await error(418, nil, nothing: true) as? NetworkError == NetworkError(.failedRequest, statusCode: 418))
        #expect(await error(200, nil) as? NetworkError == NetworkError(.invalidResponse, statusCode: 200))
    }

    @Test func `An observer sees the request before it is sent and the answer with its limits`() async throws {
        let server = StandIn { _ in
            HTTPClientResponse(
                status: 429,
                headers: [
                    "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795215221",
                ], body: Data("x".utf8))
        }
        let seen = Locked<[String]>([])
        let limits = Locked<[RateLimit?]>([])
        let request = server.api().resolve(transaction: "t", withChallengeResponse: "r")
            .on(request: { event in
                let body = String(decoding: event.request.httpBody ?? Data(), as: UTF8.self)
                seen.withLock { $0.append("\(event.request.httpMethod ?? "") \(body)") }
            })
            .on(response: { event in
                seen.withLock { $0.append("\(event.response.statusCode) \(event.data?.count ?? -1)") }
                limits.withLock { $0.append(event.rateLimit) }
            })
        await withCheckedContinuation { continuation in
            request.start { _ in continuation.resume() }
            // In start itself.
            #expect(seen.current.first == #"POST {"challenge_response":"r"}"#)
        }
        #expect(seen.current.last == "429 1")
        #expect(
            limits.current.first??.resetAt == Date(timeIntervalSince1970: 1_795_215_221)
                && limits.current.first??.remaining == 0)
        let incomplete = try #require(
            HTTPURLResponse(
                url: URL.nowhere, statusCode: 200, httpVersion: nil, headerFields: ["X-RateLimit-Limit": "5"]))
        #expect(RateLimit(incomplete) == nil)
    }

    @Test func `Descriptions name the request and keep its secrets`() throws {
        let server = StandIn()
        let request = server.api().resolve(transaction: "t0psecret", withChallengeResponse: "r")
        #expect(
            request.description == "POST https://tenant.eu.auth0.com/appliance-mfa/api/resolve-transaction")
        #expect(request.debugDescription.contains("challenge_response"))
        #expect(request.debugDescription.contains("Authorization: <secret>"))
        #expect(!request.debugDescription.contains("t0psecret"))
        let signed = server.authentication(TestDevice(signingKey: try DataP256PrivateKey.new()))
            .allow(notification: TestNotification())
        #expect(signed.debugDescription.contains("signed when it is started"))
    }

    @Test func `No answer is a failed request with its cause`() async {
        let down = StandIn { _ in throw HTTPClientError.timedOut(after: 1) }
        let error =
            await failure { try await down.api().resolve(transaction: "t", withChallengeResponse: "r").start() }
            as? NetworkError
        #expect(error?.code == .failedRequest && error?.statusCode == 0)
        #expect((error?.cause as? HTTPClientError)?.isTimedOut == true)
        // Port 1 is not listened on.
        let nobody = await failure {
            try await Guardian.api(forDomain: "http://127.0.0.1:1").resolve(
                transaction: "t", withChallengeResponse: "r"
            ).start()
        }
        #expect((nobody as? NetworkError)?.code == .failedRequest)
    }

    @Test func `A cancelled task is cancelled and nothing else`() async {
        let slow = StandIn { _ in
            try await Task.sleep(for: .seconds(60))
            return HTTPClientResponse(status: 204)
        }
        let task = Task { try await slow.api().resolve(transaction: "t", withChallengeResponse: "r").start() }
        while slow.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await failure { try await task.value } is CancellationError)
    }

    @Test func `Answers are not kept, however long a server says that they may be`() async throws {
        let router = Router()
        let count = Locked(0)
        router.get("rich-consents/{id}") { _, _ -> Response in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=3600"],
                body: .init(
                    byteBuffer: .init(
                        string:
                            #"{"id":"\#(number)","created_at":"a","expires_at":"b","requested_details":{"audience":"a"}}"#
                    )))
        }
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await Application(responder: router.buildResponder(), logger: quiet).test(.live) { client in
            let consents = Guardian.consent(forDomain: "http://127.0.0.1:\(try #require(client.port))")
            let key = try DataP256PrivateKey.new()
            for number in 1...2 {
                let consent = try await consents.fetch(consentId: "c", transactionToken: "t", signingKey: key).start()
                #expect(consent.consentId == "\(number)")
            }
        }
    }

    /// Over sockets, with the module's own session and with an app's.
    @Test(arguments: [false, true])
    func `A server that misbehaves gives the documented errors`(withOwnSession: Bool) async throws {
        let router = Router()
        let mentioned = Locked<[String]>([])
        router.post("{kind}/appliance-mfa/api/resolve-transaction") { request, context -> Response in
            let kind = context.parameters.get("kind") ?? ""
            let json: HTTPFields = [.contentType: "application/json"]
            mentioned.withLock { $0.append(kind) }
            switch kind {
            case "empty": return Response(status: .noContent)
            case "text":
                return Response(
                    status: .ok, headers: [.contentType: "text/plain"], body: .init(byteBuffer: .init(string: "ok")))
            case "truncated":
                return Response(status: .ok, headers: json, body: .init(byteBuffer: .init(string: #"{"a":"#)))
            case "huge":
                return Response(
                    status: .ok, headers: json,
                    body: .init { writer in
                        let piece = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)
                        for _ in 0..<6 { try await writer.write(piece) }
                        try await writer.finish(nil)
                    })
            case "elsewhere":
                return Response(
                    status: .temporaryRedirect, headers: [.location: "/empty/appliance-mfa/api/resolve-transaction"])
            default: return Response(status: .notFound)
            }
        }
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await Application(responder: router.buildResponder(), logger: quiet).test(.live) { client in
            let port = try #require(client.port)
            func error(_ kind: String) async -> NetworkError? {
                let request = Guardian.api(forDomain: "http://127.0.0.1:\(port)/\(kind)")
                    .resolve(transaction: "t", withChallengeResponse: "r")
                return await failure {
                    try await (withOwnSession ? request.withURLSession(URLSession(configuration: .ephemeral)) : request)
                        .start()
                } as? NetworkError
            }
            #expect(await error("empty") == nil)
            #expect(await error("text") == NetworkError(.invalidResponse, statusCode: 200))
            #expect(await error("truncated") == NetworkError(.invalidResponse, statusCode: 200))
            #expect(await error("unknown") == NetworkError(.notFound, statusCode: 404))
            let huge = await error("huge")
            #expect(huge?.code == .failedRequest && (huge?.cause as? HTTPClientError)?.isResponseTooLarge == true)
            if !withOwnSession {
                // A redirect is not followed: the answer with its signature is for this server only.
                #expect(await error("elsewhere") == NetworkError(.failedRequest, statusCode: 307))
                #expect(mentioned.current.filter { $0 == "empty" }.count == 1)
            }
        }
    }
}
