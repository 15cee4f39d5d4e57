import ClientHTTP
import Foundation
import Testing

@testable import Guardian

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests through a session that an app brings, and through the client modules' own.
@Suite struct AppSessionTests {
    /// A port that refuses connections as long as this lives: it is taken, and nothing listens.
    private final class RefusingPort {
        private let socket: Int32
        let number: UInt16

        init() throws {
            #if canImport(Glibc) || canImport(Musl)
                let stream = Int32(SOCK_STREAM.rawValue)
            #else
                let stream = SOCK_STREAM
            #endif
            socket = Foundation.socket(AF_INET, stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { [socket] place in
                place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                    bind(socket, place, length) == 0 && getsockname(socket, place, &length) == 0
                }
            }
            try #require(isBound)
            number = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(socket) }
    }

    /// `URLSession.data(for:)` of Linux stops for good in some of these, with the thread that cancels.
    @Test(.timeLimit(.minutes(20)))
    func `A thousand requests that are cancelled while their connections are refused all end`() async throws {
        let session = URLSession(configuration: .ephemeral)
        try await endAll(AppSessionTransport(session))
        session.invalidateAndCancel()
    }

    @Test(.timeLimit(.minutes(20)))
    func `A thousand requests of the client modules' own session that are cancelled so all end`() async throws {
        try await endAll(URLSessionTransport())
    }

    /// One after another: Foundation's list of tasks is looked into between the end of one and the word of it.
    @Test(.timeLimit(.minutes(20)))
    func `Requests that are cancelled when their connection was refused, one after another, all end`() async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        let transport = URLSessionTransport()
        for number in 0..<300 {
            let sending = Task { try await transport.send(HTTPClientRequest(method: "GET", url: url)) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number % 60 * 50)) { sending.cancel() }
            guard case .failure = await sending.result else {
                Issue.record("Nothing listens there.")
                return
            }
        }
    }

    private func endAll(_ transport: some HTTPTransport) async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        let ends = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let sending = Task { try await transport.send(HTTPClientRequest(method: "GET", url: url)) }
                    // Some are cancelled before they begin, some amid the connection, some when it has failed.
                    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(number % 50 * 100)) {
                        sending.cancel()
                    }
                    switch await sending.result {
                    case .success: return false
                    case .failure(is CancellationError): return true
                    case .failure(let error): return (error as? HTTPClientError)?.isUnreachable == true
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ends == 1000)
    }

    @Test func `A request that is cancelled says so, and one that is refused says that`() async throws {
        let port = try RefusingPort()
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        let transport = AppSessionTransport(URLSession(configuration: .ephemeral))
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await transport.send(HTTPClientRequest(method: "GET", url: url))
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let refused = await #expect(throws: HTTPClientError.self) {
            try await transport.send(HTTPClientRequest(method: "GET", url: url))
        }
        #expect(refused?.isUnreachable == true)
    }
}
