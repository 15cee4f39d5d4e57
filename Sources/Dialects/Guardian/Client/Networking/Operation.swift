import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Something that a server is asked, once it is started (Guardian.swift, `Operation`).
public protocol Operation: CustomDebugStringConvertible, CustomStringConvertible, Sendable {
    /// What is sent as the body.
    associatedtype T
    /// What a success gives.
    associatedtype E: Sendable

    /// Sends through a session of the app's own, with that session's rules for redirects, cookies and proxies. Otherwise
    /// requests keep no cookies, no cache and no credentials, and follow no redirect to elsewhere.
    func withURLSession(_ session: URLSession) -> Self

    /// Watches the request and its answer.
    func on(request: OnRequestEvent?, response: OnResponseEvent?) -> Self

    /// Puts an error of the app's own in place of an answer that is no success. Nil leaves it as it is. Not called for
    /// successes that cannot be read, nor where no answer came.
    func mapError(transform: @escaping @Sendable (HTTPURLResponse, Data?) -> (any Error)?) -> Self

    /// Sends. A request that cannot be sent calls back before this returns, any other on a thread of the system's, never
    /// on the main thread for certain.
    ///
    /// `Result` is Swift's: `case .success(let device)` and `case .failure(let cause)` match as with the original's own.
    func start(callback: @escaping @Sendable (Result<E, any Error>) -> Void)

    /// Sends and waits. Throws what the callback of ``start(callback:)`` would be given, or `CancellationError`.
    @discardableResult
    func start() async throws -> E
}
