/// `POST v1/accounts:lookup` (legacy `getAccountInfo`): the account of an ID token; with a bearer, under
/// `projects/{p}`, the accounts with any of the given identifiers. Source: REST reference of Identity Platform, v1
/// `accounts.lookup`.
public struct LookupRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var localId: [String]?
    public var email: [String]?
    public var phoneNumber: [String]?
    public var federatedUserId: [FederatedUserIdentifier]?
    public var initialEmail: [String]?
    public var tenantId: String?
    public var clientType: String?
    public var targetProjectId: String?

    public init(
        idToken: String? = nil, localId: [String]? = nil, email: [String]? = nil, phoneNumber: [String]? = nil,
        federatedUserId: [FederatedUserIdentifier]? = nil, initialEmail: [String]? = nil, tenantId: String? = nil,
        clientType: String? = nil, targetProjectId: String? = nil
    ) {
        self.idToken = idToken
        self.localId = localId
        self.email = email
        self.phoneNumber = phoneNumber
        self.federatedUserId = federatedUserId
        self.initialEmail = initialEmail
        self.tenantId = tenantId
        self.clientType = clientType
        self.targetProjectId = targetProjectId
    }
}

/// An identity at another provider by which an administrator looks an account up. Source: REST reference of Identity
/// Platform, v1 `accounts.lookup`.
public struct FederatedUserIdentifier: Codable, Sendable, Equatable {
    public var providerId: String?
    public var rawId: String?

    public init(providerId: String? = nil, rawId: String? = nil) {
        self.providerId = providerId
        self.rawId = rawId
    }
}

/// The answer to ``LookupRequest``. `users` is left out where no user was found. Source: REST reference of Identity
/// Platform, v1 `accounts.lookup`.
public struct LookupResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var users: [Account]?

    public init(kind: String? = "identitytoolkit#GetAccountInfoResponse", users: [Account]? = nil) {
        self.kind = kind
        self.users = users
    }
}
