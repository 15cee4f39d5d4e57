import ClientHTTP
import Foundation
import Testing

@testable import Guardian

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests through a session that an app brings.
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
        let port = try RefusingPort()
        let session = URLSession(configuration: .ephemeral)
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        let transport = AppSessionTransport(session)
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
        session.invalidateAndCancel()
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
