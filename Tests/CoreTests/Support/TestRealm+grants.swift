import Foundation

@testable import CountersignCore

extension TestRealm {
    private static let callback = "https://app.example.org/callback"

    /// A code that an application got for a session, whatever has become of the session since.
    /// - Returns: nil where the user was deleted.
    func code(
        on session: SessionID, of user: UserID, terms: GrantTerms = GrantTerms(), for application: ClientID
    ) async throws -> Secret<String>? {
        let (realm, now) = (realm, now)
        let draft = AuthorizationCodeDraft(random: random)
        let code = AuthorizationCode(
            client: application.rawValue, redirectURI: Self.callback, scopes: terms.scopes, details: terms.details,
            audiences: terms.audiences, session: session)
        return try await store.write { transaction in
            try draft.issue(code, of: user, at: now, sealer: realm.sealer, in: transaction)
        }
    }

    /// Redeems a code of ``code(on:of:terms:for:)``.
    /// - Parameter client: who asks; the application is put in.
    func redeem(
        _ code: Secret<String>, for application: ClientID,
        demanding demand: Sessions.SecondFactorDemand = .whereRequired, by client: ClientContext? = nil
    ) async throws -> AuthorizationCodes.Redemption {
        var client = client ?? self.client
        client.clientID = application
        return try await realm.authorizationCodes.redeem(
            code,
            presented: AuthorizationCode.Presented(client: application.rawValue, redirectURI: Self.callback),
            secondFactor: demand, by: client)
    }

    /// What an application gets of a session by a code.
    func openGrant(
        on session: SessionID, of user: UserID, terms: GrantTerms = GrantTerms(), for application: ClientID,
        demanding demand: Sessions.SecondFactorDemand = .whereRequired, by client: ClientContext? = nil
    ) async throws -> AuthorizationCodes.Redemption {
        guard let code = try await self.code(on: session, of: user, terms: terms, for: application) else {
            return .refused(.ended)
        }
        return try await redeem(code, for: application, demanding: demand, by: client)
    }
}
