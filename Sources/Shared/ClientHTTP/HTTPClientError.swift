import Foundation

/// Why no answer could be had. An answer that refuses is not an error here.
public struct HTTPClientError: Error, Sendable, CustomStringConvertible, LocalizedError {
    private enum Code {
        case plainHTTPRefused, unsupportedURL, responseTooLarge, timedOut, unreachable
    }

    private let code: Code
    public let description: String
    /// What the system said, where it said something.
    public let underlying: (any Error)?

    private init(_ code: Code, _ description: String, underlying: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.underlying = underlying
    }

    public var errorDescription: String? { description }

    /// The URL is `http` and its host is not this machine.
    public var isPlainHTTPRefused: Bool { code == .plainHTTPRefused }
    public var isUnsupportedURL: Bool { code == .unsupportedURL }
    public var isResponseTooLarge: Bool { code == .responseTooLarge }
    public var isTimedOut: Bool { code == .timedOut }
    public var isUnreachable: Bool { code == .unreachable }

    public static func plainHTTPRefused(host: String) -> Self {
        .init(.plainHTTPRefused, "Plain http is accepted only on this machine, and \(host) is not on it.")
    }

    public static func unsupportedURL(_ reason: String) -> Self { .init(.unsupportedURL, reason) }

    public static func responseTooLarge(limit: Int) -> Self {
        .init(.responseTooLarge, "The answer is longer than \(limit) bytes.")
    }

    public static func timedOut(after seconds: TimeInterval) -> Self {
        .init(.timedOut, "No complete answer came in \(seconds) seconds.")
    }

    public static func unreachable(_ underlying: any Error) -> Self {
        .init(.unreachable, "The server could not be reached.", underlying: underlying)
    }
}
