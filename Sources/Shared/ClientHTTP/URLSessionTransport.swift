import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests over the network, by URLSession.
///
/// It keeps no cookies, no cache and no credentials. A redirect is followed only to the same scheme, host and port,
/// and only where the request has no body (not every system's URLSession sends it again); any other is returned as
/// the answer it is, so that no body or header reaches a stranger. Cancelling the task ends the request.
public final class URLSessionTransport: HTTPTransport {
    /// One for all client modules of a process.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let exchanges: Exchanges

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = Exchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        urlRequest.timeoutInterval = request.timeout
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }

        let task = session.dataTask(with: urlRequest)
        let exchange = Exchange(limit: request.maximumResponseBytes, seconds: request.timeout)
        exchanges.begin(exchange, for: task)
        // In turn with what tells of the task's end: Foundation stops the process on Linux where a task is cancelled between the two
        // (docs/decisions/0450). The session's queue is serial.
        let queue = session.delegateQueue
        let end: @Sendable () -> Void = { queue.addOperation { task.cancel() } }
        let deadline = Task {
            // URLRequest's own limit is on silence; this one is on the whole answer, against one that only trickles.
            try await Task.sleep(nanoseconds: UInt64(min(max(request.timeout, 0), 86_400) * 1_000_000_000))
            exchange.outcome.finish(.failure(HTTPClientError.timedOut(after: request.timeout)))
            end()
        }
        defer {
            deadline.cancel()
            exchanges.end(task)
        }
        return try await withTaskCancellationHandler {
            try await exchange.outcome.value(afterStarting: { task.resume() })
        } onCancel: {
            exchange.outcome.finish(.failure(CancellationError()))
            end()
        }
    }
}

/// One request under way: gathers the answer that a caller waits for.
private final class Exchange: Sendable {
    private struct State {
        var status = 0
        var headers: [String: String] = [:]
        var body = Data()
    }

    let outcome = FirstOutcome<HTTPClientResponse>()
    private let state = Locked(State())
    private let limit: Int
    private let seconds: TimeInterval

    init(limit: Int, seconds: TimeInterval) {
        self.limit = limit
        self.seconds = seconds
    }

    /// False where the answer announces more than is taken.
    func receive(_ response: URLResponse) -> Bool {
        guard response.expectedContentLength <= Int64(limit) else { return refuseLength() }
        let http = response as? HTTPURLResponse
        var headers: [String: String] = [:]
        for (name, value) in http?.allHeaderFields ?? [:] { headers["\(name)".lowercased()] = "\(value)" }
        state.withLock { [headers] state in
            state.status = http?.statusCode ?? 0
            state.headers = headers
            state.body = Data()
        }
        return true
    }

    /// False where the answer has become longer than is taken.
    func receive(_ data: Data) -> Bool {
        let fits = state.withLock { state in
            guard state.body.count + data.count <= limit else { return false }
            state.body.append(data)
            return true
        }
        return fits || refuseLength()
    }

    func complete(with error: (any Error)?) {
        guard let error else {
            let gathered = state.withLock { HTTPClientResponse(status: $0.status, headers: $0.headers, body: $0.body) }
            return outcome.finish(.success(gathered))
        }
        switch (error as? URLError)?.code {
        case .cancelled?: outcome.finish(.failure(CancellationError()))
        case .timedOut?: outcome.finish(.failure(HTTPClientError.timedOut(after: seconds)))
        default: outcome.finish(.failure(HTTPClientError.unreachable(error)))
        }
    }

    private func refuseLength() -> Bool {
        outcome.finish(.failure(HTTPClientError.responseTooLarge(limit: limit)))
        return false
    }
}

/// The session's delegate: finds the exchange of each task.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let underWay = Locked<[Int: Exchange]>([:])

    func begin(_ exchange: Exchange, for task: URLSessionTask) {
        underWay.withLock { $0[task.taskIdentifier] = exchange }
    }

    func end(_ task: URLSessionTask) {
        underWay.withLock { $0[task.taskIdentifier] = nil }
    }

    private func exchange(_ task: URLSessionTask) -> Exchange? {
        underWay.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(exchange(dataTask)?.receive(response) == true ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(dataTask)?.receive(data) != true { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(task)?.complete(with: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let original = task.originalRequest
        let isHarmless = original?.httpBody == nil && Origin(original?.url) == Origin(request.url)
        completionHandler(isHarmless ? request : nil)
    }
}

private struct Origin: Equatable {
    let scheme: String?
    let host: String?
    let port: Int?

    init(_ url: URL?) {
        scheme = url?.scheme?.lowercased()
        host = url?.host?.lowercased()
        port = url?.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    }
}
