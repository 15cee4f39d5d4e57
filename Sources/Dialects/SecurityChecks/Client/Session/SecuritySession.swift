import ClientHTTP
import ClientStorage
import Foundation
import JSON
import SecurityChecksWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Everything that the classes of this module share: the server, the handlers, the client's registration and its tokens.
/// The app has one; a test makes as many as it wants.
package final class SecuritySession: Sendable {
    private struct State: Sendable {
        var settings: ClientSettings
        var storage: any RegistrationStorage
        var keys: any ClientKeys
        var authorizationServer: ServerAddress?
        var connection: Connection?
        var globalHeaders: [String: String] = [:]
        /// Seconds.
        var loginTimeout: TimeInterval = 10
        var wantsPinnedKeys = false
    }

    private let state: Locked<State>
    private let transport: any HTTPTransport
    let now: @Sendable () -> Date
    let handlers = HandlerRegistry()
    let cookies = CookieJar()
    let heartbeat = Heartbeat()
    let handlerQueue: CallbackQueue

    package static let shared = SecuritySession(settings: .ofProcess())

    init(
        settings: ClientSettings, transport: any HTTPTransport = URLSessionTransport.shared,
        storage: any RegistrationStorage = KeychainStore(
            service: "mobilefirst", whenKeptInMemory: { MemoryNotice.say() }),
        keys: any ClientKeys = KeychainClientKeys(), handlerQueue: CallbackQueue = .handlers,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        state = Locked(State(settings: settings, storage: storage, keys: keys))
        self.transport = transport
        self.handlerQueue = handlerQueue
        self.now = now
    }

    /// For tests, and for programs with more than one server.
    package convenience init(
        applicationID: String, version: String, server: URL?, transport: any HTTPTransport = URLSessionTransport.shared,
        storage: (any RegistrationStorage)? = nil, keys: (any ClientKeys)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            settings: ClientSettings(
                applicationID: applicationID, version: version,
                environment: server.map { ["COUNTERSIGN_URL": $0.absoluteString] } ?? [:]),
            transport: transport,
            storage: storage ?? KeychainStore(service: "mobilefirst", whenKeptInMemory: { MemoryNotice.say() }),
            keys: keys ?? KeychainClientKeys(), now: now)
    }

    var settings: ClientSettings { state.current.settings }

    /// The server as it is to be asked now. Throws ``WLError`` where none is named.
    func connection() throws -> Connection {
        try state.withLock { state in
            if let connection = state.connection { return connection }
            let resources = try state.settings.address.get()
            let connection = Connection(
                session: self, address: state.authorizationServer ?? resources, settings: state.settings,
                storage: state.storage, keys: state.keys)
            state.connection = connection
            return connection
        }
    }

    /// The id that the server knows the client by; nil where there is no registration. A secret.
    package func registeredID() async throws -> String? { try await connection().registrar.known()?.id }

    /// Where resources without a host are.
    func resourceServer() throws -> ServerAddress { try state.current.settings.address.get() }

    var authorizationServer: ServerAddress? { state.current.authorizationServer }

    /// Another server, and with it another registration and other tokens.
    func useServer(_ url: URL) {
        change { $0.settings.address = Result { try ServerAddress(server: url) }.mapError(Self.fault) }
    }

    func useAuthorizationServer(_ url: URL) throws {
        let address = try ServerAddress(server: url)
        change { $0.authorizationServer = address }
    }

    func useApplication(id: String, version: String) {
        change { state in
            state.settings.application.id = id
            state.settings.application.version = version
        }
    }

    /// Asks for refresh tokens from now on, or does not; those that there were are forgotten with a no.
    func useRefreshTokens(_ isOn: Bool) {
        if !isOn { try? connection().refreshTokens.clear() }
        change { $0.settings.wantsRefreshTokens = isOn }
    }

    /// Keeps registration and keys elsewhere from now on.
    package func keep(in storage: any RegistrationStorage, keys: any ClientKeys) {
        change { state in
            state.storage = storage
            state.keys = keys
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.connection = nil
        }
    }

    private static func fault(_ error: any Error) -> WLError {
        error as? WLError ?? WLError(.illegalArgument, "\(error)")
    }

    var globalHeaders: [String: String] {
        get { state.current.globalHeaders }
        set { state.withLock { $0.globalHeaders = newValue } }
    }

    var loginTimeout: TimeInterval {
        get { state.current.loginTimeout }
        set { state.withLock { $0.loginTimeout = newValue } }
    }

    /// From now on nothing is sent: keys cannot be pinned here, and to go on without would be a lie.
    func refuseForPinnedKeys() { state.withLock { $0.wantsPinnedKeys = true } }

    /// Sends one request as it is, with the app's headers for all requests and the cookies of its host.
    ///
    /// - Throws: ``WLError`` where there is no answer, or `CancellationError`.
    func send(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil, timeout: TimeInterval = 30,
        maximumResponseBytes: Int = 4 << 20
    ) async throws -> HTTPClientResponse {
        let (global, isRefused) = state.withLock { ($0.globalHeaders, $0.wantsPinnedKeys) }
        guard !isRefused else {
            throw WLError(.unexpectedError, "The app asked for a pinned key, which this module cannot check.")
        }
        var all = global.merging(headers) { _, own in own }
        if let cookies = cookies.header(for: url) { all["Cookie"] = cookies }
        let client = HTTPClient(transport: transport, timeout: timeout, maximumResponseBytes: maximumResponseBytes)
        do {
            let response = try await client.send(method, url, headers: all, body: body)
            cookies.keep(response.headers, from: url)
            return response
        } catch let error as HTTPClientError {
            throw WLError(error)
        }
    }

    /// - Parameter whenSucceeded: called with what checks say, before handlers are.
    func engine(
        whenSucceeded: @escaping @Sendable (_ check: String, _ success: JSONValue) -> Void = { _, _ in }
    ) -> ChallengeEngine {
        ChallengeEngine(handlers: handlers, queue: handlerQueue, whenSucceeded: whenSucceeded)
    }
}

extension String {
    /// The fields of a form.
    static func form(_ fields: [(name: String, value: String?)]) -> String {
        fields.compactMap { name, value in value.map { name.percentEncoded + "=" + $0.percentEncoded } }
            .joined(separator: "&")
    }
}
