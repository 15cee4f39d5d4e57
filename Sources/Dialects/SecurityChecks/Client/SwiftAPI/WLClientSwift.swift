import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// ``WLClient`` with the labels of the vendor's wrapper.
public final class WLClientSwift: NSObject, Sendable {
    private let client: WLClient

    package init(session: SecuritySession) { client = WLClient(session: session) }

    private static let instance = WLClientSwift(session: .shared)

    /// The one client of this process, over the same server and handlers as ``WLClient``'s.
    public static func sharedInstance() -> WLClientSwift { instance }

    /// See ``WLClient/registerChallengeHandler(_:)``.
    public func registerChallengeHandler(challengeHandler: BaseChallengeHandler) {
        client.registerChallengeHandler(challengeHandler)
    }

    /// The handler for a check; nil where none is registered.
    public func getChallengeHandler(bySecurityCheck: String) -> BaseChallengeHandler! {
        client.getChallengeHandler(bySecurityCheck: bySecurityCheck)
    }

    /// See ``WLClient/addGlobalHeader(_:headerValue:)``.
    public func addGlobalHeader(headerName: String, headerValue: String) {
        client.addGlobalHeader(headerName, headerValue: headerValue)
    }

    /// See ``WLClient/removeGlobalHeader(_:)``.
    public func removeGlobalHeader(headerName: String) { client.removeGlobalHeader(headerName) }
    /// See ``WLClient/getGlobalHeaders()``.
    public func getGlobalHeaders() -> [AnyHashable: Any] { client.getGlobalHeaders() }

    /// See ``WLClient/setServerUrl(_:)``.
    public func setServerUrl(url: URL) { client.setServerUrl(url) }
    /// Nil where no server is named.
    public func serverUrl() -> URL! { client.serverUrl() }

    /// See ``WLClient/setApplication(id:version:)``.
    public func setApplication(id: String, version: String) { client.setApplication(id: id, version: version) }

    /// See ``WLClient/setRefreshTokenEnabled(_:)``.
    public func setRefreshTokenEnabled(enabled: Bool) { client.setRefreshTokenEnabled(enabled) }

    /// See ``WLClient/setHeartBeatInterval(_:)``.
    public func setHeartBeatInterval(interval: Int) { client.setHeartBeatInterval(interval) }

    /// See ``WLClient/setDeviceDisplayName(_:withCompletionHandler:)``.
    public func setDeviceDisplayName(
        displayName: String, onCompletion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        client.setDeviceDisplayName(displayName, withCompletionHandler: onCompletion)
    }

    /// See ``WLClient/getDeviceDisplayName(completionHandler:)``.
    public func getDeviceDisplayName(onCompletion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        client.getDeviceDisplayName(completionHandler: onCompletion)
    }

    /// See ``WLClient/pinTrustedCertificatePublicKey(fromFile:)``: not possible here, and refused.
    public func pinTrustedCertificatePublicKey(certificateFilename: String) {
        client.pinTrustedCertificatePublicKey(fromFile: certificateFilename)
    }

    /// See ``WLClient/pinTrustedCertificatePublicKey(fromFiles:)``: not possible here, and refused.
    public func pinTrustedCertificatePublicKey(certificateFilenames: [Any]) {
        client.pinTrustedCertificatePublicKey(fromFiles: certificateFilenames)
    }

    /// The cookies of this module's requests, in memory.
    public func HTTPCookieStorage() -> HTTPCookieStorage { client.session.cookies.storage }

    /// - Parameter delegate: a ``WLDelegateSwift``.
    public func send(request: URLRequest, delegate: Any) {
        send(request: request, responseQueue: CallbackQueue.completions.queue, delegate: delegate)
    }

    /// As ``send(request:delegate:)``, with a queue of the app's for the delegate.
    public func send(request: URLRequest, responseQueue: DispatchQueue, delegate: Any) {
        let delegate = AnyDelegateReference(delegate)
        WLResourceRequest.send(ResourceCall(request), over: client.session, queue: responseQueue) { response, error in
            delegate.tell(response, error)
        }
    }
}
