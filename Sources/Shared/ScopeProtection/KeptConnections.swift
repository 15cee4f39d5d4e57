import AsyncHTTPClient
import ClientHTTP
import Foundation
import NIOCore
import NIOHTTP1
import OutboundTLS
import Synchronization

/// Carries a service's questions to its issuer, on connections that are kept: who asks about each token asks often, and URLSession on Linux
/// takes several times what the question takes (docs/decisions/0567).
///
/// For questions that may be asked again: one that met a connection which the issuer was just closing goes out once more. Redirects are not
/// followed, and an answer comes without its headers, which no asker here reads.
final class KeptConnections: HTTPTransport {
    private typealias Library = AsyncHTTPClient.HTTPClient

    /// One for all validators of a process.
    static let shared = KeptConnections()

    /// What of the environment only URLSession follows: proxies, and authorities of its own for certificates.
    private static let urlSessionsOwn = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "URLSessionCertificateAuthorityInfoFile",
    ]

    /// What carries the questions of a process with that environment, where its author names nothing else. Apple's URLSession follows the
    /// system's settings, and is not what these connections are for.
    static func standard(environment: [String: String]) -> any HTTPTransport {
        #if canImport(FoundationNetworking)
            if urlSessionsOwn.allSatisfy({ environment[$0]?.isEmpty ?? true }) { return shared }
        #endif
        return URLSessionTransport.shared
    }

    /// A request without its headers and body, taken apart and judged by the library.
    private struct Target {
        let url: URL
        let method: String
        let request: Library.Request
    }

    private let client: Library
    /// A validator asks at one place.
    private let lastTarget = Mutex<Target?>(nil)

    init() {
        var configuration = Library.Configuration()
        configuration.tlsConfiguration = .outbound()
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        // A request whose issuer refuses the connection is told so at once, as by URLSession.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Shorter than servers and what stands before them keep theirs.
        configuration.connectionPool.idleTimeout = .seconds(30)
        client = Library(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // A client that is let go of without being shut down is a fault to the library.
        let client = client
        client.shutdown { _ in _ = client }
    }

    func send(_ request: ClientHTTP.HTTPClientRequest) async throws -> ClientHTTP.HTTPClientResponse {
        let seconds = min(max(request.timeout, 0), 86_400)
        let deadline = NIODeadline.now() + .nanoseconds(Int64(seconds * 1_000_000_000))
        do {
            do {
                return try await exchange(request, until: deadline)
            } catch let error where Self.wasClosed(error) {
                return try await exchange(request, until: deadline)
            }
        } catch {
            throw Self.failure(error, of: request)
        }
    }

    /// - Parameter deadline: of the whole answer, not of its head alone.
    private func exchange(
        _ request: ClientHTTP.HTTPClientRequest, until deadline: NIODeadline
    ) async throws -> ClientHTTP.HTTPClientResponse {
        try Task.checkCancellation()
        var prepared = try target(of: request)
        for (name, value) in request.headers { prepared.headers.add(name: name, value: value) }
        if let body = request.body { prepared.body = .byteBuffer(ByteBuffer(bytes: body)) }
        let gathering = ResponseAccumulator(
            request: prepared, maxBodySize: min(max(request.maximumResponseBytes, 0), 1 << 30))
        let task = client.execute(request: prepared, delegate: gathering, deadline: deadline)
        let answer = try await withTaskCancellationHandler {
            try await task.get()
        } onCancel: {
            task.cancel()
        }
        return ClientHTTP.HTTPClientResponse(
            status: Int(answer.status.code), body: answer.body.map { Data($0.readableBytesView) } ?? Data())
    }

    private func target(of request: ClientHTTP.HTTPClientRequest) throws -> Library.Request {
        if let known = lastTarget.withLock({ $0 }), known.method == request.method, known.url == request.url {
            return known.request
        }
        var made = try Library.Request(url: request.url, method: HTTPMethod(rawValue: request.method))
        made.headers.add(name: "User-Agent", value: "Countersign")
        let target = Target(url: request.url, method: request.method, request: made)
        lastTarget.withLock { $0 = target }
        return made
    }

    /// Whether a connection that was kept was closed by its other end. A connection that could not be made is none of these.
    private static func wasClosed(_ error: any Error) -> Bool {
        if let error = error as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        return error as? AsyncHTTPClient.HTTPClientError == .remoteConnectionClosed
    }

    private static func failure(_ error: any Error, of request: ClientHTTP.HTTPClientRequest) -> any Error {
        if error is CancellationError { return error }
        if error is ResponseAccumulator.ResponseTooBigError {
            return ClientHTTP.HTTPClientError.responseTooLarge(limit: request.maximumResponseBytes)
        }
        switch error as? AsyncHTTPClient.HTTPClientError {
        case .cancelled?: return CancellationError()
        case .deadlineExceeded?, .connectTimeout?, .tlsHandshakeTimeout?, .getConnectionFromPoolTimeout?:
            return ClientHTTP.HTTPClientError.timedOut(after: request.timeout)
        default: return ClientHTTP.HTTPClientError.unreachable(error)
        }
    }
}
