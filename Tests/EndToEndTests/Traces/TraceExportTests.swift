import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built program and a collector that reads spans by OpenTelemetry's own schema.
@Suite struct TraceExportTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let caller = "b7ad6b7169203331"

    private func environment(_ collector: Collector, _ more: [String: String] = [:]) throws -> [String: String] {
        let headers = try TestRun.place(for: "headers")
        try Data("X-Api-Key: a-key\n".utf8).write(to: headers)
        return [
            "COUNTERSIGN_TRACING_URL": "http://127.0.0.1:\(collector.port)",
            "COUNTERSIGN_TRACING_HEADERS_FILE": headers.path,
            "COUNTERSIGN_TRACING_ATTRIBUTES": "deployment.environment.name=test",
        ].merging(more) { $1 }
    }

    @Test(.timeLimit(.minutes(20)))
    func `A request its transactions its hash and what follows from it are spans that others can read`() async throws {
        let (collector, mails) = (try await Collector(), try await MailServer())
        defer {
            collector.stop()
            mails.stop()
        }
        let server = try await ServerProcess(
            ["--dev"],
            environment: try environment(
                collector,
                [
                    "COUNTERSIGN_MAIL_FROM": "login@example.com", "COUNTERSIGN_MAIL_SMTP_ENCRYPTION": "none",
                    "COUNTERSIGN_MAIL_SMTP_URL": "smtp://127.0.0.1:\(mails.port)",
                ]))
        var request = URLRequest(
            url: try #require(URL(string: "/v1/accounts:signUp?key=dev-app&private=SECRET1", relativeTo: server.url)))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("00-\(Self.trace)-\(Self.caller)-01", forHTTPHeaderField: "traceparent")
        request.setValue("named-by-us", forHTTPHeaderField: "X-Request-Id")
        request.httpBody = Data(#"{"email":"ada@example.com","password":"a SECRET2 afternoon"}"#.utf8)
        let (_, answer) = try await URLSession.shared.data(for: request)
        #expect((answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Request-Id") == "named-by-us")
        let asked = try await server.post(
            "/v1/accounts:sendOobCode?key=dev-app", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
        #expect(asked.status == 200)
        #expect(try await mails.mails(atLeast: 1).count == 1)
        let token = try server.adminToken
        let hook = try await server.post(
            "/admin/v1/hooks:add", ["url": "http://127.0.0.1:\(collector.port)/hook", "events": ["users"]],
            bearer: token)
        let id = try #require((hook.json["hook"] as? [String: Any])?["id"] as? String, "\(hook.json)")
        #expect(try await server.post("/admin/v1/hooks:test", ["id": id], bearer: token).status == 200)
        // The end of the program gives a collector three seconds, and what waits is exported every five.
        try await eventually {
            let names = Set(try collector.spans.map(\.name))
            return names.isSuperset(of: ["POST /v1/accounts:signUp", "send email", "call hook"])
        }
        #expect(await server.terminate() == 0)
        await collector.stopped()

        let reports = try collector.reports
        #expect(reports.compactMap(\.fault) == [])
        #expect(reports.compactMap(\.spans).isEmpty == false)
        #expect(reports.filter { $0.spans != nil }.allSatisfy { $0.key == "a-key" })
        let spans = try collector.spans
        for span in spans {
            #expect(span.nanoseconds >= 0 && span.start > 1_700_000_000_000_000_000 && span.scope == "countersign")
            #expect(span.resource["service.name"] == .text("countersign"))
            #expect(span.resource["deployment.environment.name"] == .text("test"))
            #expect(span.resource["service.instance.id"] != nil && span.resource["service.version"] != nil)
        }

        // The first request, which a caller's trace goes on in.
        let signUp = try #require(spans.first { $0.name == "POST /v1/accounts:signUp" })
        #expect(signUp.trace == Self.trace && signUp.parent == Self.caller && signUp.kind == 2 && signUp.status == 0)
        #expect(signUp.attributes["http.response.status_code"] == .number(200))
        #expect(signUp.attributes["http.route"] == .text("/v1/accounts:signUp"))
        #expect(signUp.attributes["countersign.request_id"] == .text("named-by-us"))
        let within = spans.filter { $0.trace == Self.trace && $0.parent == signUp.span }
        #expect(within.contains { $0.name == "password hash" && $0.kind == 1 })
        let writes = within.filter { $0.name == "store write" }
        #expect(
            !writes.isEmpty && writes.allSatisfy { $0.attributes["db.system.name"] == .text("sqlite") && $0.kind == 3 })

        // What comes after a request has a trace of its own; the service of a hook can continue that of its call.
        #expect(spans.contains { $0.name == "send email" && $0.parent == nil && $0.status == 0 })
        let call = try #require(spans.first { $0.name == "call hook" && $0.parent != nil })
        #expect(reports.filter { $0.other == "/hook" }.map(\.traceparent) == ["00-\(call.trace)-\(call.span)-01"])
        #expect(Set(spans.map(\.span)).count == spans.count)
        #expect(!"\(spans)".contains("SECRET") && !"\(spans)".contains("ada@"))
    }

    // Hundreds of requests: each waits for its turn among all other tests that run.
    @Test(.timeLimit(.minutes(20)))
    func `A collector that refuses for a while gets the spans and one that is away costs the server nothing`()
        async throws
    {
        let collector = try await Collector(refusing: [503, 429])
        defer { collector.stop() }
        let server = try await ServerProcess(environment: try environment(collector))
        // More than a batch, so that it is not the end alone that exports.
        try await Self.ask(server, 600)
        try await eventually { try collector.spans.count { $0.name == "GET /health/ready" } == 600 }
        #expect(try collector.reports.compactMap(\.status).prefix(2) == [503, 429])
        #expect(await server.terminate() == 0)

        // The end exports what is left, where the collector answers within three seconds: on a slow machine not each time.
        var count = 600
        for _ in 0..<10 where count == 600 {
            let brief = try await ServerProcess(environment: try environment(collector))
            try await Self.ask(brief, 1)
            #expect(await brief.terminate() == 0)
            try await Task.sleep(for: .milliseconds(50))
            count = try collector.spans.count { $0.name == "GET /health/ready" }
        }
        await collector.stopped()
        #expect(try collector.spans.count { $0.name == "GET /health/ready" } > 600)
        #expect(Set(try collector.spans.map(\.span)).count == (try collector.spans.count))

        let away = try await ServerProcess(
            environment: ["COUNTERSIGN_TRACING_URL": "http://127.0.0.1:9", "COUNTERSIGN_LOG_LEVEL": "critical"])
        try await Self.ask(away, 100)
        let begin = ContinuousClock.now
        #expect(await away.terminate() == 0)
        #expect(begin.duration(to: .now) < .seconds(100))
    }

    /// Six at a time: one after the other would wait for each turn.
    private static func ask(_ server: ServerProcess, _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for asker in 0..<6 {
                tasks.addTask {
                    for _ in 0..<(count + asker) / 6 {
                        let status = try await server.get("/health/ready").status
                        // Where the store does not answer within two seconds, as on a machine that does much else, it says so.
                        #expect(status == 200 || status == 503)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}
