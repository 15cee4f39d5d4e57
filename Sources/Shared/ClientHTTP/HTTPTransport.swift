import Foundation

/// What carries a request to a server and its answer back. ``URLSessionTransport`` does it over the network; a test
/// puts its own in place.
public protocol HTTPTransport: Sendable {
    /// Throws ``HTTPClientError``, or `CancellationError` where the task was cancelled. Every answer of a server is
    /// returned, whatever its status.
    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse
}

/// A request of a client module.
public struct HTTPClientRequest: Sendable, Equatable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: Data?
    /// Seconds until the whole answer must have come.
    public var timeout: TimeInterval
    /// An answer with more bytes than this is refused.
    public var maximumResponseBytes: Int

    public init(
        method: String, url: URL, headers: [String: String] = [:], body: Data? = nil, timeout: TimeInterval = 60,
        maximumResponseBytes: Int = 4 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseBytes = maximumResponseBytes
    }
}

/// A server's answer.
public struct HTTPClientResponse: Sendable, Equatable {
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        self.body = body
    }

    /// The header with this name, in any spelling.
    public func header(_ name: String) -> String? { headers[name.lowercased()] }
}
