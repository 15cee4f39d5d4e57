import Foundation
import IdentityToolkitWire

/// What an Apple client says that it is; servers of the protocol know no other word for a Swift client.
let clientType = "CLIENT_TYPE_IOS"

extension Auth {
    /// Signs in with address and password.
    ///
    /// Throws `secondFactorRequired` where the account has a second factor; the error's `userInfo` then holds a
    /// ``MultiFactorResolver`` under ``AuthErrorUserInfoMultiFactorResolverKey``. Throws `wrongPassword` at once for an
    /// empty password, and `invalidCredential`, `userDisabled`, `invalidEmail` or `tooManyRequests` as the server says.
    /// Source: Firebase API reference for Swift, `Auth`.
    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// As ``signIn(withEmail:password:)``; see ``AuthCompletion``.
    public func signIn(withEmail email: String, password: String, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.signIn(withEmail: email, password: password) }
    }

    /// Signs in with the link of a mail that ``sendSignInLink(toEmail:actionCodeSettings:)`` had sent.
    ///
    /// Throws `invalidActionCode` where it is no such link or was used, and `secondFactorRequired`.
    @discardableResult
    public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// As ``signIn(withEmail:link:)``; see ``AuthCompletion``.
    public func signIn(withEmail email: String, link: String, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.signIn(withEmail: email, link: link) }
    }

    /// Signs in with a credential of ``EmailAuthProvider``. Throws as ``signIn(withEmail:password:)`` or ``signIn(withEmail:link:)`` does, by what
    /// the credential is of.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        let result = try await authenticate(with: credential)
        try setCurrentUser(result.user)
        return result
    }

    /// As ``signIn(with:)``; see ``AuthCompletion``.
    public func signIn(with credential: AuthCredential, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.signIn(with: credential) }
    }

    /// Makes an account without an identity, on this device only. A user who is signed in anonymously stays signed in.
    ///
    /// Throws `adminRestrictedOperation` where the server allows no anonymous users, and `tooManyRequests` after too many new
    /// accounts.
    @discardableResult
    public func signInAnonymously() async throws -> AuthDataResult {
        if let user = currentUser, user.isAnonymous {
            return AuthDataResult(user: user, additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: false))
        }
        let answer = try await backend.signUp(
            SignUpRequest(tenantId: tenantID, returnSecureToken: true, clientType: clientType))
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn, now: now())
        let user = try await retrieveUser(tokens, isAnonymous: true)
        try setCurrentUser(user)
        return AuthDataResult(user: user, additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: true))
    }

    /// As ``signInAnonymously()``; see ``AuthCompletion``.
    public func signInAnonymously(completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.signInAnonymously() }
    }

    /// Signs in with a token that the app's own server signed. Throws `invalidCustomToken` or `customTokenMismatch`.
    @discardableResult
    public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
        let answer = try await backend.signIn(
            SignInWithCustomTokenRequest(token: token, returnSecureToken: true, tenantId: tenantID))
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn, now: now())
        let user = try await retrieveUser(tokens)
        try setCurrentUser(user)
        return AuthDataResult(
            user: user, additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: answer.isNewUser ?? false))
    }

    /// As ``signIn(withCustomToken:)``; see ``AuthCompletion``.
    public func signIn(withCustomToken token: String, completion: AuthCompletion<AuthDataResult>? = nil) {
        complete(completion) { try await self.signIn(withCustomToken: token) }
    }

    /// Makes an account and signs in to it.
    ///
    /// Throws at once `weakPassword` for an empty password and `missingEmail` for an empty address;
    /// `emailAlreadyInUse`, `invalidEmail`, `weakPassword`, `passwordDoesNotMeetRequirements` or `operationNotAllowed` as
    /// the server says, and `adminRestrictedOperation` where sign-up is closed. Source: Firebase API reference for Swift,
    /// `Auth`.
    @discardableResult
    public func createUser(withEmail email: String, password: String) async throws -> AuthDataResult {
        guard !password.isEmpty else { throw AuthErrorCode.refused(.weakPassword, because: "Missing password") }
        guard !email.isEmpty else { throw AuthErrorCode(.missingEmail) }
        let answer = try await backend.signUp(
            SignUpRequest(
                email: email, password: password, tenantId: tenantID, returnSecureToken: true, clientType: clientType))
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn, now: now())
        let user = try await retrieveUser(tokens)
        try setCurrentUser(user)
        return AuthDataResult(
            user: user, additionalUserInfo: AdditionalUserInfo(providerID: EmailAuthProvider.id, isNewUser: true))
    }

    /// As ``createUser(withEmail:password:)``; see ``AuthCompletion``.
    public func createUser(
        withEmail email: String, password: String, completion: AuthCompletion<AuthDataResult>? = nil
    ) {
        complete(completion) { try await self.createUser(withEmail: email, password: password) }
    }
}

extension Auth {
    /// Signs in without becoming the signed-in user: what sign-in and reauthentication have in common.
    func authenticate(with credential: AuthCredential) async throws -> AuthDataResult {
        guard let credential = credential as? EmailAuthCredential else {
            throw AuthErrorCode.refused(.operationNotAllowed, because: "Only addresses sign in here.")
        }
        switch credential.secret {
        case .password(let password):
            guard !password.isEmpty else { throw AuthErrorCode(.wrongPassword) }
            let answer = try await backend.signIn(
                SignInWithPasswordRequest(
                    email: credential.email, password: password, returnSecureToken: true, tenantId: tenantID,
                    clientType: clientType))
            return try await finish(
                answer, additionalUserInfo: AdditionalUserInfo(providerID: EmailAuthProvider.id, isNewUser: false))
        case .link(let link):
            let answer = try await backend.signIn(
                SignInWithEmailLinkRequest(
                    email: credential.email, oobCode: try ActionCodeURL.code(ofSignInLink: link),
                    returnSecureToken: true, tenantId: tenantID, clientType: clientType))
            return try await finish(
                answer,
                additionalUserInfo: AdditionalUserInfo(
                    providerID: EmailAuthProvider.id, isNewUser: answer.isNewUser ?? false))
        }
    }

    /// The user of the answer, or `secondFactorRequired` with what finishes the sign-in.
    func finish(
        _ answer: some FirstFactorAnswer, additionalUserInfo: AdditionalUserInfo?
    ) async throws -> AuthDataResult {
        if answer.idToken == nil, let factors = answer.mfaInfo {
            guard let pending = answer.mfaPendingCredential?.nonEmpty else {
                throw AuthErrorCode.malformed("The answer asks for a second factor without a pending credential.")
            }
            let hints = factors.compactMap { Profile.Factor($0, now: now()) }.map(MultiFactorInfo.of)
            let resolver = MultiFactorResolver(auth: self, pendingCredential: pending, hints: hints)
            throw AuthErrorCode(
                .secondFactorRequired, userInfo: [AuthErrorUserInfoMultiFactorResolverKey: resolver])
        }
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn, now: now())
        return AuthDataResult(
            user: try await retrieveUser(tokens), additionalUserInfo: additionalUserInfo)
    }

    /// The user of the tokens, with the account's data.
    func retrieveUser(_ tokens: SessionTokens, isAnonymous: Bool = false) async throws -> User {
        let answer = try await backend.lookup(LookupRequest(idToken: tokens.idToken, tenantId: tenantID))
        let account = try answer.onlyAccount()
        let profile = Profile(account, isAnonymous: isAnonymous, now: now())
        return User(auth: self, uid: account.localId ?? "", profile: profile, tokens: tokens)
    }
}

/// Tokens, or the question for a second factor. Source: Firebase API reference for Swift, `Auth`.
protocol FirstFactorAnswer: Sendable {
    var idToken: String? { get }
    var refreshToken: String? { get }
    var expiresIn: Int64String? { get }
    var mfaPendingCredential: String? { get }
    var mfaInfo: [MFAEnrollment]? { get }
}

extension SignInWithPasswordResponse: FirstFactorAnswer {}
extension SignInWithEmailLinkResponse: FirstFactorAnswer {}
