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

    init(_ server: TestServer) { self.server = server }

    var requests: [HTTPClientRequest] { seen.withLock { $0 } }

    /// The forms that were sent to a path.
    func forms(_ path: String) -> [String] {
        requests.filter { $0.url.path == path }.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
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
