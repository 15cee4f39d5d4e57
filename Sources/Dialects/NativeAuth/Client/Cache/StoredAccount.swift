import ClientHTTP
import Foundation
import JSON
import NativeAuthWire

/// An account with its tokens as the cache keeps it: JSON, readable by every later version of this module.
struct StoredAccount: Codable, Sendable, Equatable {
    var version = 1
    /// User id and tenant id.
    var objectID: String
    var tenantID: String
    var environment: String
    var username: String
    var idToken: String
    var refreshToken: String?
    /// The newest first.
    var accessTokens: [StoredAccessToken]

    var homeAccountID: String { "\(objectID).\(tenantID)" }

    /// How many access tokens, for other scopes each, are kept.
    static let mostAccessTokens = 16

    /// The account of an answer; nil where the answer does not say whose the tokens are. Source: MSAL for iOS.
    init?(_ answer: TokenResponse, at now: Date, host: String, asked: String) {
        guard let token = StoredAccessToken(answer, at: now, asked: asked),
            let idToken = answer.idToken, let claims = JWTPayload.claims(of: idToken),
            let name = claims["preferred_username"]?.stringValue ?? claims["sub"]?.stringValue,
            let info = answer.clientInfo.flatMap(ClientInfo.init(text:)), !info.uid.isEmpty, !info.utid.isEmpty
        else { return nil }
        objectID = info.uid
        tenantID = info.utid
        environment = host
        username = name.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        self.idToken = idToken
        refreshToken = answer.refreshToken
        accessTokens = [token]
    }

    /// The account with what a refresh brought: the same account's newer tokens.
    func refreshed(_ newer: StoredAccount) -> StoredAccount {
        var account = newer
        account.refreshToken = newer.refreshToken ?? refreshToken
        let others = accessTokens.filter { old in
            !newer.accessTokens.contains { $0.covers(old.scopes) }
        }
        account.accessTokens = Array((newer.accessTokens + others).prefix(Self.mostAccessTokens))
        return account
    }

    /// The newest access token that has these scopes, expired or not.
    func accessToken(for scopes: [String]) -> StoredAccessToken? {
        accessTokens.first { $0.covers(scopes) }
    }
}

/// An access token of the cache.
struct StoredAccessToken: Codable, Sendable, Equatable {
    var token: String
    var scopes: [String]
    /// By this device's clock.
    var expiresOn: Date
    /// When the server would like it fetched again; it is good until it expires all the same.
    var refreshOn: Date?

    /// Nil where the answer has none. Scopes that the answer does not name are those that were asked for (RFC 6749,
    /// section 5.1).
    init?(_ answer: TokenResponse, at now: Date, asked: String) {
        guard let token = answer.accessToken, !token.isEmpty else { return nil }
        self.token = token
        scopes = (answer.scope ?? asked).spaceSeparated
        expiresOn = now.addingTimeInterval(TimeInterval(answer.expiresIn ?? 0))
        refreshOn = answer.refreshIn.map { now.addingTimeInterval(TimeInterval($0)) }
    }

    /// Seconds before its end at which a token is not used any more. Source: MSAL for iOS.
    static let leeway: TimeInterval = 300

    func isGood(at now: Date) -> Bool {
        expiresOn.timeIntervalSince(now) > Self.leeway && refreshOn.map { $0 > now } != false
    }

    func covers(_ asked: [String]) -> Bool {
        let own = Set(scopes.map { $0.lowercased() })
        return asked.allSatisfy { own.contains($0.lowercased()) }
    }
}
