import ClientHTTP
import Foundation
import IdentityToolkitWire

/// A user who is signed in, or was: the object keeps its own session.
///
/// The properties are what the server last said; ``reload()`` asks again. A call that learns that the session is over
/// (the account is gone or disabled, the tokens are no longer accepted) signs the user out of their ``Auth`` as well
/// as throwing.
///
/// Where the original puts a new object in place after a second factor was enrolled, here the same object changes, so
/// that no copy keeps an old refresh token. Source: Firebase API reference for Swift, `User`.
public final class User: NSObject, UserInfo, Sendable {
    private struct State: Sendable {
        var profile: Profile
        var session: SessionState
        /// Of the enrolment that was begun last.
        var passkeyName: String?
    }

    let auth: Auth
    /// The account's id; the server's `localId`.
    public let uid: String
    private let state: Locked<State>

    init(auth: Auth, uid: String, profile: Profile, tokens: SessionTokens) {
        self.auth = auth
        self.uid = uid
        state = Locked(State(profile: profile, session: SessionState(tokens)))
    }

    convenience init(auth: Auth, stored: StoredUser) {
        self.init(auth: auth, uid: stored.uid, profile: stored.profile, tokens: stored.tokens)
    }

    func stored() -> StoredUser {
        state.withLock { StoredUser(uid: uid, profile: $0.profile, tokens: $0.session.tokens) }
    }

    var profile: Profile { state.withLock { $0.profile } }
    var passkeyName: String? { state.withLock { $0.passkeyName } }
    func rememberPasskeyName(_ name: String) { state.withLock { $0.passkeyName = name } }

    /// Always `Firebase`.
    public var providerID: String { "Firebase" }
    /// The account's address; nil where it has none. See ``isEmailVerified``.
    public var email: String? { profile.email }
    /// What the user wants to be called, up to 256 characters; changed by ``createProfileChangeRequest()``.
    public var displayName: String? { profile.displayName }
    /// Where the user's picture is, up to 2,048 bytes of URL; changed by ``createProfileChangeRequest()``. The server
    /// does not look at the picture.
    public var photoURL: URL? { profile.photoURL }
    /// The account's phone number, which only an administrator can set on this server: it has no sign-in by phone.
    public var phoneNumber: String? { profile.phoneNumber }
    /// Whether the account has neither address nor phone nor other identity, and began with
    /// ``Auth/signInAnonymously()``.
    public var isAnonymous: Bool { profile.isAnonymous }
    /// Whether the user has followed a link that was mailed to ``email``, or an administrator vouches for it.
    public var isEmailVerified: Bool { profile.isEmailVerified }
    /// The tenant that the server named; nil for none. On this server all tenants have the same users.
    public var tenantID: String? { profile.tenantID }
    /// The identities with which the account can be signed in to.
    public var providerData: [any UserInfo] { profile.providers.map(ProviderIdentity.init) }
    /// When the account was made and last signed in to.
    public var metadata: UserMetadata {
        let profile = profile
        return UserMetadata(creationDate: profile.creationDate, lastSignInDate: profile.lastSignInDate)
    }
    /// The second factors.
    public var multiFactor: MultiFactor { MultiFactor(of: self) }
    /// The newest refresh token. The server takes each once; an app has no use for it but to show that there is one.
    public var refreshToken: String? { state.withLock { $0.session.tokens.refreshToken } }
}

// The session.
extension User {
    /// An ID token that is valid for five minutes at least, or a fresh one. However many ask at once, one refresh is
    /// sent.
    ///
    /// A cancelled caller does not cancel the refresh: its answer holds the only refresh token that the server still
    /// takes.
    func token(forcingRefresh: Bool = false) async throws -> String {
        let now = auth.now()
        let answer = state.withLock {
            $0.session.token(forcingRefresh: forcingRefresh, now: now) { refreshToken, generation in
                Task { try await self.refresh(with: refreshToken, generation) }
            }
        }
        return switch answer {
        case .token(let token): token
        case .refresh(let refresh): try await refresh.value
        }
    }

    private func refresh(with refreshToken: String, _ generation: Int) async throws -> String {
        do {
            let request = TokenRequest(grantType: "refresh_token", refreshToken: refreshToken)
            let answer = try await auth.backend.token(request)
            let tokens = try SessionTokens(
                idToken: answer.accessToken ?? answer.idToken, refreshToken: answer.refreshToken ?? refreshToken,
                expiresIn: answer.expiresIn, now: auth.now())
            let counts = state.withLock { $0.session.endRefresh(of: generation, with: tokens) }
            if counts { auth.userDidChange(self, tokenIsNew: true) }
            return state.withLock { $0.session.tokens.idToken }
        } catch {
            let counts = state.withLock { $0.session.endRefresh(of: generation, with: nil) }
            if counts { signOut(after: error) }
            throw error
        }
    }

    /// Tokens that came with the answer to something else.
    func adopt(_ tokens: SessionTokens) {
        state.withLock { $0.session.adopt(tokens) }
        auth.userDidChange(self, tokenIsNew: true)
    }

    /// The tokens and data of another sign-in to the same account.
    func adoptSession(of other: User) {
        let stored = other.stored()
        state.withLock {
            $0.profile = stored.profile
            $0.session.adopt(stored.tokens)
        }
        auth.userDidChange(self, tokenIsNew: true)
    }

    func changeProfile(_ change: (inout Profile) -> Void) {
        state.withLock { change(&$0.profile) }
        auth.userDidChange(self, tokenIsNew: false)
    }

    /// Calls the server with an ID token. Where it says that the session is over, the user is signed out; but not
    /// where other tokens came meanwhile (with a changed password, say), since the refusal is about the old ones.
    func withToken<Answer: Sendable>(_ call: (Backend, String) async throws -> Answer) async throws -> Answer {
        let token = try await token()
        do {
            return try await call(auth.backend, token)
        } catch {
            if state.withLock({ $0.session.tokens.idToken }) == token { signOut(after: error) }
            throw error
        }
    }

    /// Source: Firebase API reference for Swift, `User`.
    private func signOut(after error: any Error) {
        switch (error as? AuthErrorCode)?.code {
        case .userNotFound, .userDisabled, .invalidUserToken, .userTokenExpired: auth.forceSignOut(of: self)
        default: break
        }
    }

    /// Asks the server for the account's data.
    func refreshProfile() async throws {
        let answer = try await withToken { backend, token in
            try await backend.lookup(LookupRequest(idToken: token, tenantId: self.tenantID))
        }
        let account = try answer.onlyAccount()
        guard account.localId == uid else { throw AuthErrorCode.malformed("The answer is about another account.") }
        let now = auth.now()
        changeProfile { $0 = Profile(account, isAnonymous: $0.isAnonymous, now: now) }
    }
}

extension LookupResponse {
    /// Exactly one account is expected. Source: Firebase API reference for Swift, `User`.
    func onlyAccount() throws -> Account {
        guard let users, users.count == 1, let account = users.first, account.localId?.nonEmpty != nil else {
            throw AuthErrorCode.malformed("The answer does not name exactly one account.")
        }
        return account
    }
}
