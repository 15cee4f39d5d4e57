import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP
import TestSupport
import Testing

@testable import CountersignServer

/// Real connections to the whole server, with short times.
@Suite struct ConnectionLimitTests {
    private static let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Long enough for a busy machine, short enough for a test.
    private static let short = ConnectionDeadlines(
        handshake: .seconds(8), head: .seconds(8), body: .seconds(8), idle: .seconds(8), linger: .seconds(1))

    @Test func `Who is too slow is closed and a long answer is not`() async throws {
        try await LiveServer.run(
            configure: { options in
                options.connections.deadlines = Self.short
                options.resources = { router, _ in
                    router.get("slow") { _, _ -> Response in
                        try await Task.sleep(for: .seconds(12))
                        return Response(status: .noContent)
                    }
                }
            },
            { url, _ in
                let silent = try RawConnection(to: url)
                let half = try RawConnection(to: url)
                half.write("GET /health/live HTT")
                let idle = try RawConnection(to: url)
                idle.write(Self.request)
                let body = try RawConnection(to: url)
                body.write("POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
                let dripping = Task {
                    while body.write("x") { try await Task.sleep(for: .milliseconds(100)) }
                }
                let slow = try RawConnection(to: url)
                slow.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")

                // All are read at once: what goes on sending to a connection that is closed loses the answer that it has not read.
                async let refusal = body.read()
                async let others = (silent.read(), half.read(), idle.read(), slow.read())
                let refused = await refusal
                #expect(refused.isClosed && refused.text.statuses == [408], "\(refused.text)")
                let (ended, endedInHalf, kept, awaited) = await others
                #expect(ended.isClosed && ended.text.isEmpty)
                #expect(endedInHalf.isClosed && endedInHalf.text.isEmpty)
                #expect(kept.isClosed && kept.text.statuses == [200])
                #expect(awaited.isClosed && awaited.text.statuses == [204], "\(awaited)")
                dripping.cancel()
            })
    }

    @Test(arguments: [false, true])
    func `Where all connections are taken the next waits and is served`(isSocketHandedOn: Bool) async throws {
        let log = CapturedLog()
        let socket = isSocketHandedOn ? try HandedSocket() : nil
        try await LiveServer.run(
            log: log,
            configure: {
                $0.take(socket)
                // Those that say nothing have so little time; the next has written before it has its turn.
                $0.connections = ConnectionOptions(
                    maximum: 3, maximumPerSource: 3,
                    deadlines: ConnectionDeadlines(head: .seconds(3), idle: .seconds(900)))
            },
            { url, _ in
                let silent = try (0..<6).map { _ in try RawConnection(to: url) }
                let next = try RawConnection(to: url, from: "127.0.0.2")
                next.write(Self.request)
                let answer = await next.read { $0.hasSuffix("}") }
                #expect(answer.text.statuses == [200])
                withExtendedLifetime(silent) {}
            })
        #expect(log.lines.contains { $0.contains("all 3 connections are taken") })
    }

    @Test func `One source cannot take all connections`() async throws {
        let log = CapturedLog()
        try await LiveServer.run(
            log: log, configure: { $0.connections = ConnectionOptions(maximum: 100, maximumPerSource: 2) },
            { url, _ in
                let first = try (0..<2).map { _ in try RawConnection(to: url) }
                for connection in first {
                    connection.write(Self.request)
                    let answer = await connection.read { $0.hasSuffix("}") }
                    #expect(answer.text.statuses == [200])
                }
                let third = try RawConnection(to: url)
                let ended = await third.read()
                #expect(ended.isClosed && ended.text.isEmpty)
                let other = try RawConnection(to: url, from: "127.0.0.2")
                other.write(Self.request)
                let answer = await other.read { $0.hasSuffix("}") }
                #expect(answer.text.statuses == [200])
            })
        #expect(log.lines.contains { $0.contains("127.0.0.1 has 2") })
    }

    @Test func `A trusted proxy has as many as fit and another has not`() async throws {
        for (trusted, isRefused) in [("127.0.0.1", false), ("127.0.0.2", true)] {
            let range = try #require(AddressRange(trusted))
            try await LiveServer.run(
                configure: {
                    $0.tlsEndedByProxy = true
                    $0.proxy.trusted = [range]
                    $0.connections = ConnectionOptions(maximum: 100, maximumPerSource: 1)
                },
                { url, _ in
                    let first = try RawConnection(to: url)
                    first.write(Self.request)
                    _ = await first.read { $0.hasSuffix("}") }
                    let second = try RawConnection(to: url)
                    second.write(Self.request)
                    let answer = await second.read { $0.hasSuffix("}") }
                    #expect(answer.isClosed == isRefused)
                    #expect(answer.text.statuses == (isRefused ? [] : [200]))
                })
        }
    }

    @Test func `Shutting down does not wait for connections that are kept`() async throws {
        let (held, began) = try await Self.heldOverTheEnd()
        // Neither for its idle time nor for the drain time.
        #expect(ContinuousClock.now - began < .seconds(300))
        let ended = await held.read()
        #expect(ended.isClosed)
    }

    /// A connection that was answered and kept while its server shut down, and when that began.
    private static func heldOverTheEnd() async throws -> (RawConnection, ContinuousClock.Instant) {
        let (connections, keep) = AsyncStream<(RawConnection, ContinuousClock.Instant)>.makeStream()
        try await LiveServer.run(
            configure: {
                $0.connections.deadlines = ConnectionDeadlines(idle: .seconds(900), drain: .seconds(900))
            },
            { url, _ in
                let connection = try RawConnection(to: url)
                connection.write(request)
                _ = await connection.read { $0.hasSuffix("}") }
                keep.yield((connection, .now))
                keep.finish()
            })
        for await connection in connections { return connection }
        throw CancellationError()
    }

    @Test(
        arguments: [
            (1024, nil, nil, 768, 192), (256, nil, nil, 128, 32), (1, nil, nil, 1, 1), (20_000, nil, nil, 19_744, 4936),
            (1024, 100, nil, 100, 25), (1024, 5000, nil, 768, 192), (1024, 100, 7, 100, 7), (1024, 100, 700, 100, 100),
        ] as [(Int, Int?, Int?, Int, Int)])
    func `Connections are bounded by open files`(
        openFiles: Int, maximum: Int?, perSource: Int?, expected: Int, expectedPerSource: Int
    ) {
        let limits = ConnectionOptions(maximum: maximum, maximumPerSource: perSource).limits(openFiles: openFiles)
        #expect(limits.maximum == expected)
        #expect(limits.perSource == expectedPerSource)
    }
}
