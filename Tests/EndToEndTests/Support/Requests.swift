import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests of tests that run many at once, and may be cancelled when one of them fails.
///
/// Not by `URLSession.data(for:)`: on Linux it deadlocks where a task is cancelled in the moment in which its connection ends. The
/// cancellation holds the task's lock and waits for the session's queue, which waits for that lock to resume the task.
enum Requests {
    struct Answer: Sendable {
        let status: Int
        let retryAfter: Int?
        let body: Data
    }

    private static let client = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Throws: where no answer comes within ten minutes, or the connection ends before it.
    static func send(_ request: URLRequest) async throws -> Answer {
        guard let url = request.url else { throw URLError(.badURL) }
        var sent = HTTPClientRequest(url: url.absoluteString)
        sent.method = .RAW(value: request.httpMethod ?? "GET")
        for (name, value) in request.allHTTPHeaderFields ?? [:] { sent.headers.add(name: name, value: value) }
        if let body = request.httpBody { sent.body = .bytes(Array(body)) }
        let response = try await client.execute(sent, timeout: .seconds(600))
        let body = try await response.body.collect(upTo: 1 << 24)
        return Answer(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) },
            body: Data(body.readableBytesView))
    }
}
