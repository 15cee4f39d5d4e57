import ClientHTTP
import Foundation

/// Signs users in and knows who is signed in: the entrance to this module.
///
/// It asks the server that `useServer(_:)` or `useEmulator(withHost:port:)` named, or else the one in the environment
/// variable `COUNTERSIGN_URL`. Every method throws ``AuthErrorCode``, or `CancellationError` where its task was
/// cancelled; each, but for those of passkeys, has a twin with a completion handler, see ``AuthCompletion``. Source: Firebase API reference for
/// Swift, `Auth`.
public final class Auth: NSObject, Sendable {
    struct State: Sendable {
        var currentUser: User?
        var observers = AuthObservers()
        var location: ServerLocation
        var languageCode: String?
        var tenantID: String?
        var customAuthDomain: String?
        var userAccessGroup: String?
        var shareAuthStateAcrossDevices = false
        var settings: AuthSettings? = AuthSettings()
    }

    private let firebaseApp: FirebaseApp
    private let transport: any HTTPTransport
    private let storage: any UserStorage
    /// For apps without a key of their own.
    private let fallbackAPIKey: String?
    let now: @Sendable () -> Date
    let state: Locked<State>

    package init(
        app: FirebaseApp, transport: any HTTPTransport = URLSessionTransport.shared,
        storage: any UserStorage = InMemoryUserStorage(), environment: [String: String] = [:],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        firebaseApp = app
        self.transport = transport
        self.storage = storage
        fallbackAPIKey = environment["COUNTERSIGN_API_KEY"]
        self.now = now
        state = Locked(State(location: ServerLocation(environment: environment)))
        super.init()
        restoreUser()
    }

    private static let auths = Locked<[ObjectIdentifier: Auth]>([:])

    /// The ``Auth`` of the default app. Where none is configured, the environment makes one.
    public static func auth() -> Auth { auth(app: .defaultOrImplied) }

    /// The one ``Auth`` of an app.
    public static func auth(app: FirebaseApp) -> Auth {
        auths.withLock { auths in
            if let auth = auths[ObjectIdentifier(app)] { return auth }
            let auth = Auth(
                app: app, storage: KeychainUserStorage(), environment: ProcessInfo.processInfo.environment)
            auths[ObjectIdentifier(app)] = auth
            return auth
        }
    }

    static func forget(_ app: FirebaseApp) {
        auths.withLock { $0[ObjectIdentifier(app)] = nil }
    }

    /// The app whose options and user this ``Auth`` has; never nil here.
    public var app: FirebaseApp? { firebaseApp }

    /// The signed-in user, or nil.
    public var currentUser: User? { state.withLock { $0.currentUser } }

    /// The language of mails, as a BCP 47 tag; nil leaves it to the server.
    public var languageCode: String? {
        get { state.withLock { $0.languageCode } }
        set { state.withLock { $0.languageCode = newValue } }
    }

    /// Mails in the language that the app runs in.
    public func useAppLanguage() { languageCode = Locale.preferredLanguages.first }

    /// The tenant in which users sign in; nil for none.
    public var tenantID: String? {
        get { state.withLock { $0.tenantID } }
        set { state.withLock { $0.tenantID = newValue } }
    }

    /// Kept for the sake of the API; sign-in by web pages is not part of this module.
    public var customAuthDomain: String? {
        get { state.withLock { $0.customAuthDomain } }
        set { state.withLock { $0.customAuthDomain = newValue } }
    }

    /// Kept for the sake of the API; has no effect yet.
    public var userAccessGroup: String? {
        get { state.withLock { $0.userAccessGroup } }
        set { state.withLock { $0.userAccessGroup = newValue } }
    }

    /// Kept for the sake of the API; has no effect yet.
    public var shareAuthStateAcrossDevices: Bool {
        get { state.withLock { $0.shareAuthStateAcrossDevices } }
        set { state.withLock { $0.shareAuthStateAcrossDevices = newValue } }
    }

    /// The switches of this ``Auth``; an app may put others in their place.
    public var settings: AuthSettings? {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Asks this server from now on. Plain http is accepted only where the host is this machine; elsewhere every call
    /// fails with `insecureConnectionRefused`. A path in the URL stays in front of the protocol's own.
    public func useServer(_ url: URL) {
        state.withLock { $0.location = ServerLocation(url: url) }
    }

    /// Asks a server in development, always over plain http, whatever its host. An IPv6 address may come with or
    /// without brackets. Where host or port cannot be, every call fails with `serverNotConfigured`. Source: Firebase
    /// API reference for Swift, `Auth`.
    public func useEmulator(withHost host: String, port: Int) {
        state.withLock {
            $0.location = ServerLocation(emulatorHost: host, port: port)
            $0.settings?.appVerificationDisabledForTesting = true
        }
    }

    /// The server as it is to be asked now.
    var backend: Backend {
        let (location, language) = state.withLock { ($0.location, $0.languageCode) }
        let options = firebaseApp.options
        var headers = ["X-Client-Version": "Swift/Countersign/1"]
        headers["X-Firebase-Locale"] = language
        headers["X-Ios-Bundle-Identifier"] = options.bundleID ?? Bundle.main.bundleIdentifier
        headers["X-Firebase-GMPID"] = options.googleAppID.isEmpty ? nil : options.googleAppID
        return Backend(
            location: location, transport: transport, apiKey: options.apiKey ?? fallbackAPIKey ?? "", headers: headers)
    }
}

// The signed-in user: who it is, stored, and passed to the observers. All of it happens under one lock, so that
// storage, memory and observers see the changes in the same order. A user's own lock is taken inside it, never around
// it.
extension Auth {
    private func restoreUser() {
        let user: User?
        do {
            user = try storage.user(forApp: firebaseApp.name).map { User(auth: self, stored: try StoredUser(data: $0)) }
        } catch {
            notice("The stored user cannot be read and is passed over: \(error)")
            user = nil
        }
        state.withLock { $0.currentUser = user }
    }

    /// Makes this the signed-in user, in the storage first. Throws `keychainError`, and then nothing has changed.
    func setCurrentUser(_ user: User?) throws {
        try state.withLock { state in
            do {
                if let user {
                    try storage.save(user.stored().data(), forApp: firebaseApp.name)
                } else {
                    try storage.removeUser(forApp: firebaseApp.name)
                }
            } catch {
                throw AuthErrorCode(.keychainError, userInfo: [NSUnderlyingErrorKey: error as NSError])
            }
            state.currentUser = user
            state.observers.tell(of: self, user: user)
        }
    }

    /// The user has a new token or new data: to be stored before they are used.
    ///
    /// A storage that fails is no reason to fail the caller, who is signed in; the log says it.
    func userDidChange(_ user: User, tokenIsNew: Bool) {
        state.withLock { state in
            guard state.currentUser === user else { return }
            do {
                try storage.save(user.stored().data(), forApp: firebaseApp.name)
            } catch {
                notice("The user could not be stored: \(error)")
            }
            if tokenIsNew { state.observers.tell(of: self, user: user) }
        }
    }

    /// Signs the user out where it is the current one, whatever the storage says.
    func forceSignOut(of user: User) {
        state.withLock { state in
            guard state.currentUser === user else { return }
            do {
                try storage.removeUser(forApp: firebaseApp.name)
            } catch {
                notice("The signed-out user could not be removed from the storage: \(error)")
            }
            state.currentUser = nil
            state.observers.tell(of: self, user: nil)
        }
    }

    /// Makes a user of this process the signed-in one; where it is another ``Auth``'s, a copy of it.
    ///
    /// Throws `tenantIDMismatch` where the user belongs to another tenant than ``tenantID``.
    public func updateCurrentUser(_ user: User) async throws {
        guard user.tenantID == tenantID else { throw AuthErrorCode(.tenantIDMismatch) }
        try setCurrentUser(user.auth === self ? user : User(auth: self, stored: user.stored()))
    }

    /// As ``updateCurrentUser(_:)``; see ``AuthVoidCompletion``. Nil ends with `nullUser`: it does not sign out.
    public func updateCurrentUser(_ user: User?, completion: AuthVoidCompletion? = nil) {
        complete(completion) {
            guard let user else { throw AuthErrorCode(.nullUser) }
            try await self.updateCurrentUser(user)
        }
    }

    /// Forgets the signed-in user on this device. The server is not told, as the protocol has no word for it: the session there ends when
    /// its refresh token is not used any more, or by its user or an administrator. Throws `keychainError` where the storage cannot be changed; the
    /// user then stays signed in.
    public func signOut() throws {
        guard currentUser != nil else { return }
        try setCurrentUser(nil)
    }
}
