import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tokens, logins and logouts. Completions come on a queue of their own. Every `async` form throws ``WLError``, or
/// `CancellationError` where its task was cancelled. Source: MobileFirst client API reference.
public final class WLAuthorizationManager: NSObject, Sendable {
    let session: SecuritySession

    package init(session: SecuritySession) { self.session = session }

    private static let manager = WLAuthorizationManager(session: .shared)

    /// The one manager of this process, over the same server, registration and tokens as ``WLClient``; never nil here.
    public static func sharedInstance() -> WLAuthorizationManager! { manager }

    /// A token for a scope; from memory where there is one that can still be used. Handlers are asked where checks challenge.
    ///
    /// - Parameter scope: elements with blanks between them; nil asks for what every registered client may have.
    public func obtainAccessToken(
        forScope scope: String!,
        withCompletionHandler completionHandler: @escaping @Sendable (AccessToken?, (any Error)?) -> Void
    ) {
        let scope = scope ?? ""
        complete(completionHandler) { try await self.obtainAccessToken(forScope: scope) }
    }

    /// The twin of ``obtainAccessToken(forScope:withCompletionHandler:)``.
    ///
    /// - Throws: ``WLError``: `AUTHORIZATION_FAILURE` where the scope is not granted, `CHALLENGE_HANDLING_CANCELED` by a handler's `cancel()`,
    ///   `MISSING_CHALLENGE_HANDLER` where no handler has the check's name.
    public func obtainAccessToken(forScope scope: String?) async throws -> AccessToken {
        try await session.connection().token(for: Scope(scope ?? ""))
    }

    /// Forgets a token that a resource did not accept, so that the next one is new.
    public func clearAccessToken(_ accessToken: AccessToken!) {
        guard let accessToken else { return }
        try? session.connection().tokens.withLock { $0.drop(accessToken) }
    }

    /// Answers a check before it asks. The completion comes when the check is satisfied, refuses, or its handler cancels.
    /// There is no token then: what needs one gets it without being asked.
    public func login(
        _ securityCheck: String!, withCredentials credentials: [AnyHashable: Any]!,
        withCompletionHandler completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let check = securityCheck ?? ""
        let answer = Result { try JSONValue(foundation: credentials ?? [:]) }
        complete(completionHandler) { try await self.session.connection().login(check, try answer.get()) }
    }

    /// The twin of ``login(_:withCredentials:withCompletionHandler:)``.
    ///
    /// - Parameter credentials: what can be written as JSON; anything else is `ILLEGAL_ARGUMENT_EXCEPTION`.
    /// - Throws: ``WLError``, as for a token; `LOGIN_ALREADY_IN_PROCESS` while another login goes on.
    public func login(_ securityCheck: String, withCredentials credentials: [String: any Sendable]) async throws {
        try await session.connection().login(securityCheck, try JSONValue(foundation: credentials))
    }

    /// Takes back what a check granted to this client, and forgets all tokens.
    public func logout(
        _ securityCheck: String!, withCompletionHandler completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let check = securityCheck ?? ""
        complete(completionHandler) { try await self.logout(check) }
    }

    /// The twin of ``logout(_:withCompletionHandler:)``.
    ///
    /// - Throws: ``WLError``: `AUTHORIZATION_FAILURE` before the client is registered and while an authorization goes
    ///   on, `LOGOUT_ALREADY_IN_PROCESS`.
    public func logout(_ securityCheck: String) async throws {
        try await session.connection().logout(securityCheck)
    }

    /// Whether an answer asks for a token.
    public func isAuthorizationRequired(for response: URLResponse!) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        return isAuthorizationRequired(
            forStatus: Int32(clamping: response.statusCode), headers: response.allHeaderFields)
    }

    /// Whether an answer with this status and these headers asks for a token: 401 with a `Bearer` challenge, or 403
    /// with `insufficient_scope` (RFC 6750, section 3). The case of the headers' names does not matter.
    public func isAuthorizationRequired(forStatus status: Int32, headers: [AnyHashable: Any]!) -> Bool {
        switch ResourceReaction(status: Int(status), headers: Self.lowercased(headers)) {
        case .token, .freshToken: true
        case .done, .conflict: false
        }
    }

    /// The scope that an answer asks for, the one of every registered client included; nil where it asks for none.
    public func resourceScope(from response: URLResponse!) -> String! {
        resourceScope(fromHeaders: (response as? HTTPURLResponse)?.allHeaderFields)
    }

    /// The scope that the `WWW-Authenticate` among these headers asks for, the one of every registered client included;
    /// nil where it asks for none. The case of the headers' names does not matter.
    public func resourceScope(fromHeaders headers: [AnyHashable: Any]!) -> String! {
        let text = Self.lowercased(headers)[HeaderName.authenticate.lowercased()]
        guard case .bearer(_, let scope?)? = text.flatMap(AuthenticateHeader.init) else { return nil }
        return scope.union(.registeredClient).text
    }

    /// Whether a gateway's handler knows the answer as its gateway's. Asks the handlers on the caller's thread.
    public func isGatewayResponse(_ response: WLResponse!) -> Bool {
        session.handlers.gateways.contains { $0.handler.canHandleResponse(response) }
    }

    /// - Parameter timeOut: seconds for each request of a login; 10 where nothing is said.
    public func setLoginTimeOut(_ timeOut: NSNumber!) {
        guard let seconds = timeOut?.doubleValue, seconds > 0, seconds.isFinite else { return }
        session.loginTimeout = seconds
    }

    /// Where tokens are had, where that is not the server of the resources.
    public func setAuthorizationServerURL(_ url: URL!) {
        guard let url else { return }
        do {
            try session.useAuthorizationServer(url)
        } catch {
            notice("setAuthorizationServerURL: \(error)")
        }
    }

    /// What ``setAuthorizationServerURL(_:)`` named; nil where the resources' server gives tokens too.
    public var authorizationServerURL: URL! { session.authorizationServer?.url }

    private static func lowercased(_ headers: [AnyHashable: Any]?) -> [String: String] {
        (headers ?? [:]).reduce(into: [:]) { $0["\($1.key.base)".lowercased()] = "\($1.value)" }
    }
}
