import ClientHTTP
import Foundation

/// What a resource request ends with: an answer, an error, or, where an answer was the error, both.
public typealias WLResourceCompletion = @Sendable (WLResponse?, (any Error)?) -> Void

extension WLResourceRequest {
    public func send(completionHandler: @escaping WLResourceCompletion) {
        send(.none, nil, completionHandler)
    }

    public func send(with queue: DispatchQueue!, completionHandler: @escaping WLResourceCompletion) {
        send(.none, queue, completionHandler)
    }

    public func send(withBody body: String!, completionHandler: @escaping WLResourceCompletion) {
        send(.text(body ?? ""), nil, completionHandler)
    }

    public func send(
        withFormParameters parameters: [AnyHashable: Any]!, completionHandler: @escaping WLResourceCompletion
    ) {
        send(.form(parameters ?? [:]), nil, completionHandler)
    }

    public func send(withJSON json: [AnyHashable: Any]!, completionHandler: @escaping WLResourceCompletion) {
        send(.json(json ?? [:]), nil, completionHandler)
    }

    public func send(with data: Data!, completionHandler: @escaping WLResourceCompletion) {
        send(.data(data ?? Data()), nil, completionHandler)
    }

    public func send(with delegate: any WLDelegate) { send(.none, nil, delegate) }
    public func send(withBody body: String!, delegate: any WLDelegate) { send(.text(body ?? ""), nil, delegate) }
    public func send(withFormParameters parameters: [AnyHashable: Any]!, delegate: any WLDelegate) {
        send(.form(parameters ?? [:]), nil, delegate)
    }
    public func send(withJSON json: [AnyHashable: Any]!, delegate: any WLDelegate) {
        send(.json(json ?? [:]), nil, delegate)
    }
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
    nonisolated(nonsending) public func send() async throws -> WLResponse {
        try await call(.none).response(over: session)
    }

    nonisolated(nonsending) public func send(withBody body: String) async throws -> WLResponse {
        try await call(.text(body)).response(over: session)
    }

    nonisolated(nonsending) public func send(withFormParameters parameters: [AnyHashable: Any]) async throws
        -> WLResponse
    {
        try await call(.form(parameters)).response(over: session)
    }

    nonisolated(nonsending) public func send(withJSON json: [AnyHashable: Any]) async throws -> WLResponse {
        try await call(.json(json)).response(over: session)
    }

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
