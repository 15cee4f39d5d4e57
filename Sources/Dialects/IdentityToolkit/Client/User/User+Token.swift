import Foundation

extension User {
    /// An ID token to show to the app's own server. It is fetched again where it would end in five minutes, or where
    /// asked.
    ///
    /// Throws, beside what every call throws, `userTokenExpired`, `userDisabled` and their like where the session is
    /// over, and then the user is signed out. Source: Firebase API reference for Swift, `User`.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        try await token(forcingRefresh: forcingRefresh)
    }

    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
        try await token(forcingRefresh: forceRefresh)
    }

    public func getIDToken(completion: AuthCompletion<String>?) {
        complete(completion) { try await self.token() }
    }

    public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: AuthCompletion<String>?) {
        complete(completion) { try await self.token(forcingRefresh: forceRefresh) }
    }

    /// The ID token with what it says. Throws `malformedJWT` where it cannot be read.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try AuthTokenResult(token: try await token(forcingRefresh: forcingRefresh))
    }

    public func getIDTokenResult(completion: AuthCompletion<AuthTokenResult>?) {
        complete(completion) { try await self.getIDTokenResult() }
    }

    public func getIDTokenResult(forcingRefresh: Bool, completion: AuthCompletion<AuthTokenResult>?) {
        complete(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }
}
