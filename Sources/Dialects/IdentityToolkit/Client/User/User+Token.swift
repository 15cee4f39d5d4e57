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

    /// As ``getIDToken(forcingRefresh:)``, by the name that the original gives its Objective-C method in Swift.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
        try await token(forcingRefresh: forceRefresh)
    }

    /// As ``getIDToken(forcingRefresh:)`` with `false`; see ``AuthCompletion``.
    public func getIDToken(completion: AuthCompletion<String>?) {
        complete(completion) { try await self.token() }
    }

    /// As ``getIDToken(forcingRefresh:)``; see ``AuthCompletion``.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: AuthCompletion<String>?) {
        complete(completion) { try await self.token(forcingRefresh: forceRefresh) }
    }

    /// The ID token with what it says. Throws `malformedJWT` where it cannot be read.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try AuthTokenResult(token: try await token(forcingRefresh: forcingRefresh))
    }

    /// As ``getIDTokenResult(forcingRefresh:)`` with `false`; see ``AuthCompletion``.
    public func getIDTokenResult(completion: AuthCompletion<AuthTokenResult>?) {
        complete(completion) { try await self.getIDTokenResult() }
    }

    /// As ``getIDTokenResult(forcingRefresh:)``; see ``AuthCompletion``.
    public func getIDTokenResult(forcingRefresh: Bool, completion: AuthCompletion<AuthTokenResult>?) {
        complete(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }
}
