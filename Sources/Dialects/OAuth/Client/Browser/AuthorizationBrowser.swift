import Foundation

/// A page of the server that a user has to see, and how its answer is known.
public struct AuthorizationPage: Sendable, Equatable {
    /// Where the browser goes.
    public let url: URL
    /// Where it comes back to, with the answer in the query.
    public let redirectURI: String
    /// An answer has this `state`; one that does not is a stranger's, and changes nothing.
    public let state: String

    /// Whether that is an answer to this page.
    public func isAnswered(by url: URL) -> Bool { CallbackParameters(url)?["state"] == state }
}

/// Shows a user the server's pages: `WebAuthenticationBrowser` on Apple's systems, ``LoopbackBrowser`` on Linux and for programs
/// without windows.
public protocol AuthorizationBrowser: Sendable {
    /// Shows a page and waits for its answer.
    /// - Parameter begin: makes the page for the address that this browser comes back to.
    /// - Returns: the address with the answer.
    /// - Throws: ``ClientFailure``: cancelled, timed out, no browser; and what `begin` throws.
    func authorize(
        _ begin: @Sendable (_ redirectURI: String) async throws -> AuthorizationPage
    ) async throws -> URL
}
