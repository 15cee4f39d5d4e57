import ClientHTTP
import Foundation
import SecurityChecksWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app at its server: handlers, headers for all requests, the server's address. Source: MobileFirst client API
/// reference.
///
/// The server is the one of ``setServerUrl(_:)``, or of the bundle's `mfpclient.plist`, or of the environment variable
/// `COUNTERSIGN_URL`. Plain http is accepted only where the host is this machine.
public final class WLClient: NSObject, Sendable {
    let session: SecuritySession

    package init(session: SecuritySession) { self.session = session }

    private static let client = WLClient(session: .shared)

    /// The one client of this process; never nil here.
    public static func sharedInstance() -> WLClient! { client }

    /// Registers a handler for the check that it names, in the place of an earlier one. Once for the life of the app.
    public func registerChallengeHandler(_ challengeHandler: BaseChallengeHandler!) {
        guard let challengeHandler else { return }
        if let gateway = challengeHandler as? GatewayChallengeHandler {
            let session = session
            gateway.forms.withLock { $0 = { try await session.send($0) } }
        }
        session.handlers.register(challengeHandler)
    }

    /// The handler for a check; nil where none is registered.
    public func getChallengeHandler(bySecurityCheck securityCheck: String!) -> BaseChallengeHandler! {
        session.handlers.handler(named: securityCheck ?? "")
    }

    /// A header that every request has from now on.
    public func addGlobalHeader(_ headerName: String!, headerValue: String!) {
        guard let headerName, let headerValue else { return }
        session.globalHeaders[headerName] = headerValue
    }

    /// Takes a header out of every later request. The name has to be spelled as it was added.
    public func removeGlobalHeader(_ headerName: String!) {
        guard let headerName else { return }
        session.globalHeaders[headerName] = nil
    }

    /// The headers that every request has; empty where none was added.
    public func getGlobalHeaders() -> [AnyHashable: Any]! { session.globalHeaders }

    /// Asks another server from now on, with a registration and tokens of its own. A path is the server's context; without
    /// one it is `/mfp`. Where it is no server's URL, every request fails with `ILLEGAL_ARGUMENT_EXCEPTION`.
    public func setServerUrl(_ url: URL!) {
        guard let url else { return }
        session.useServer(url)
    }

    /// Nil where no server is named.
    public func serverUrl() -> URL! { try? session.resourceServer().url }

    /// What the app is to the server: the key of its application there. Ours: the vendor takes both from the bundle, which a
    /// program in a terminal has not.
    public func setApplication(id: String, version: String) {
        session.useApplication(id: id, version: version)
    }

    /// Whether the app stays in when its checks' successes are over, with refresh tokens, where the server lets it: what
    /// `wlEnableRefreshToken` in `mfpclient.plist` says. Ours: a program in a terminal has no such file.
    public func setRefreshTokenEnabled(_ isEnabled: Bool) { session.useRefreshTokens(isEnabled) }

    /// - Parameter interval: seconds between two signs of life; none where it is not above 0. 420 where nothing is said.
    public func setHeartBeatInterval(_ interval: Int) {
        session.heartbeat.setInterval(interval, for: session)
    }

    /// What the server shows of this device. Registers the client where it is not.
    public func setDeviceDisplayName(
        _ displayName: String!, withCompletionHandler completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let name = displayName ?? ""
        complete(completionHandler) { try await self.setDeviceDisplayName(name) }
    }

    /// The twin of ``setDeviceDisplayName(_:withCompletionHandler:)``.
    ///
    /// - Throws: ``WLError`` where the server cannot be reached or refuses the registration.
    public func setDeviceDisplayName(_ displayName: String) async throws {
        let connection = try session.connection()
        await connection.registrar.setDisplayName(displayName)
        _ = try await connection.asClient { $0 }
    }

    /// What the client's registration says; nil where it has no such name.
    public func getDeviceDisplayName(
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        complete({ completionHandler($0 ?? nil, $1) }) { try await self.deviceDisplayName() }
    }

    /// The twin of ``getDeviceDisplayName(completionHandler:)``.
    ///
    /// - Throws: ``WLError`` where the server cannot be reached or refuses the registration.
    public func deviceDisplayName() async throws -> String? {
        try await session.connection().asClient { $0.device.deviceDisplayName }
    }

    /// Not possible here: from now on nothing is sent, since to go on without would be a lie. Let the system's trust store
    /// decide, or a proxy.
    public func pinTrustedCertificatePublicKey(fromFile certificateFilename: String!) {
        notice("Keys of certificates cannot be pinned; all requests are refused from now on.")
        session.refuseForPinnedKeys()
    }

    /// Not possible here, as ``pinTrustedCertificatePublicKey(fromFile:)``: from now on nothing is sent.
    public func pinTrustedCertificatePublicKey(fromFiles certificateFilenames: [Any]!) {
        pinTrustedCertificatePublicKey(fromFile: nil)
    }

    /// The cookies of this module's requests, in memory.
    public func HTTPCookieStorage() -> HTTPCookieStorage! { session.cookies.storage }

    /// Sends a request of Foundation's as a resource request.
    public func send(_ request: URLRequest, delegate: any WLDelegate) {
        send(request, responseQueue: CallbackQueue.completions.queue, delegate: delegate)
    }

    /// Sends a request of Foundation's as a resource request, and tells the delegate on a queue of the app's.
    public func send(_ request: URLRequest, responseQueue: DispatchQueue, delegate: any WLDelegate) {
        let delegate = DelegateReference(delegate)
        WLResourceRequest.send(ResourceCall(request), over: session, queue: responseQueue) { response, error in
            delegate.tell(response, error)
        }
    }
}

extension ResourceCall {
    init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url ?? URL(fileURLWithPath: "/"),
            headers: request.allHTTPHeaderFields ?? [:], body: request.httpBody, timeout: request.timeoutInterval)
    }
}

extension SecuritySession {
    /// Sends a gateway's login form.
    func send(_ form: GatewayForm) async throws -> WLResponse {
        guard let url = URL(string: form.url) else {
            throw WLError(.illegalArgument, "The form's URL is not valid.")
        }
        var target = url.scheme == nil ? try resourceServer().resource(url) : url
        let text = String.form(form.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        let hasBody = form.method.uppercased() != "GET"
        if !hasBody, !text.isEmpty {
            let separator = target.query == nil ? "?" : "&"
            target = URL(string: target.absoluteString + separator + text) ?? target
        }
        let headers = form.headers.merging(
            hasBody ? ["Content-Type": "application/x-www-form-urlencoded"] : [:]
        ) { own, _ in own }
        return WLResponse(
            try await send(
                form.method.uppercased(), target, headers: headers, body: hasBody ? Data(text.utf8) : nil,
                timeout: form.timeout))
    }
}
