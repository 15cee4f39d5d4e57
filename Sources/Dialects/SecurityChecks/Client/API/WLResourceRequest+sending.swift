import ClientHTTP
import Foundation

/// What a resource request ends with: an answer, an error, or, where an answer was the error, both.
public typealias WLResourceCompletion = @Sendable (WLResponse?, (any Error)?) -> Void

extension WLResourceRequest {
    /// Sends the request without a body, and calls the completion handler.
    public func send(completionHandler: @escaping WLResourceCompletion) {
        send(.none, nil, completionHandler)
    }

    /// Sends the request without a body, and calls the completion handler on a queue of the app's.
    public func send(with queue: DispatchQueue!, completionHandler: @escaping WLResourceCompletion) {
        send(.none, queue, completionHandler)
    }

    /// Sends the request with a text, as `text/plain` in UTF-8, and calls the completion handler. Methods other than
    /// POST, PUT and PATCH have no body.
    public func send(withBody body: String!, completionHandler: @escaping WLResourceCompletion) {
        send(.text(body ?? ""), nil, completionHandler)
    }

    /// Sends the request with form fields, percent-encoded, in the order of their names, and calls the completion
    /// handler. Methods other than POST, PUT and PATCH have no body.
    public func send(
        withFormParameters parameters: [AnyHashable: Any]!, completionHandler: @escaping WLResourceCompletion
    ) {
        send(.form(parameters ?? [:]), nil, completionHandler)
    }

    /// Sends the request with a JSON object, and calls the completion handler. Methods other than POST, PUT and PATCH
    /// have no body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    public func send(withJSON json: [AnyHashable: Any]!, completionHandler: @escaping WLResourceCompletion) {
        send(.json(json ?? [:]), nil, completionHandler)
    }

    /// Sends the request with bytes, as `application/octet-stream`, and calls the completion handler. Methods other
    /// than POST, PUT and PATCH have no body.
    public func send(with data: Data!, completionHandler: @escaping WLResourceCompletion) {
        send(.data(data ?? Data()), nil, completionHandler)
    }

    /// Sends the request without a body, and tells the delegate.
    public func send(with delegate: any WLDelegate) { send(.none, nil, delegate) }
    /// Sends the request with a text, as `text/plain` in UTF-8, and tells the delegate. Methods other than POST, PUT
    /// and PATCH have no body.
    public func send(withBody body: String!, delegate: any WLDelegate) { send(.text(body ?? ""), nil, delegate) }
    /// Sends the request with form fields, percent-encoded, in the order of their names, and tells the delegate.
    /// Methods other than POST, PUT and PATCH have no body.
    public func send(withFormParameters parameters: [AnyHashable: Any]!, delegate: any WLDelegate) {
        send(.form(parameters ?? [:]), nil, delegate)
    }
    /// Sends the request with a JSON object, and tells the delegate. Methods other than POST, PUT and PATCH have no
    /// body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    public func send(withJSON json: [AnyHashable: Any]!, delegate: any WLDelegate) {
        send(.json(json ?? [:]), nil, delegate)
    }
    /// Sends the request with bytes, as `application/octet-stream`, and tells the delegate. Methods other than POST,
    /// PUT and PATCH have no body.
    public func send(with data: Data!, delegate: any WLDelegate) { send(.data(data ?? Data()), nil, delegate) }

    func send(_ body: RequestBody, _ queue: DispatchQueue?, _ delegate: any WLDelegate) {
        let delegate = DelegateReference(delegate)
        send(body, queue) { response, error in delegate.tell(response, error) }
    }

    func send(_ body: RequestBody, _ queue: DispatchQueue?, _ completion: @escaping WLResourceCompletion) {
        let queue = queue ?? CallbackQueue.completions.queue
        do {
            Self.send(try call(body), over: session, queue: queue, completion)
        } catch {
            queue.async { completion(nil, error) }
        }
    }

    static func send(
        _ call: ResourceCall, over session: SecuritySession, queue: DispatchQueue,
        _ completion: @escaping WLResourceCompletion
    ) {
        complete(on: queue, { completion($0 ?? ($1 as? WLError)?.response, $1) }) {
            try await call.response(over: session)
        }
    }
}

// The asynchronous forms. Each throws ``WLError``, whose `response` is the answer where that was the failure.
extension WLResourceRequest {
    // The request is read before anything waits: what the app changes later concerns the next one.
    /// Sends the request without a body, and waits for the answer. The request is read before anything waits: later
    /// changes concern the next one.
    ///
    /// - Throws: ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send() async throws -> WLResponse {
        try await call(.none).response(over: session)
    }

    /// Sends the request with a text, as `text/plain` in UTF-8, and waits for the answer. Methods other than POST, PUT
    /// and PATCH have no body.
    ///
    /// - Throws: ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send(withBody body: String) async throws -> WLResponse {
        try await call(.text(body)).response(over: session)
    }

    /// Sends the request with form fields, percent-encoded, in the order of their names, and waits for the answer.
    /// Methods other than POST, PUT and PATCH have no body.
    ///
    /// - Throws: ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send(withFormParameters parameters: [AnyHashable: Any]) async throws
        -> WLResponse
    {
        try await call(.form(parameters)).response(over: session)
    }

    /// Sends the request with a JSON object, and waits for the answer. Methods other than POST, PUT and PATCH have no
    /// body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    ///
    /// - Throws: ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send(withJSON json: [AnyHashable: Any]) async throws -> WLResponse {
        try await call(.json(json)).response(over: session)
    }

    /// Sends the request with bytes, as `application/octet-stream`, and waits for the answer. Methods other than POST,
    /// PUT and PATCH have no body.
    ///
    /// - Throws: ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send(with data: Data) async throws -> WLResponse {
        try await call(.data(data)).response(over: session)
    }
}

extension ResourceCall {
    /// The answer where it is a success.
    func response(over session: SecuritySession) async throws -> WLResponse {
        let response = try await send(over: session)
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
        return WLResponse(response)
    }
}

/// A delegate on its way to its queue.
///
/// Unchecked because it is called once, on one queue, and the app gave it away for that call.
struct DelegateReference: @unchecked Sendable {
    private let delegate: any WLDelegate

    init(_ delegate: any WLDelegate) { self.delegate = delegate }

    func tell(_ response: WLResponse?, _ error: (any Error)?) {
        if let error {
            delegate.onFailure(WLFailResponse(anything: error))
        } else {
            delegate.onSuccess(response)
        }
    }
}
