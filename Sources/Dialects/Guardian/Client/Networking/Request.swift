import ClientHTTP
import Foundation
import JSON

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that ``start(callback:)`` sends. A value: each change gives another one.
public struct Request<T: Encodable & Sendable, E: Decodable & Sendable>: Operation {
    private let plan: RequestPlan<T>
    private var transport: any HTTPTransport
    private var onRequest: OnRequestEvent?
    private var onResponse: OnResponseEvent?
    private var transform: (@Sendable (HTTPURLResponse, Data?) -> (any Error)?)?

    init(_ plan: RequestPlan<T>, _ transport: any HTTPTransport = URLSessionTransport.shared) {
        self.plan = plan
        self.transport = transport
    }

    public func withURLSession(_ session: URLSession) -> Self {
        var copy = self
        copy.transport = AppSessionTransport(session)
        return copy
    }

    public func on(request: OnRequestEvent? = nil, response: OnResponseEvent? = nil) -> Self {
        var copy = self
        copy.onRequest = request ?? onRequest
        copy.onResponse = response ?? onResponse
        return copy
    }

    public func mapError(transform: @escaping @Sendable (HTTPURLResponse, Data?) -> (any Error)?) -> Self {
        var copy = self
        copy.transform = transform
        return copy
    }

    public func start(callback: @escaping @Sendable (Result<E, any Error>) -> Void) {
        guard plan.isReadyAtOnce else {
            Task { callback(await result { try await start() }) }
            return
        }
        switch prepare() {
        case .failure(let error): callback(.failure(error))
        case .success(let request): Task { callback(await result { try await send(request) }) }
        }
    }

    @discardableResult
    public func start() async throws -> E {
        try Task.checkCancellation()
        guard !plan.isReadyAtOnce else { return try await send(prepare().get()) }
        let prepared = try await SigningQueue.run { prepare() }
        try Task.checkCancellation()
        return try await send(prepared.get())
    }

    /// The request is shown also where it cannot be sent, then without what could not be made.
    private func prepare() -> Result<HTTPClientRequest, any Error> {
        let prepared = Result { try plan.prepared() }
        let shown = (try? prepared.get()) ?? HTTPClientRequest(method: plan.method, url: plan.url)
        onRequest?(RequestEvent(request: URLRequest(shown)))
        return prepared
    }

    private func result(_ body: () async throws -> E) async -> Result<E, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private func send(_ request: HTTPClientRequest) async throws -> E {
        let client = HTTPClient(transport: transport, timeout: request.timeout)
        let answer: HTTPClientResponse
        do {
            answer = try await client.send(
                request.method, request.url, headers: request.headers, body: request.body)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw NetworkError(.failedRequest, description: (error as? HTTPClientError)?.description, cause: error)
        }
        // Foundation's response takes longer to make than the answer to read, and few apps look at it.
        func shown() throws -> HTTPURLResponse {
            let response = HTTPURLResponse(
                url: request.url, statusCode: answer.status, httpVersion: nil, headerFields: answer.headers)
            guard let response else { throw NetworkError(.missingResponse) }
            return response
        }
        if let onResponse {
            let response = try shown()
            onResponse(ResponseEvent(response: response, data: answer.body, rateLimit: RateLimit(response)))
        }
        guard (200..<300).contains(answer.status) else {
            if let transform, let error = transform(try shown(), answer.body) { throw error }
            throw answer.refusal
        }
        return try answer.decoded()
    }

    /// The method and the URL.
    public var description: String { "\(plan.method) \(plan.url.absoluteString)" }

    /// Headers and body too, but what authorizes: that shows as `<secret>`. What is signed shows once it is started, to
    /// ``on(request:response:)`` alone.
    public var debugDescription: String {
        guard plan.key == nil else { return description + "\n(signed when it is started)" }
        guard let request = try? plan.prepared() else { return description + "\n(cannot be sent)" }
        let headers = request.headers.sorted { $0.key < $1.key }.map { name, value in
            "\(name): \(["Authorization", "MFA-DPoP"].contains(name) ? "<secret>" : value)"
        }
        let body = request.body.flatMap { body -> String? in
            guard let object = try? JSONSerialization.jsonObject(with: body),
                let pretty = try? JSONSerialization.data(
                    withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
            else { return nil }
            return String(decoding: pretty, as: UTF8.self)
        }
        return ([description] + headers + (body.map { ["", $0] } ?? [])).joined(separator: "\n")
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPClientRequest) {
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: request.timeout)
        httpMethod = request.method
        httpBody = request.body
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}

/// A result that may come without a body.
protocol Blank: Sendable {
    init()
}

/// A result that is taken out of a tree in a fraction of the time: a decoder finds out by trying what each value is, and an
/// attempt that fails is dear.
protocol FromTree: Sendable {
    /// Nil where the tree is not of the form.
    init?(_ tree: JSONValue)
}

/// Nothing: what an answer without content says, and what a request without a body sends.
public struct NoContent: Codable, Sendable, Equatable, Blank {
    init() {}
    public init(from decoder: any Decoder) throws {}
}

extension HTTPClientResponse {
    private var contentType: String {
        (header("Content-Type") ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    private var isJSON: Bool {
        // As nearly every server writes it: taking the text apart takes longer.
        let said = header("Content-Type") ?? ""
        if said == "application/json" || said.hasPrefix("application/json;") { return true }
        return contentType == "application/json" || contentType.hasSuffix("+json")
    }

    /// What a refusal says: in Guardian's words where it has an `errorCode`, else by its status.
    fileprivate var refusal: any Error {
        if let error = try? JSONDecoder().decode(GuardianError.self, from: body) { return error }
        let text = contentType == "text/plain" ? String(data: body, encoding: .utf8) : nil
        return NetworkError(
            NetworkError.Code(status: status), statusCode: status,
            description: text.flatMap { $0.isEmpty ? nil : String($0.prefix(1024)) })
    }

    /// What a success says. It is JSON, or has the status 204.
    fileprivate func decoded<E: Decodable>() throws -> E {
        if status == 204 {
            guard let blank = E.self as? any Blank.Type, let value = blank.init() as? E else {
                throw NetworkError(.invalidResponse, statusCode: status)
            }
            return value
        }
        guard isJSON else { throw NetworkError(.invalidResponse, statusCode: status) }
        // What the stricter reader refuses is the decoder's to judge.
        if let type = E.self as? any FromTree.Type, let tree = try? JSONParser.parse([UInt8](body)),
            let value = type.init(tree) as? E
        {
            return value
        }
        do {
            return try JSONDecoder().decode(E.self, from: body)
        } catch {
            throw NetworkError(.invalidResponse, statusCode: status, cause: error)
        }
    }
}
