import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import CountersignCore
@testable import ServerHTTP

/// Routes whose paths have no parameters are found by a table, the others by the router: a client cannot tell which.
@Suite struct ServerRoutesTests {
    private struct Passing: RouterMiddleware {
        func handle(
            _ request: Request, context: CountersignRequestContext,
            next: (Request, CountersignRequestContext) async throws -> Response
        ) async throws -> Response {
            var response = try await next(request, context)
            response.headers[.server] = "passed"
            return response
        }
    }

    /// What a request was, as its route sees it.
    private static func describe(_ request: Request, _ context: CountersignRequestContext) -> Response {
        let parameters = context.pathParameters.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
        let text = [
            request.method.rawValue, context.endpointPath ?? "", parameters, request.uri.path, request.uri.query ?? "",
            context.source.text, context.userAgent ?? "",
        ]
        return Response(
            status: .ok, headers: [.contentType: "text/plain"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text.joined(separator: "|"))))
    }

    private static func passage(_ methods: PathMethods, _ metrics: RequestMetrics = RequestMetrics()) -> RequestPassage
    {
        RequestPassage(
            RequestSourceMiddleware(RequestSource(trustsProxy: true)), metrics, RequestLogMiddleware(),
            SecurityHeadersMiddleware(), PublicCORSMiddleware(PublicCORSRule(appliesTo: { $0.hasPrefix("/open") })),
            FailureMiddleware { failure, request, _ in
                guard request.uri.path.hasPrefix("/dialect") else { return nil }
                return try .json(["said": "\(failure.status.code)"], status: failure.status)
            }, RequestTargetMiddleware(methods, typedPages: ["/console"]))
    }

    @Sendable private static func add(to routes: ServerRoutes) {
        for path in ["known", "open/known", "console", "open/{id}", "{id}/known", "v1/accounts:signIn", "/"] {
            routes.get(RouterPath(path), use: describe)
        }
        routes.post("known", use: describe)
        routes.post("open/known", use: describe)
        for prefix in ["", "dialect/"] {
            routes.get("\(prefix)refused") { _, _ -> Response in throw HTTPError(.conflict) }
            routes.get("\(prefix)failed") { _, _ -> Response in throw StoreError(.overloaded, "a test") }
        }
        routes.group("group").add(middleware: Passing()).get("known", use: describe)
        routes.add(middleware: Passing())
        routes.get("later", use: describe)
    }

    private static func parts() -> RouteParts {
        RouteParts(
            [RoutePart([""], add: add)], rules: [{ $0 == "/moved" ? "/known" : $0 }], passage: { passage($0) })
    }

    private static let requests: [(HTTPRequest.Method, String, HTTPFields)] = [
        (.get, "/", [:]), (.get, "/known", [:]), (.post, "/known?key=a%3Ab", [.userAgent: "A browser"]),
        (.get, "/known?", [:]), (.get, "/known#part", [:]), (.head, "/known", [:]), (.put, "/known", [:]),
        (.options, "/known", [:]), (.delete, "/open/known", [.origin: "https://a.example"]),
        (.get, "/open/known", [:]), (.post, "/open/known?a=b", [.origin: "https://a.example"]),
        (.options, "/open/known", [.origin: "https://a.example", .accessControlRequestMethod: "POST"]),
        (.get, "/open/other", [.origin: "https://a.example"]), (.get, "/other/known", [:]),
        (.get, "/v1/accounts:signIn", [:]), (.get, "/v1/accounts%3AsignIn", [:]), (.get, "/moved?a", [:]),
        (.get, "/known/", [:]), (.get, "//known", [:]), (.get, "/console/", [:]), (.get, "/KNOWN", [:]),
        (.get, "/nothing", [:]), (.get, "/group/known", [:]), (.get, "/later", [:]), (.get, "/refused", [:]),
        (.get, "/failed", [:]), (.get, "/dialect/refused", [:]), (.get, "/dialect/failed", [:]),
        (.get, "/known", [.xForwardedFor: "192.0.2.7", .xRequestID: "a-name"]),
        (.post, "/known", [.transferEncoding: "gzip, chunked"]), (.post, "/known", [.transferEncoding: "chunked"]),
        (.post, "/open/known", [.transferEncoding: "x-own", .origin: "https://a.example"]),
    ]

    @Test func `The table answers as the router does`() async throws {
        func answers(_ responder: some HTTPResponder<CountersignRequestContext>) async throws -> [String] {
            try await Application(responder: responder).test(.router) { client in
                var answers: [String] = []
                for (method, uri, headers) in Self.requests {
                    let response = try await client.executeRequest(
                        uri: uri, method: method, headers: headers, body: nil)
                    let fields = response.headers.filter { $0.name != .date && $0.name.canonicalName != "x-request-id" }
                        .map { "\($0.name): \($0.value)" }.sorted()
                    answers.append(
                        "\(method) \(uri): \(response.status.code) \(fields) \(String(buffer: response.body))")
                }
                return answers
            }
        }
        let parts = Self.parts()
        try parts.prepareFirst()
        let byTable = try await answers(ServerResponder(parts))
        let byRouter = try await answers(HeadResponder(PathNormalizer(parts, rules: parts.rules)))
        // The first request puts the part together, and is the router's.
        #expect(try await answers(ServerResponder(Self.parts())) == byTable)
        for (one, other) in zip(byTable, byRouter) { #expect(one == other) }
        #expect(byTable[1].contains("GET|/known||/known||"))
        #expect(byTable[2].hasSuffix("POST|/known||/known|key=a%3Ab|unknown|A browser"))
        #expect(byTable.contains { $0.contains("GET|/open/{id}|id=other|/open/other|") })
    }

    @Test func `Routes without parameters are in the table, and no others`() {
        let routes = ServerRoutes(Self.passage(PathMethods()))
        for path in ["known", "a/b.c", "{id}", "a/{id}/b", "files/**", "*.png", "a/*", "a:b/c"] {
            routes.get(RouterPath(path), use: Self.describe)
        }
        routes.head("a/head") { _, _ in Response(status: .ok) }
        #expect(Set(routes.known.map(\.place.path)) == ["/known", "/a/b.c", "/a:b/c"])
        routes.add(middleware: Passing())
        routes.get("later", use: Self.describe)
        #expect(routes.known.count == 3)
    }

    @Test func `A path that a rule changes is looked for as the other`() {
        let routes = ServerRoutes(Self.passage(PathMethods()))
        routes.get("known", use: Self.describe)
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/known?a=/b")
        let rules: [(rule: @Sendable (String) -> String, isThere: Bool)] = [
            ({ $0 == "/known" ? "/other" : $0 }, false), ({ $0 == "/other" ? "/known" : $0 }, true),
        ]
        for (rule, isThere) in rules {
            let known = KnownRoutes(rules: [rule])
            #expect(known.route(of: head) == nil)
            known.add(routes.known)
            #expect((known.route(of: head) != nil) == isThere)
        }
    }

    @Test func `Requests are counted under their route by either way`() {
        let metrics = RequestMetrics { $0 == "/known" ? .pages : nil }
        let series = metrics.series(of: "/known", .get)
        // The same series: made once for all who count there.
        #expect(series.active === metrics.active("GET"))
        #expect(series.active === series.active)
        for status in [200, 404] {
            series.answered(status: status).record(nanoseconds: 1000)
            metrics.route("/known", "GET", status: status).record(nanoseconds: 1000)
        }
        #expect(metrics.durations.all[.pages] == [DurationBuckets.index(ofMicroseconds: 1): 4])
    }
}

/// What names a request in the log.
@Suite struct RequestNameTests {
    @Test func `A request has one name, which each line of the log has`() async throws {
        let log = CapturedLog()
        let channel = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: log.logger)
        let context = CountersignRequestContext(channel, number: RequestID())
        #expect(!context.reference.isEmpty && context.reference == context.id)
        #expect(context.logger[metadataKey: "hb.request.id"]?.description == context.reference)
        #expect(context.logger[metadataKey: "hb.request.id"]?.description == context.reference)
        var other = context
        other.logger[metadataKey: "traceId"] = "t"
        #expect(other.reference == context.reference)
        #expect(other.logger[metadataKey: "traceId"] == "t")
        other.logger[metadataKey: "hb.request.id"] = "given"
        #expect(other.reference == "given" && context.reference != "given")
        #expect(CountersignRequestContext(channel, number: nil).reference.isEmpty)
        #expect(CountersignRequestContext(channel, number: RequestID()).reference != context.reference)
    }
}
