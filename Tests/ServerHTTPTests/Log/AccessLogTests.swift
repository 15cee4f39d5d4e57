import CountersignCore
import CountersignServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import Logging
import TestSupport
import Testing

@testable import ServerHTTP

/// The line for each request, and the names that requests have.
@Suite struct AccessLogTests {
    private struct Failure: Error {}

    private func application(
        _ log: WrittenLog, logsAccess: Bool = true, trustsProxy: Bool = false
    ) -> some ApplicationProtocol {
        let router = Router(context: CountersignRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestSourceMiddleware(RequestSource(trustsProxy: trustsProxy)))
        router.add(middleware: RequestLogMiddleware(logsAccess: logsAccess))
        router.add(middleware: FailureMiddleware())
        router.get("users/{id}") { _, _ in try Response.json(["a": "b"]) }
        router.get("failing/{secret}") { _, _ -> Response in throw Failure() }
        router.get("talking") { _, context in
            context.logger.info("on the way")
            return Response(status: .noContent)
        }
        return Application(responder: HeadResponder(router.buildResponder()), logger: log.logger)
    }

    private func metadata(_ log: WrittenLog, message: String = "request") throws -> [[String: JSONValue]] {
        try log.objects().filter { $0["message"] == .string(message) }.map { object in
            if case .object(let members)? = object["metadata"] { members } else { [:] }
        }
    }

    @Test func `A request is a line with its route and without its path`() async throws {
        let log = WrittenLog()
        try await application(log).test(.router) { client in
            let headers: HTTPFields = [
                .xRequestID: "edge-1.2_3", .traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ]
            try await client.execute(uri: "/users/SECRET1?code=SECRET2", method: .get, headers: headers) {
                #expect($0.headers[.xRequestID] == "edge-1.2_3")
            }
        }
        #expect(!log.lines.contains { $0.contains("SECRET") })
        var line = try #require(try metadata(log).first)
        switch line.removeValue(forKey: "durationMs") {
        case .number(let duration): #expect(duration >= 0)
        case .integer(let duration): #expect(duration >= 0)
        case let other: Issue.record("\(String(describing: other)) is no duration")
        }
        #expect(line.removeValue(forKey: "client") != nil)
        #expect(
            line == [
                "method": "GET", "route": "/users/{id}", "status": .integer(200), "bytes": .integer(9),
                "requestId": "edge-1.2_3",
                "traceId": "0af7651916cd43dd8448eb211c80319c",
            ])
        #expect(try log.objects().first?["level"] == "info")
    }

    @Test func `A request without an id gets one and what is not found has no route`() async throws {
        let log = WrittenLog()
        try await application(log).test(.router) { client in
            for uri in ["/users/1", "/nowhere/SECRET"] {
                try await client.execute(uri: uri, method: .get) { response in
                    let id = try #require(response.headers[.xRequestID])
                    #expect(id.utf8.count >= 16)
                    #expect(try metadata(log).last?["requestId"] == .string(id))
                }
            }
            try await client.execute(uri: "/users/1", method: .head) { #expect($0.status == .ok) }
        }
        let lines = try metadata(log)
        #expect(lines.map { $0["route"] } == ["/users/{id}", "NotFound", "/users/{id}"])
        #expect(lines.map { $0["status"] } == [.integer(200), .integer(404), .integer(200)])
        #expect(lines.map { $0["bytes"] }.last == .integer(0), "Nothing is sent in answer to HEAD.")
        #expect(Set(lines.map { $0["requestId"] }).count == 3)
        #expect(!log.lines.contains { $0.contains("SECRET") })
    }

    @Test(arguments: [
        "", " ", "a b", "a\u{7f}", "ü", "a\"b", "a,b", "a;b", "<x>", String(repeating: "x", count: 129),
    ])
    func `An id that could mean something else is not taken`(id: String) async throws {
        let log = WrittenLog()
        try await application(log).test(.router) { client in
            try await client.execute(uri: "/users/1", method: .get, headers: [.xRequestID: id]) {
                #expect($0.headers[.xRequestID] != id)
                #expect($0.headers[.xRequestID]?.isEmpty == false)
            }
        }
        #expect(try metadata(log).count == 1)
    }

    @Test func `Two ids or two parents are none`() async throws {
        let log = WrittenLog()
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        var headers = HTTPFields()
        for value in ["a", "b"] { headers.append(HTTPField(name: .xRequestID, value: value)) }
        for _ in 0..<2 { headers.append(HTTPField(name: .traceParent, value: parent)) }
        let fields = headers
        try await application(log).test(.router) { client in
            try await client.execute(uri: "/users/1", method: .get, headers: fields) { response in
                #expect(!["a", "b", "a, b"].contains(response.headers[.xRequestID]))
            }
        }
        #expect(try metadata(log).first?["traceId"] == nil)
    }

    @Test func `All lines about a request have its id and its trace`() async throws {
        let log = WrittenLog()
        try await application(log).test(.router) { client in
            let headers: HTTPFields = [
                .xRequestID: "r1", .traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
            ]
            try await client.execute(uri: "/talking", method: .get, headers: headers) { _ in }
        }
        let expected: [String: JSONValue] = ["requestId": "r1", "traceId": "0af7651916cd43dd8448eb211c80319c"]
        #expect(try metadata(log, message: "on the way") == [expected])
    }

    @Test func `Without access lines nothing is logged and only failures and named requests have an id`() async throws {
        let log = WrittenLog()
        try await application(log, logsAccess: false).test(.router) { client in
            try await client.execute(uri: "/users/1", method: .get) { #expect($0.headers[.xRequestID] == nil) }
            try await client.execute(uri: "/users/1", method: .get, headers: [.xRequestID: "r1"]) {
                #expect($0.headers[.xRequestID] == "r1")
            }
            #expect(log.lines.isEmpty)
            try await client.execute(uri: "/failing/SECRET", method: .get) { response in
                #expect(response.status == .internalServerError)
                let id = try #require(response.headers[.xRequestID])
                let line = try #require(try log.objects().last)
                #expect(line["level"] == "error")
                guard case .object(let members)? = line["metadata"] else { return }
                #expect(members["requestId"] == .string(id) && members["route"] == "/failing/{secret}")
            }
        }
        #expect(!log.lines.contains { $0.contains("SECRET") })
    }

    @Test func `The client is the one that the proxy names`() async throws {
        let log = WrittenLog()
        try await application(log, trustsProxy: true).test(.router) { client in
            try await client.execute(
                uri: "/users/1", method: .get, headers: [.xForwardedFor: "203.0.113.9, 2001:db8::7"]
            ) { _ in }
        }
        #expect(try metadata(log).first?["client"] == "2001:db8::7")
    }

    @Test func `The whole server logs its short answers too and echoes ids past them`() async throws {
        let log = WrittenLog()
        try await LiveServer.run(logger: log.logger, configure: { $0.logsAccess = true }) { url, _ in
            for _ in 0..<3 {
                let answer = try await RawConnection.exchange(Self.live(), with: url)
                #expect(answer.text.statuses == [200])
            }
        }
        let live = try metadata(log).filter { $0["route"] == "/health/live" }
        #expect(live.count == 3)
        #expect(Set(live.map { $0["requestId"] }).count == 3)

        let quiet = WrittenLog()
        try await LiveServer.run(logger: quiet.logger) { url, _ in
            for name in [nil, "r1", nil, "r2"] {
                let header = name.map { "X-Request-Id: \($0)\r\n" }
                let answer = try await RawConnection.exchange(Self.live(header ?? ""), with: url).text.lowercased()
                #expect(header.map { answer.contains($0.lowercased()) } ?? !answer.contains("x-request-id"))
            }
        }
        #expect(try metadata(quiet).isEmpty)
    }

    private static func live(_ more: String = "") -> String {
        "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(more)\r\n"
    }
}
