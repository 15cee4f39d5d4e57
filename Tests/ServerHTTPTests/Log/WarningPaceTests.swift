import CountersignCore
import Hummingbird
import HummingbirdTesting
import Logging
import ServerHTTP
import Synchronization
import Testing

/// How many lines of the log clients can bring about.
@Suite struct WarningPaceTests {
    private struct Fault: Error {}

    /// The failures that clients meet, at a time that the test moves.
    private func application(_ log: CapturedLog, _ time: MovedTime) -> some ApplicationProtocol {
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware(now: { time.now }))
        router.get("wait") { _, _ -> Response in throw StoreError(.overloaded, "as many wait as may") }
        router.get("hash") { _, _ -> Response in throw PasswordHashingOverload(retryAfter: 7) }
        router.get("away") { _, _ -> Response in throw StoreError(.unavailable, "no database") }
        router.get("fault") { _, _ -> Response in throw Fault() }
        return Application(responder: router.buildResponder(), logger: log.logger)
    }

    @Test
    func `What a server has no room for is a line a minute for each route, which says how many were left out`()
        async throws
    {
        let (log, time) = (CapturedLog(.warning), MovedTime())
        try await application(log, time).test(.router) { client in
            for _ in 0..<200 { try await client.execute(uri: "/wait", method: .get) }
            try await client.execute(uri: "/hash", method: .get)
            for _ in 0..<2 { try await client.execute(uri: "/away", method: .get) }
            time.pass(.seconds(59))
            try await client.execute(uri: "/wait", method: .get)
            #expect(
                log.lines == [
                    "warning request refused: overloaded method=GET route=/wait status=503",
                    "warning request refused: overloaded method=GET route=/hash status=503",
                    "warning request refused: unavailable: no database method=GET route=/away status=503",
                ])
            time.pass(.seconds(1))
            for _ in 0..<2 { try await client.execute(uri: "/wait", method: .get) }
            #expect(
                log.lines.dropFirst(3) == [
                    "warning request refused: overloaded leftOut=200 method=GET route=/wait status=503"
                ])
        }
    }

    @Test func `Thirty failures of a route are written in a minute, each with what it was`() async throws {
        let (log, time) = (CapturedLog(.warning), MovedTime())
        try await application(log, time).test(.router) { client in
            for _ in 0..<40 { try await client.execute(uri: "/fault", method: .get) }
            let line = "error request failed: Fault: Fault() method=GET route=/fault status=500"
            #expect(log.lines == Array(repeating: line, count: 30))
            time.pass(.seconds(60))
            try await client.execute(uri: "/fault", method: .get)
            #expect(log.lines.count == 31 && log.lines.last?.contains("leftOut=10 ") == true, "\(log.lines)")
        }
    }

    @Test func `Requests of applications that there are not are thirty lines a minute`() async throws {
        let log = CapturedLog(.info)
        try await LiveServer.run(log: log) { url, _ in
            let request = "GET /authorize?client_id=unknown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            for _ in 0..<40 {
                let answer = try await RawConnection.exchange(request, with: url)
                #expect(answer.text.statuses == [400])
            }
        }
        #expect(log.lines.count { $0.contains("request of an application refused") } == 30)
    }
}
