import Foundation

/// Why there is no sign-in, or no token. What the network refuses is an `HTTPClientError` inside.
public struct ClientFailure: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What happened, for programs to decide by.
    public enum Code: Sendable, Equatable {
        /// No user has signed in, or the sign-in has ended: sign in (again).
        case notSignedIn
        /// The user closed the browser, or said no.
        case cancelled
        /// The user did not finish in time.
        case timedOut
        /// There is no browser, or no port for its answer.
        case noBrowser
        /// The server cannot be reached.
        case unreachable
        /// The server refused: its `error` (RFC 6749, sections 4.1.2.1 and 5.2).
        case refused(String)
        /// The metadata, the answer or the ID token are not this issuer's, or not for this request. Nothing of it is used.
        case untrusted
        /// The server cannot do what is asked.
        case unsupported
        /// The keychain refused.
        case storage
    }

    /// What happened, for programs to decide by.
    public let code: Code
    public let description: String
    /// What the system or the keychain said, where either did.
    public let underlying: (any Error)?

    init(_ code: Code, _ description: String, underlying: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.underlying = underlying
    }

    public var errorDescription: String? { description }

    static func untrusted(_ description: String) -> Self { .init(.untrusted, description) }

    /// What a server said in refusal. Its words are bounded and printable: they end in dialogs and terminals.
    static func refused(_ error: String, _ details: String?) -> Self {
        func printable(_ text: String, _ length: Int) -> String {
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }.prefix(length)))
        }
        let error = printable(error, 64)
        let code: Code = error == "access_denied" ? .cancelled : .refused(error)
        let details = details.map { printable($0, 200) } ?? ""
        return .init(code, details.isEmpty ? "The server refused: \(error)." : "\(details) (\(error))")
    }
}
