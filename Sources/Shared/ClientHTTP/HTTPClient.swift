import Foundation
import JSON

/// Sends a client module's requests: it judges the URL, writes the body, and hands the rest to a transport.
public struct HTTPClient: Sendable {
    /// Where requests may go without TLS.
    public enum PlainHTTPRule: Sendable {
        /// To this machine only: `localhost`, `127.0.0.0/8`, `::1`.
        case loopback
        /// To any host: the app named one in a call that is for development.
        case anyHost
    }

    public var transport: any HTTPTransport
    public var plainHTTP: PlainHTTPRule
    /// Seconds until a whole answer must have come.
    public var timeout: TimeInterval
    public var maximumResponseBytes: Int

    public init(
        transport: any HTTPTransport = URLSessionTransport.shared, plainHTTP: PlainHTTPRule = .loopback,
        timeout: TimeInterval = 60, maximumResponseBytes: Int = 4 << 20
    ) {
        self.transport = transport
        self.plainHTTP = plainHTTP
        self.timeout = timeout
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// Sends a request after checking its URL. Throws ``HTTPClientError`` or `CancellationError`.
    public func send(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> HTTPClientResponse {
        try judge(url)
        try Task.checkCancellation()
        let request = HTTPClientRequest(
            method: method, url: url, headers: headers, body: body, timeout: timeout,
            maximumResponseBytes: maximumResponseBytes)
        let response = try await transport.send(request)
        guard response.body.count <= maximumResponseBytes else {
            throw HTTPClientError.responseTooLarge(limit: maximumResponseBytes)
        }
        return response
    }

    public func get(_ url: URL, headers: [String: String] = [:]) async throws -> HTTPClientResponse {
        try await send("GET", url, headers: headers)
    }

    /// Posts a value as JSON, its keys in alphabetical order. Throws what its encoding throws, too.
    public func post(
        json value: some Encodable, to url: URL, headers: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let headers = headers.merging(["Content-Type": "application/json"]) { own, _ in own }
        return try await send("POST", url, headers: headers, body: encoder.encode(value))
    }

    /// Posts fields as a form, in the order given.
    public func post(
        form fields: [(name: String, value: String)], to url: URL, headers: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        let text = fields.map { $0.name.percentEncoded + "=" + $0.value.percentEncoded }.joined(separator: "&")
        let headers = headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { own, _ in own }
        return try await send("POST", url, headers: headers, body: Data(text.utf8))
    }

    private func judge(_ url: URL) throws {
        guard let host = url.host, !host.isEmpty else {
            throw HTTPClientError.unsupportedURL("The server's URL names no host.")
        }
        switch url.scheme?.lowercased() {
        case "https": return
        case "http":
            guard plainHTTP == .anyHost || Loopback.contains(host: host) else {
                throw HTTPClientError.plainHTTPRefused(host: host)
            }
        default: throw HTTPClientError.unsupportedURL("The server's URL is neither https nor http.")
        }
    }
}
