import ClientHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests through a session that an app brings: its proxies, its pins, its test doubles.
///
/// The length of an answer is checked when it has arrived; a session that faces strangers has to limit it itself.
struct AppSessionTransport: HTTPTransport {
    private let session: URLSession

    init(_ session: URLSession) { self.session = session }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var urlRequest = URLRequest(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.timeout)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let (body, response): (Data, URLResponse)
        do {
            (body, response) = try await session.answer(to: urlRequest)
        } catch let error as URLError where error.code == .timedOut {
            throw HTTPClientError.timedOut(after: request.timeout)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw HTTPClientError.unreachable(error)
        }
        guard let http = response as? HTTPURLResponse else {
            throw HTTPClientError.unsupportedURL("The answer is not one of HTTP.")
        }
        var headers: [String: String] = [:]
        for (name, value) in http.allHeaderFields { headers["\(name)"] = "\(value)" }
        return HTTPClientResponse(status: http.statusCode, headers: headers, body: body)
    }
}
