import CountersignCore
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ServerHTTP
import Synchronization
import Testing

/// Middleware, bodies and routes together, as a server has them.
@Suite struct ServerTests {
    private struct Credentials: Codable {
        var email: String?
        var code: Int?
    }

    private struct Unexpected: Error { let secret = "row 17 of users" }

    private struct Refusal: HTTPResponseError {
        var status: HTTPResponse.Status { .forbidden }
        func response(from request: Request, context: some RequestContext) throws -> Response {
            try .json(["refused": "yes"], status: status)
        }
    }

    private func application(
        log: CapturedLog = CapturedLog(), notReady reasons: [String] = []
    ) -> some ApplicationProtocol {
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: RequestSourceMiddleware(RequestSource(trustsProxy: true)))
        router.add(middleware: RequestLogMiddleware())
        router.add(middleware: SecurityHeadersMiddleware())
        router.add(middleware: PublicCORSMiddleware(PublicCORSRule(appliesTo: { !$0.hasPrefix("/health") })))
        router.add(
            middleware: FailureMiddleware { failure, request, _ in
                guard request.uri.path.hasPrefix("/dialect/") else { return nil }
                return try .json(["message": "FAILED \(failure.status.code)"], status: failure.status)
            })
        HealthRoutes { reasons }.add(to: router)
        for prefix in ["", "dialect/"] {
            router.get("\(prefix)hashes") { _, _ -> Response in throw PasswordHashingOverload(retryAfter: 7) }
            router.get("\(prefix)store") { _, _ -> Response in throw StoreError(.overloaded, "queue of /var/db is full")
            }
            router.get("\(prefix)away") { _, _ -> Response in throw StoreError(.unavailable, "no /var/run/pg") }
            router.get("\(prefix)standby") { _, _ -> Response in throw StoreError(.readOnly, "INSERT INTO users") }
            router.get("\(prefix)unknown") { _, _ -> Response in throw StoreError(.outcomeUnknown, "COMMIT of row 17") }
            router.get("\(prefix)corrupt") { _, _ -> Response in throw StoreError(.corrupt, "row 17") }
            router.get("\(prefix)unexpected") { _, _ -> Response in throw Unexpected() }
            router.get("\(prefix)refusal") { _, _ -> Response in throw Refusal() }
            router.get("\(prefix)unauthorized") { _, _ -> Response in
                throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "internal detail")
            }
            router.post("\(prefix)body") { request, _ in
                try Response.json(try await request.decodeBody(as: Credentials.self, accepting: [.json, .form]))
            }
            router.post("\(prefix)json") { request, _ in
                try Response.json(try await request.decodeBody(as: Credentials.self))
            }
        }
        router.get("source") { _, context in try Response.json([context.source.text, context.source.limitKey]) }
        router.get("page") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/html; charset=utf-8"])
        }
        router.get("scripted") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html", .contentSecurityPolicy: "script-src 'nonce-1'"])
        }
        return Application(responder: router.buildResponder(), logger: log.logger)
    }

    @Test(
        arguments: [
            ("/hashes", 503, #"{"error":"overloaded"}"#, "7"),
            ("/store", 503, #"{"error":"overloaded"}"#, "1"),
            ("/away", 503, #"{"error":"unavailable"}"#, "2"),
            ("/standby", 503, #"{"error":"unavailable"}"#, "10"),
            ("/unknown", 503, #"{"error":"outcome_unknown"}"#, "2"),
            ("/corrupt", 500, #"{"error":"internal_error"}"#, nil),
            ("/unexpected", 500, #"{"error":"internal_error"}"#, nil),
            ("/refusal", 403, #"{"refused":"yes"}"#, nil),
            ("/unauthorized", 401, #"{"error":"refused"}"#, nil),
            ("/nowhere", 404, #"{"error":"not_found"}"#, nil),
            ("/dialect/hashes", 503, #"{"message":"FAILED 503"}"#, "7"),
            ("/dialect/store", 503, #"{"message":"FAILED 503"}"#, "1"),
            ("/dialect/away", 503, #"{"message":"FAILED 503"}"#, "2"),
            ("/dialect/unexpected", 500, #"{"message":"FAILED 500"}"#, nil),
            ("/dialect/refusal", 403, #"{"refused":"yes"}"#, nil),
            ("/dialect/nowhere", 404, #"{"message":"FAILED 404"}"#, nil),
        ] as [(String, Int, String, String?)])
    func `Failures become answers that tell nothing`(path: String, status: Int, body: String, retryAfter: String?)
        async throws
    {
        try await application().test(.router) { client in
            try await client.execute(uri: path, method: .get) { response in
                #expect(response.status.code == status)
                #expect(String(buffer: response.body) == body)
                #expect(response.headers[.retryAfter] == retryAfter)
                #expect(response.headers[.contentType] == "application/json; charset=UTF-8")
                #expect(response.headers[.cacheControl] == "no-store")
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
            }
        }
    }

    @Test func `An unexpected error is logged and overload is no error`() async throws {
        let log = CapturedLog()
        try await application(log: log).test(.router) { client in
            try await client.execute(uri: "/unexpected", method: .get)
            #expect(log.lines.contains { $0.hasPrefix("error") && $0.contains("Unexpected") && $0.contains("row 17") })
            try await client.execute(uri: "/hashes", method: .get)
            #expect(log.lines.filter { $0.hasPrefix("error") }.count == 1)
        }
    }

    @Test func `What headers a handler put beside its status are kept`() async throws {
        try await application().test(.router) { client in
            try await client.execute(uri: "/unauthorized", method: .get) {
                #expect($0.headers[.wwwAuthenticate] == "Bearer")
            }
        }
    }

    @Test(
        arguments: [
            ("application/json", #"{"email":"a","code":"1"}"#, 200, #"{"code":1,"email":"a"}"#),
            ("application/json; charset=utf-8", #"{"email":"a"}"#, 200, #"{"email":"a"}"#),
            ("APPLICATION/JSON;charset=\"UTF-8\"", #"{"email":"a"}"#, 200, #"{"email":"a"}"#),
            ("application/json;charset=iso-8859-1", "{}", 415, #"{"error":"invalid_body"}"#),
            (nil, #" {"email":"a"}"#, 200, #"{"email":"a"}"#),
            (nil, "email=a", 415, #"{"error":"invalid_body"}"#),
            ("text/plain", "{}", 415, #"{"error":"invalid_body"}"#),
            ("multipart/form-data; boundary=x", "{}", 415, #"{"error":"invalid_body"}"#),
            (";", "{}", 415, #"{"error":"invalid_body"}"#),
            ("application/x-www-form-urlencoded", "email=a%40b&code=12", 200, #"{"code":12,"email":"a@b"}"#),
            ("application/json", "", 200, "{}"),
            ("text/plain", "", 200, "{}"),
            (nil, "", 200, "{}"),
            ("application/json", "[]", 400, #"{"error":"invalid_body"}"#),
            ("application/json", "{", 400, #"{"error":"invalid_body"}"#),
            ("application/json", #"{"code":"x"}"#, 400, #"{"error":"invalid_body"}"#),
        ] as [(String?, String, Int, String)])
    func `Bodies are taken by their content type`(type: String?, body: String, status: Int, expected: String)
        async throws
    {
        try await application().test(.router) { client in
            try await client.execute(
                uri: "/body", method: .post, headers: type.map { [.contentType: $0] } ?? [:],
                body: ByteBuffer(string: body)
            ) { response in
                #expect(response.status.code == status)
                #expect(String(buffer: response.body) == expected)
            }
        }
    }

    @Test func `A form is refused where only JSON is taken`() async throws {
        try await application().test(.router) { client in
            try await client.execute(
                uri: "/json", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "email=a")
            ) { #expect($0.status.code == 415) }
        }
    }

    @Test func `A body of 64 KiB is read and a larger one is refused`() async throws {
        @Sendable func body(_ size: Int) -> ByteBuffer {
            ByteBuffer(string: #"{"email":"\#(String(repeating: "x", count: size - 12))"}"#)
        }
        try await application().test(.router) { client in
            try await client.execute(uri: "/body", method: .post, body: body(65_536)) {
                #expect($0.status.code == 200)
            }
            try await client.execute(uri: "/body", method: .post, body: body(65_537)) {
                #expect($0.status.code == 413)
            }
        }
    }

    @Test func `A body that is larger than it was announced is refused too`() async throws {
        let (body, source) = RequestBody.makeStream()
        let request = Request(head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: body)
        let bytes = Task { try await request.bodyBytes(limit: 10) }
        await source.yield(ByteBuffer(repeating: 0x20, count: 6))
        await source.yield(ByteBuffer(repeating: 0x20, count: 6))
        source.finish()
        await #expect(throws: RequestBodyFault.tooLarge(limit: 10)) { try await bytes.value }
    }

    @Test func `Pages of other origins may call the public API`() async throws {
        try await application().test(.router) { client in
            try await client.execute(
                uri: "/dialect/body", method: .options,
                headers: [
                    .origin: "https://app.example.com", .accessControlRequestMethod: "POST",
                    .accessControlRequestHeaders: "content-type,x-client-version",
                ]
            ) { response in
                #expect(response.status == .noContent)
                #expect(response.headers[.accessControlAllowOrigin] == "https://app.example.com")
                #expect(response.headers[.accessControlAllowHeaders] == "content-type,x-client-version")
                #expect(response.headers[.accessControlAllowMethods] == "GET, POST, PUT, PATCH, DELETE")
                #expect(response.headers[.accessControlAllowCredentials] == nil)
                #expect(response.headers[.vary] == "Origin, Access-Control-Request-Headers")
            }
            try await client.execute(
                uri: "/dialect/unexpected", method: .get, headers: [.origin: "https://app.example.com"]
            ) { response in
                #expect(response.status == .internalServerError)
                #expect(response.headers[.accessControlAllowOrigin] == "https://app.example.com")
                #expect(response.headers[.vary] == "Origin")
            }
            try await client.execute(uri: "/health/live", method: .get, headers: [.origin: "https://app.example.com"]) {
                #expect($0.headers[.accessControlAllowOrigin] == nil)
            }
            try await client.execute(uri: "/dialect/refusal", method: .get) {
                #expect($0.headers[.accessControlAllowOrigin] == nil)
                #expect($0.headers[.vary] == "Origin")
            }
        }
    }

    @Test func `Pages may load nothing unless they say so`() async throws {
        try await application().test(.router) { client in
            try await client.execute(uri: "/page", method: .get) { response in
                #expect(response.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
                #expect(response.headers[.xFrameOptions] == "DENY")
                #expect(response.headers[.referrerPolicy] == "no-referrer")
            }
            try await client.execute(uri: "/scripted", method: .get) {
                #expect($0.headers[.contentSecurityPolicy] == "script-src 'nonce-1'")
            }
            try await client.execute(uri: "/health/live", method: .get) {
                #expect($0.headers[.contentSecurityPolicy] == nil)
            }
        }
    }

    @Test func `Health is told with reasons`() async throws {
        try await application().test(.router) { client in
            try await client.execute(uri: "/health/live", method: .get) {
                #expect($0.status == .ok)
                #expect(String(buffer: $0.body) == #"{"status":"alive"}"#)
            }
            try await client.execute(uri: "/health/ready", method: .get) {
                #expect($0.status == .ok)
                #expect(String(buffer: $0.body) == #"{"status":"ready"}"#)
            }
        }
        try await application(notReady: ["the store does not answer"]).test(.router) { client in
            try await client.execute(uri: "/health/ready", method: .get) {
                #expect($0.status == .serviceUnavailable)
                #expect($0.headers[.retryAfter] == "2")
                #expect(
                    String(buffer: $0.body) == #"{"reasons":["the store does not answer"],"status":"unavailable"}"#)
            }
        }
    }

    @Test func `The log has no values of queries no headers and no bodies`() async throws {
        let log = CapturedLog()
        try await application(log: log).test(.router) { client in
            try await client.execute(
                uri: "/body?key=SECRET1&SECRET2&oobCode=SECRET3", method: .post,
                headers: [.authorization: "Bearer SECRET4", .contentType: "application/json"],
                body: ByteBuffer(string: #"{"code":"SECRET5"}"#)
            ) { #expect($0.status == .badRequest) }
        }
        #expect(log.lines.contains { $0.contains("key&…&oobCode") && $0.contains("path=/body") })
        #expect(!log.lines.contains { $0.contains("SECRET") })
    }

    @Test func `The source comes from the trusted proxy`() async throws {
        try await application().test(.router) { client in
            try await client.execute(uri: "/source", method: .get, headers: [.xForwardedFor: "2001:db8::7"]) {
                #expect(String(buffer: $0.body) == #"["2001:db8::7","2001:db8::/64"]"#)
            }
            try await client.execute(uri: "/source", method: .get) {
                #expect(String(buffer: $0.body) == #"["unknown","unknown"]"#)
            }
        }
    }

    @Test func `The source of a live connection is its other end`() async throws {
        try await application().test(.live) { client in
            try await client.execute(uri: "/source", method: .get) {
                let body = String(buffer: $0.body)
                #expect(body == #"["127.0.0.1","127.0.0.1"]"# || body == #"["::1","::/64"]"#)
            }
            try await client.execute(uri: "/body", method: .post, body: ByteBuffer(repeating: 0x20, count: 1_000_000)) {
                #expect($0.status.code == 413)
            }
        }
    }
}

/// Keeps what is logged, one line an entry.
final class CapturedLog: Sendable {
    private let storage = Mutex<[String]>([])
    private let level: Logger.Level

    /// - Parameter level: what is less important is not kept.
    init(_ level: Logger.Level = .trace) {
        self.level = level
    }

    var lines: [String] { storage.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: self.level) } }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            log.storage.withLock { $0.append("\(event.level) \(event.message) \(details)") }
        }
    }
}
