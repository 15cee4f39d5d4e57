import ClientHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``WLAuthorizationManager`` with the labels of the vendor's wrapper.
public final class WLAuthorizationManagerSwift: Sendable {
    private let manager: WLAuthorizationManager

    package init(session: SecuritySession) { manager = WLAuthorizationManager(session: session) }

    private static let instance = WLAuthorizationManagerSwift(session: .shared)

    /// The one manager of this process, over the same server, registration and tokens as ``WLAuthorizationManager``'s.
    public static func sharedInstance() -> WLAuthorizationManagerSwift { instance }

    /// See ``WLAuthorizationManager/obtainAccessToken(forScope:withCompletionHandler:)``.
    public func obtainAccessToken(
        forScope: String?, onCompletion: @escaping @Sendable (AccessToken?, (any Error)?) -> Void
    ) {
        manager.obtainAccessToken(forScope: forScope, withCompletionHandler: onCompletion)
    }

    /// The twin of ``obtainAccessToken(forScope:onCompletion:)``. Throws ``WLError``.
    public func obtainAccessToken(forScope: String?) async throws -> AccessToken {
        try await manager.obtainAccessToken(forScope: forScope)
    }

    /// See ``WLAuthorizationManager/clearAccessToken(_:)``.
    public func clearAccessToken(accessToken: AccessToken) { manager.clearAccessToken(accessToken) }

    /// See ``WLAuthorizationManager/login(_:withCredentials:withCompletionHandler:)``.
    public func login(
        securityCheck: String, credentials: [AnyHashable: Any],
        onCompletion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        manager.login(securityCheck, withCredentials: credentials, withCompletionHandler: onCompletion)
    }

    /// The twin of ``login(securityCheck:credentials:onCompletion:)``. Throws ``WLError``.
    public func login(securityCheck: String, credentials: [String: any Sendable]) async throws {
        try await manager.login(securityCheck, withCredentials: credentials)
    }

    /// See ``WLAuthorizationManager/logout(_:withCompletionHandler:)``.
    public func logout(securityCheck: String, onCompletion: @escaping @Sendable ((any Error)?) -> Void) {
        manager.logout(securityCheck, withCompletionHandler: onCompletion)
    }

    /// The twin of ``logout(securityCheck:onCompletion:)``. Throws ``WLError``.
    public func logout(securityCheck: String) async throws {
        try await manager.logout(securityCheck)
    }

    /// See ``WLAuthorizationManager/isAuthorizationRequired(for:)``.
    public func isAuthorizationRequired(response: URLResponse) -> Bool {
        manager.isAuthorizationRequired(for: response)
    }

    /// See ``WLAuthorizationManager/isAuthorizationRequired(forStatus:headers:)``.
    public func isAuthorizationRequired(status: Int, headers: [AnyHashable: Any]) -> Bool {
        manager.isAuthorizationRequired(forStatus: Int32(clamping: status), headers: headers)
    }

    /// The scope that an answer asks for; empty where it asks for none.
    public func resourceScope(fromResponse: URLResponse) -> String { manager.resourceScope(from: fromResponse) ?? "" }

    /// The scope that an answer with these headers asks for; empty where it asks for none.
    public func resourceScope(responseHeaders: [AnyHashable: Any]) -> String {
        manager.resourceScope(fromHeaders: responseHeaders) ?? ""
    }

    /// See ``WLAuthorizationManager/isGatewayResponse(_:)``; false for nil.
    public func isGatewayResponse(response: WLResponseSwift?) -> Bool {
        response.map { manager.isGatewayResponse($0.response) } ?? false
    }

    /// See ``WLAuthorizationManager/setLoginTimeOut(_:)``: seconds, 10 where nothing is said.
    public func setLoginTimeOut(timeOut: NSNumber) { manager.setLoginTimeOut(timeOut) }
}
