import ClientHTTP
import Foundation

/// A signed-in user on this device, with access to their tokens.
public final class MSALNativeAuthUserAccountResult: NSObject, Sendable {
    private let client: NativeAuthClient
    private let stored: Locked<StoredAccount>
    private let correlationID: UUID

    init(client: NativeAuthClient, stored: StoredAccount, correlationID: UUID) {
        self.client = client
        self.stored = Locked(stored)
        self.correlationID = correlationID
    }

    /// As the newest ID token has it.
    public var account: MSALAccount { MSALAccount(stored.current) }

    /// The newest ID token as it came. Its signature was not verified: an app's back end must do that.
    public var idToken: String? { stored.current.idToken }

    /// Gets an access token: from the cache while it is valid for another five minutes, else from the server.
    public func getAccessToken(parameters: MSALNativeAuthGetAccessTokenParameters, delegate: any CredentialsDelegate) {
        let wish = AccessTokenWish(parameters, correlationID)
        answer(delegate, wish.correlationID) { await self.accessToken(wish) }
    }

    /// The twin of ``getAccessToken(parameters:delegate:)``.
    nonisolated(nonsending) public func getAccessToken(
        parameters: MSALNativeAuthGetAccessTokenParameters
    ) async -> RetrieveAccessTokenOutcome {
        await accessToken(AccessTokenWish(parameters, correlationID))
    }

    /// Forgets the account and its tokens on this device. The server is not notified: its refresh token stays good
    /// until it ends by itself.
    public func signOut() {
        client.forget(stored.current.homeAccountID, correlationID)
    }

    private func accessToken(_ wish: AccessTokenWish) async -> RetrieveAccessTokenOutcome {
        do throws(Failure) {
            let (newer, token) = try await client.accessToken(of: stored.current.homeAccountID, wish)
            stored.withLock { $0 = newer }
            return .completed(
                result: MSALNativeAuthTokenResult(
                    accessToken: token.token, refreshToken: wish.returnsRefreshToken ? newer.refreshToken : nil,
                    scopes: token.scopes, expiresOn: token.expiresOn))
        } catch {
            return .error(RetrieveAccessTokenError(error))
        }
    }
}
