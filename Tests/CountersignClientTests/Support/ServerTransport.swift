import ClientHTTP
import DialectTestSupport
import Foundation
import HTTPTypes
import Synchronization

/// Carries a client's requests to a server in this process.
final class ServerTransport: HTTPTransport {
    static let base = "http://127.0.0.1:8080"

    private let server: TestServer
    private let seen = Mutex<[HTTPClientRequest]>([])
    private let interruption = Mutex<Interruption?>(nil)

    private struct Interruption: Sendable {
        let isBefore: Bool
        let action: @Sendable () async throws -> Void
    }

    init(_ server: TestServer) { self.server = server }

    var requests: [HTTPClientRequest] { seen.withLock { $0 } }

    /// The forms that were sent to a path.
    func forms(_ path: String) -> [String] {
        requests.filter { $0.url.path == path }.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    }

    /// Does something once while the next request to the token endpoint is on its way.
    /// - Parameter isBefore: whether the server has the request only afterwards; otherwise the client has its answer only afterwards.
    func interrupt(before isBefore: Bool, _ action: @escaping @Sendable () async throws -> Void) {
        interruption.withLock { $0 = Interruption(isBefore: isBefore, action: action) }
    }

    private func interrupted(_ request: HTTPClientRequest) -> Interruption? {
        guard request.url.path == "/oauth/token" else { return nil }
        return interruption.withLock { interruption in
            let taken = interruption
            interruption = nil
            return taken
        }
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let interruption = interrupted(request)
        if let interruption, interruption.isBefore { try await interruption.action() }
        let response = try await answer(request)
        if let interruption, !interruption.isBefore { try await interruption.action() }
        return response
    }

    private func answer(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        seen.withLock { $0.append(request) }
        let text = request.url.absoluteString
        guard text.hasPrefix(Self.base + "/"), let method = HTTPRequest.Method(rawValue: request.method) else {
            throw HTTPClientError.unsupportedURL(text)
        }
        var headers = HTTPFields()
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let reply = try await server.send(
            method, String(text.dropFirst(Self.base.count)), headers: headers, body: request.body.map { Array($0) })
        var answered: [String: String] = [:]
        for field in reply.headers { answered[field.name.canonicalName] = field.value }
        return HTTPClientResponse(status: reply.status, headers: answered, body: Data(reply.bytes))
    }
}
