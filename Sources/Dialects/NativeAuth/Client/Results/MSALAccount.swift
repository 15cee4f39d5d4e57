import ClientHTTP
import Foundation
import JSON

/// A signed-in user, as the ID token describes them.
public final class MSALAccount: NSObject, Sendable {
    /// The token's `preferred_username`, or else `sub`; in lower case.
    public let username: String?
    /// The same for ever, over all apps: user id and tenant id with a dot between.
    public let identifier: String?
    /// The server's host.
    public let environment: String
    /// Whether the account came from another app of this device: never here.
    public let isSSOAccount = false
    /// The parts of ``identifier``; never nil here.
    public let homeAccountId: MSALAccountId?
    private let claims: [String: JSONValue]

    init(_ stored: StoredAccount) {
        claims = JWTPayload.claims(of: stored.idToken) ?? [:]
        username = stored.username
        identifier = stored.homeAccountID
        environment = stored.environment
        homeAccountId = MSALAccountId(
            identifier: stored.homeAccountID, objectId: stored.objectID, tenantId: stored.tenantID)
    }

    /// What the ID token says, by the claims' names; its header's members are not among them.
    public var accountClaims: [String: Any]? { claims.mapValues(\.foundationValue) }

    /// The one tenant that the account is of.
    public var tenantProfiles: [MSALTenantProfile]? {
        guard let homeAccountId else { return nil }
        return [
            MSALTenantProfile(
                identifier: homeAccountId.objectId, environment: environment, tenantId: homeAccountId.tenantId,
                values: claims)
        ]
    }
}

/// An account's identifier, whole and in parts.
public final class MSALAccountId: NSObject, Sendable {
    /// The whole: ``objectId`` and ``tenantId`` with a dot between.
    public let identifier: String
    /// The user's id: `uid` of the answer's `client_info`, and `oid` of the tokens.
    public let objectId: String
    /// The tenant's id: `utid` of the answer's `client_info`, and `tid` of the tokens.
    public let tenantId: String

    init(identifier: String, objectId: String, tenantId: String) {
        self.identifier = identifier
        self.objectId = objectId
        self.tenantId = tenantId
    }
}

/// An account as a tenant knows it.
public final class MSALTenantProfile: NSObject, Sendable {
    /// The user's id in this tenant: ``MSALAccountId/objectId``.
    public let identifier: String?
    /// The server's host.
    public let environment: String?
    /// The tenant's id.
    public let tenantId: String?
    /// Whether the account belongs to this tenant: always here, where an account has one.
    public let isHomeTenantProfile = true
    private let values: [String: JSONValue]

    init(identifier: String?, environment: String?, tenantId: String?, values: [String: JSONValue]) {
        self.identifier = identifier
        self.environment = environment
        self.tenantId = tenantId
        self.values = values
    }

    /// What the ID token says, as ``MSALAccount/accountClaims``.
    public var claims: [String: Any]? { values.mapValues(\.foundationValue) }
}
