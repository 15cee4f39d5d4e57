import Foundation

/// ``WLResourceRequest`` with the labels of the vendor's wrapper.
public class WLResourceRequestSwift: NSObject {
    public static let WLHttpMethodGet = "GET"
    public static let WLHttpMethodPost = "POST"
    public static let WLHttpMethodPut = "PUT"
    public static let WLHttpMethodDelete = "DELETE"

    let request: WLResourceRequest

    /// An empty method is `GET`.
    package init(session: SecuritySession, url: URL, method: String, timeout: TimeInterval = 30, scope: String? = nil) {
        let method = method.isEmpty ? Self.WLHttpMethodGet : method
        guard
            let request = WLResourceRequest(
                session: session, url: url, method: method, timeout: timeout, scope: scope)
        else { preconditionFailure("There are a URL and a method.") }
        self.request = request
    }

    public convenience init(url: URL, method: String) {
        self.init(session: .shared, url: url, method: method)
    }

    public convenience init(url: URL, method: String, scope: String) {
        self.init(session: .shared, url: url, method: method, scope: scope)
    }

    public convenience init(url: URL, method: String, timeout: TimeInterval) {
        self.init(session: .shared, url: url, method: method, timeout: timeout)
    }

    public convenience init(url: URL, method: String, timeout: TimeInterval, scope: String) {
        self.init(session: .shared, url: url, method: method, timeout: timeout, scope: scope)
    }

    public func setQueryParameterValue(parameterValue: String, forName: String) {
        request.setQueryParameterValue(parameterValue, forName: forName)
    }

    public func getQueryString() -> String { request.queryString }
    public func headerNames() -> [Any] { request.headerNames }
    public func headers(forName: String) -> [Any] { request.headers(forName: forName) }
    /// Empty where there is none.
    public func header(forName: String) -> String { request.header(forName: forName) ?? "" }
    public func setHeaderValue(value: NSObject, forName: String) { request.setHeaderValue(value, forName: forName) }
    public func addHeaderValue(value: NSObject, forName: String) { request.addHeaderValue(value, forName: forName) }
    public func removeHeaders(forName: String) { request.removeHeaders(forName: forName) }
}

/// As ``WLResourceCompletion``.
public typealias WLResourceCompletionSwift = @Sendable (WLResponseSwift?, (any Error)?) -> Void

// Four forms for each kind of body: with a completion or a delegate, on a queue of the app's or on one of ours.
extension WLResourceRequestSwift {
    public func send(onCompletion: @escaping WLResourceCompletionSwift) { send(.none, nil, onCompletion) }
    public func send(withQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.none, withQueue, onCompletion)
    }
    public func send(withDelegate: Any) { send(.none, nil, delegate: withDelegate) }
    public func send(responseQueue: DispatchQueue, withDelegate: Any) {
        send(.none, responseQueue, delegate: withDelegate)
    }

    public func send(withBody: String, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.text(withBody), nil, onCompletion)
    }
    public func send(
        withBody: String, responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.text(withBody), responseQueue, onCompletion) }
    public func send(withBody: String, delegate: Any) { send(.text(withBody), nil, delegate: delegate) }
    public func send(withBody: String, responseQueue: DispatchQueue, delegate: Any) {
        send(.text(withBody), responseQueue, delegate: delegate)
    }

    public func send(withFormParameters: [AnyHashable: Any], onCompletion: @escaping WLResourceCompletionSwift) {
        send(.form(withFormParameters), nil, onCompletion)
    }
    public func send(
        withFormParameters: [AnyHashable: Any], responseQueue: DispatchQueue,
        onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.form(withFormParameters), responseQueue, onCompletion) }
    public func send(withFormParameters: [AnyHashable: Any], delegate: Any) {
        send(.form(withFormParameters), nil, delegate: delegate)
    }
    public func send(withFormParameters: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: Any) {
        send(.form(withFormParameters), responseQueue, delegate: delegate)
    }

    public func send(withJSON: [AnyHashable: Any], onCompletion: @escaping WLResourceCompletionSwift) {
        send(.json(withJSON), nil, onCompletion)
    }
    public func send(
        withJSON: [AnyHashable: Any], responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.json(withJSON), responseQueue, onCompletion) }
    public func send(withJSON: [AnyHashable: Any], delegate: Any) { send(.json(withJSON), nil, delegate: delegate) }
    public func send(withJSON: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: Any) {
        send(.json(withJSON), responseQueue, delegate: delegate)
    }

    public func send(withData: Data, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.data(withData), nil, onCompletion)
    }
    public func send(
        withData: Data, responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.data(withData), responseQueue, onCompletion) }
    public func send(withData: Data, delegate: Any) { send(.data(withData), nil, delegate: delegate) }
    public func send(withData: Data, responseQueue: DispatchQueue, delegate: Any) {
        send(.data(withData), responseQueue, delegate: delegate)
    }

    /// Throws ``WLError``, whose `response` is the answer where that was the failure.
    nonisolated(nonsending) public func send() async throws -> WLResponseSwift {
        WLResponseSwift(try await request.send())
    }

    private func send(_ body: RequestBody, _ queue: DispatchQueue?, _ completion: @escaping WLResourceCompletionSwift) {
        request.send(body, queue) { response, error in
            completion(response.map { WLResponseSwift($0, error: error) }, error)
        }
    }

    private func send(_ body: RequestBody, _ queue: DispatchQueue?, delegate: Any) {
        let delegate = AnyDelegateReference(delegate)
        request.send(body, queue) { response, error in delegate.tell(response, error) }
    }
}
