import Foundation

/// ``WLResourceRequest`` with the labels of the vendor's wrapper.
public class WLResourceRequestSwift: NSObject {
    /// The method `GET` of HTTP, for a request's `method`.
    public static let WLHttpMethodGet = "GET"
    /// The method `POST` of HTTP, for a request's `method`.
    public static let WLHttpMethodPost = "POST"
    /// The method `PUT` of HTTP, for a request's `method`.
    public static let WLHttpMethodPut = "PUT"
    /// The method `DELETE` of HTTP, for a request's `method`.
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

    /// See ``WLResourceRequest/init(url:method:)``. An empty method is `GET`.
    public convenience init(url: URL, method: String) {
        self.init(session: .shared, url: url, method: method)
    }

    /// See ``WLResourceRequest/init(url:method:scope:)``. An empty method is `GET`.
    public convenience init(url: URL, method: String, scope: String) {
        self.init(session: .shared, url: url, method: method, scope: scope)
    }

    /// See ``WLResourceRequest/init(url:method:timeout:)``: seconds. An empty method is `GET`.
    public convenience init(url: URL, method: String, timeout: TimeInterval) {
        self.init(session: .shared, url: url, method: method, timeout: timeout)
    }

    /// See ``WLResourceRequest/init(url:method:timeout:scope:)``: seconds. An empty method is `GET`.
    public convenience init(url: URL, method: String, timeout: TimeInterval, scope: String) {
        self.init(session: .shared, url: url, method: method, timeout: timeout, scope: scope)
    }

    /// See ``WLResourceRequest/setQueryParameterValue(_:forName:)``.
    public func setQueryParameterValue(parameterValue: String, forName: String) {
        request.setQueryParameterValue(parameterValue, forName: forName)
    }

    /// See ``WLResourceRequest/queryString``; empty where there are no parameters.
    public func getQueryString() -> String { request.queryString }
    /// See ``WLResourceRequest/headerNames``.
    public func headerNames() -> [Any] { request.headerNames }
    /// See ``WLResourceRequest/headers(forName:)``.
    public func headers(forName: String) -> [Any] { request.headers(forName: forName) }
    /// Empty where there is none.
    public func header(forName: String) -> String { request.header(forName: forName) ?? "" }
    /// See ``WLResourceRequest/setHeaderValue(_:forName:)``.
    public func setHeaderValue(value: NSObject, forName: String) { request.setHeaderValue(value, forName: forName) }
    /// See ``WLResourceRequest/addHeaderValue(_:forName:)``.
    public func addHeaderValue(value: NSObject, forName: String) { request.addHeaderValue(value, forName: forName) }
    /// See ``WLResourceRequest/removeHeaders(forName:)``.
    public func removeHeaders(forName: String) { request.removeHeaders(forName: forName) }
}

/// As ``WLResourceCompletion``.
public typealias WLResourceCompletionSwift = @Sendable (WLResponseSwift?, (any Error)?) -> Void

// Four forms for each kind of body: with a completion or a delegate, on a queue of the app's or on one of ours.
extension WLResourceRequestSwift {
    /// Sends the request without a body, and calls the completion handler.
    public func send(onCompletion: @escaping WLResourceCompletionSwift) { send(.none, nil, onCompletion) }
    /// Sends the request without a body, and calls the completion handler on a queue of the app's.
    public func send(withQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.none, withQueue, onCompletion)
    }
    /// Sends the request without a body, and tells the delegate.
    ///
    /// - Parameter withDelegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withDelegate: Any) { send(.none, nil, delegate: withDelegate) }
    /// Sends the request without a body, and tells the delegate on a queue of the app's.
    ///
    /// - Parameter withDelegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(responseQueue: DispatchQueue, withDelegate: Any) {
        send(.none, responseQueue, delegate: withDelegate)
    }

    /// Sends the request with a text, as `text/plain` in UTF-8, and calls the completion handler. Methods other than
    /// POST, PUT and PATCH have no body.
    public func send(withBody: String, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.text(withBody), nil, onCompletion)
    }
    /// Sends the request with a text, as `text/plain` in UTF-8, and calls the completion handler on a queue of the
    /// app's. Methods other than POST, PUT and PATCH have no body.
    public func send(
        withBody: String, responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.text(withBody), responseQueue, onCompletion) }
    /// Sends the request with a text, as `text/plain` in UTF-8, and tells the delegate. Methods other than POST, PUT
    /// and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withBody: String, delegate: Any) { send(.text(withBody), nil, delegate: delegate) }
    /// Sends the request with a text, as `text/plain` in UTF-8, and tells the delegate on a queue of the app's. Methods
    /// other than POST, PUT and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withBody: String, responseQueue: DispatchQueue, delegate: Any) {
        send(.text(withBody), responseQueue, delegate: delegate)
    }

    /// Sends the request with form fields, percent-encoded, in the order of their names, and calls the completion
    /// handler. Methods other than POST, PUT and PATCH have no body.
    public func send(withFormParameters: [AnyHashable: Any], onCompletion: @escaping WLResourceCompletionSwift) {
        send(.form(withFormParameters), nil, onCompletion)
    }
    /// Sends the request with form fields, percent-encoded, in the order of their names, and calls the completion
    /// handler on a queue of the app's. Methods other than POST, PUT and PATCH have no body.
    public func send(
        withFormParameters: [AnyHashable: Any], responseQueue: DispatchQueue,
        onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.form(withFormParameters), responseQueue, onCompletion) }
    /// Sends the request with form fields, percent-encoded, in the order of their names, and tells the delegate.
    /// Methods other than POST, PUT and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withFormParameters: [AnyHashable: Any], delegate: Any) {
        send(.form(withFormParameters), nil, delegate: delegate)
    }
    /// Sends the request with form fields, percent-encoded, in the order of their names, and tells the delegate on a
    /// queue of the app's. Methods other than POST, PUT and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withFormParameters: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: Any) {
        send(.form(withFormParameters), responseQueue, delegate: delegate)
    }

    /// Sends the request with a JSON object, and calls the completion handler. Methods other than POST, PUT and PATCH
    /// have no body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    public func send(withJSON: [AnyHashable: Any], onCompletion: @escaping WLResourceCompletionSwift) {
        send(.json(withJSON), nil, onCompletion)
    }
    /// Sends the request with a JSON object, and calls the completion handler on a queue of the app's. Methods other
    /// than POST, PUT and PATCH have no body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    public func send(
        withJSON: [AnyHashable: Any], responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.json(withJSON), responseQueue, onCompletion) }
    /// Sends the request with a JSON object, and tells the delegate. Methods other than POST, PUT and PATCH have no
    /// body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withJSON: [AnyHashable: Any], delegate: Any) { send(.json(withJSON), nil, delegate: delegate) }
    /// Sends the request with a JSON object, and tells the delegate on a queue of the app's. Methods other than POST,
    /// PUT and PATCH have no body. What JSON does not have is refused with `ILLEGAL_ARGUMENT_EXCEPTION`.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withJSON: [AnyHashable: Any], responseQueue: DispatchQueue, delegate: Any) {
        send(.json(withJSON), responseQueue, delegate: delegate)
    }

    /// Sends the request with bytes, as `application/octet-stream`, and calls the completion handler. Methods other
    /// than POST, PUT and PATCH have no body.
    public func send(withData: Data, onCompletion: @escaping WLResourceCompletionSwift) {
        send(.data(withData), nil, onCompletion)
    }
    /// Sends the request with bytes, as `application/octet-stream`, and calls the completion handler on a queue of the
    /// app's. Methods other than POST, PUT and PATCH have no body.
    public func send(
        withData: Data, responseQueue: DispatchQueue, onCompletion: @escaping WLResourceCompletionSwift
    ) { send(.data(withData), responseQueue, onCompletion) }
    /// Sends the request with bytes, as `application/octet-stream`, and tells the delegate. Methods other than POST,
    /// PUT and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
    public func send(withData: Data, delegate: Any) { send(.data(withData), nil, delegate: delegate) }
    /// Sends the request with bytes, as `application/octet-stream`, and tells the delegate on a queue of the app's.
    /// Methods other than POST, PUT and PATCH have no body.
    ///
    /// - Parameter delegate: a ``WLDelegateSwift`` or ``WLDelegate``; any other object is told nothing, and the log
    ///   says so.
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
