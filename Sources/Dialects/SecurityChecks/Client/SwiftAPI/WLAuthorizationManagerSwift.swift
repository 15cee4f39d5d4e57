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

    public static func sharedInstance() -> WLAuthorizationManagerSwift { instance }

    /// See ``WLAuthorizationManager/obtainAccessToken(forScope:withCompletionHandler:)``.
    public func obtainAccessToken(
        forScope: String?, onCompletion: @escaping @Sendable (AccessToken?, (any Error)?) -> Void
    ) {
        manager.obtainAccessToken(forScope: forScope, withCompletionHandler: onCompletion)
    }

    public func obtainAccessToken(forScope: String?) async throws -> AccessToken {
        try await manager.obtainAccessToken(forScope: forScope)
    }

    public func clearAccessToken(accessToken: AccessToken) { manager.clearAccessToken(accessToken) }

    /// See ``WLAuthorizationManager/login(_:withCredentials:withCompletionHandler:)``.
    public func login(
        securityCheck: String, credentials: [AnyHashable: Any],
        onCompletion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        manager.login(securityCheck, withCredentials: credentials, withCompletionHandler: onCompletion)
    }

    public func login(securityCheck: String, credentials: [String: any Sendable]) async throws {
        try await manager.login(securityCheck, withCredentials: credentials)
    }

    public func logout(securityCheck: String, onCompletion: @escaping @Sendable ((any Error)?) -> Void) {
        manager.logout(securityCheck, withCompletionHandler: onCompletion)
    }

    public func logout(securityCheck: String) async throws {
        try await manager.logout(securityCheck)
    }

    public func isAuthorizationRequired(response: URLResponse) -> Bool {
        manager.isAuthorizationRequired(for: response)
    }

    public func isAuthorizationRequired(status: Int, headers: [AnyHashable: Any]) -> Bool {
        manager.isAuthorizationRequired(forStatus: Int32(clamping: status), headers: headers)
    }

    /// The scope that an answer asks for; empty where it asks for none.
    public func resourceScope(fromResponse: URLResponse) -> String { manager.resourceScope(from: fromResponse) ?? "" }

    public func resourceScope(responseHeaders: [AnyHashable: Any]) -> String {
        manager.resourceScope(fromHeaders: responseHeaders) ?? ""
    }

    public func isGatewayResponse(response: WLResponseSwift?) -> Bool {
        response.map { manager.isGatewayResponse($0.response) } ?? false
    }

    public func setLoginTimeOut(timeOut: NSNumber) { manager.setLoginTimeOut(timeOut) }
}
