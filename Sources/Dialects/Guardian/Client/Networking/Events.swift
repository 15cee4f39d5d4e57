import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Called with each request. Runs in `start` itself, unless the signing key may prompt: then once it has signed.
public typealias OnRequestEvent = @Sendable (RequestEvent) -> Void
/// Called with each answer, whatever its status.
public typealias OnResponseEvent = @Sendable (ResponseEvent) -> Void

/// A request as a program that watches it with ``Operation/on(request:response:)`` is shown it.
public struct RequestEvent: Sendable {
    /// As it is sent, with its authorization and its body: keep it out of logs.
    public let request: URLRequest
}

/// An answer as a program that watches it with ``Operation/on(request:response:)`` is shown it.
public struct ResponseEvent: Sendable {
    /// Its status and headers.
    public let response: HTTPURLResponse
    /// Its body, empty where there is none. The answer to an enrolment has secrets in it: keep it out of logs.
    public let data: Data?
    /// How much is left, where the server says it.
    public let rateLimit: RateLimit?
}

/// What the headers `X-RateLimit-…` say.
public struct RateLimit: Sendable, Equatable {
    /// How many requests the server takes in its window: `X-RateLimit-Limit`.
    public let limit: Int
    /// How many of them are left: `X-RateLimit-Remaining`.
    public let remaining: Int
    /// When there are more again: `X-RateLimit-Reset`, in seconds since 1970.
    public let resetAt: Date

    /// Nil unless all three are there.
    init?(_ response: HTTPURLResponse) {
        func number(_ name: String) -> Int? {
            response.value(forHTTPHeaderField: "X-RateLimit-\(name)").flatMap { Int($0) }
        }
        guard let limit = number("Limit"), let remaining = number("Remaining"), let reset = number("Reset") else {
            return nil
        }
        self.limit = limit
        self.remaining = remaining
        resetAt = Date(timeIntervalSince1970: TimeInterval(reset))
    }
}
