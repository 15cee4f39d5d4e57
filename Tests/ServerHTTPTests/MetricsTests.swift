import CountersignServer
import Foundation
import Testing

/// Who may read `/metrics`.
@Suite struct MetricsTests {
    private static func get(_ headers: [String], _ path: String = "/metrics") -> String {
        (["GET \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + headers).joined(separator: "\r\n")
            + "\r\n\r\n"
    }

    private static func status(_ headers: [String], at url: URL) async throws -> Int? {
        try await RawConnection.exchange(get(headers), with: url).text.statuses.first
    }

    private static func token(_ opened: OpenedRealm) throws -> String {
        try String(contentsOfFile: opened.directory.adminTokenPath, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `This machine reads them where there is no proxy`() async throws {
        try await LiveServer.run { url, _ in
            let answer = try await RawConnection.exchange(Self.get([]), with: url)
            #expect(answer.text.statuses == [200])
            #expect(answer.text.contains("\ncountersign_http_connections "))
            // A header that only a proxy may set changes nothing.
            #expect(try await Self.status(["X-Forwarded-For: 192.0.2.7"], at: url) == 200)
        }
    }

    @Test(arguments: [false, true])
    func `Behind a proxy they always take the token`(isDevelopment: Bool) async throws {
        try await LiveServer.run(
            isDevelopment: isDevelopment, configure: { $0.tlsEndedByProxy = true },
            { url, opened in
                for headers in [
                    [], ["X-Forwarded-For: 127.0.0.1"], ["X-Forwarded-For: 192.0.2.7"],
                    ["X-Forwarded-For: 192.0.2.7", "Forwarded: for=198.51.100.1"], ["Forwarded: for=127.0.0.1"],
                    ["X-Forwarded-For: nonsense"],
                ] {
                    #expect(try await Self.status(headers, at: url) == 401, "\(headers)")
                }
                let token = try Self.token(opened)
                #expect(try await Self.status(["Authorization: Bearer \(token)"], at: url) == 200)
            })
    }

    @Test func `On a separate address they are for every client and nothing else is there`() async throws {
        let log = CapturedLog()
        try await LiveServer.run(
            log: log,
            configure: {
                $0.tlsEndedByProxy = true
                $0.metricsListen = ListenAddress(host: "127.0.0.1", port: 0)
            },
            { url, _ in
                var address: URL?
                for _ in 0..<24_000 where address == nil {
                    let line = log.lines.first { $0.contains("metrics at http://") }
                    address = line?.split(separator: " ").first { $0.hasPrefix("http://") }.flatMap {
                        URL(string: String($0))
                    }
                    try await Task.sleep(for: .milliseconds(25))
                }
                let own = try #require(address)
                let answer = try await RawConnection.exchange(Self.get(["X-Forwarded-For: 192.0.2.7"]), with: own)
                #expect(answer.text.statuses == [200] && answer.text.contains("process_resident_memory_bytes"))
                for path in ["/health/live", "/admin/v1/users.list", "//metrics"] {
                    #expect(try await RawConnection.exchange(Self.get([], path), with: own).text.statuses == [404])
                }
                #expect(try await Self.status([], at: url) == 401)
            })
    }
}
