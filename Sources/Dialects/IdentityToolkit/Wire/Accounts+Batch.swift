/// `POST v1/projects/{p}/accounts:batchCreate` (legacy `uploadAccount`): accounts move in, with their password hashes.
/// Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchCreateAccountsRequest: Codable, Sendable, Equatable {
    public var users: [Account]?
    /// For instance `BCRYPT`, `SCRYPT`, `STANDARD_SCRYPT`, `PBKDF2_SHA256`, `HMAC_SHA256`.
    public var hashAlgorithm: String?
    /// Base64.
    public var signerKey: String?
    /// Base64.
    public var saltSeparator: String?
    public var rounds: Int?
    public var memoryCost: Int?
    public var cpuMemCost: Int?
    public var parallelization: Int?
    public var blockSize: Int?
    public var dkLen: Int?
    /// `SALT_AND_PASSWORD` or `PASSWORD_AND_SALT`.
    public var passwordHashOrder: String?
    public var argon2Parameters: Argon2Parameters?
    public var sanityCheck: Bool?
    public var allowOverwrite: Bool?
    public var tenantId: String?
    public var targetProjectId: String?

    public init(
        users: [Account]? = nil, hashAlgorithm: String? = nil, signerKey: String? = nil, saltSeparator: String? = nil,
        rounds: Int? = nil, memoryCost: Int? = nil, cpuMemCost: Int? = nil, parallelization: Int? = nil,
        blockSize: Int? = nil, dkLen: Int? = nil, passwordHashOrder: String? = nil,
        argon2Parameters: Argon2Parameters? = nil, sanityCheck: Bool? = nil, allowOverwrite: Bool? = nil,
        tenantId: String? = nil, targetProjectId: String? = nil
    ) {
        self.users = users
        self.hashAlgorithm = hashAlgorithm
        self.signerKey = signerKey
        self.saltSeparator = saltSeparator
        self.rounds = rounds
        self.memoryCost = memoryCost
        self.cpuMemCost = cpuMemCost
        self.parallelization = parallelization
        self.blockSize = blockSize
        self.dkLen = dkLen
        self.passwordHashOrder = passwordHashOrder
        self.argon2Parameters = argon2Parameters
        self.sanityCheck = sanityCheck
        self.allowOverwrite = allowOverwrite
        self.tenantId = tenantId
        self.targetProjectId = targetProjectId
    }
}

/// What `ARGON2` needs to know. Source: Identity Platform's REST reference, `Argon2Parameters`.
public struct Argon2Parameters: Codable, Sendable, Equatable {
    public var hashLengthBytes: Int?
    /// `ARGON2_D`, `ARGON2_I` or `ARGON2_ID`.
    public var hashType: String?
    public var parallelism: Int?
    public var iterations: Int?
    public var memoryCostKib: Int?
    /// `VERSION_10` or `VERSION_13`.
    public var version: String?
    /// Base64.
    public var associatedData: String?

    public init(
        hashLengthBytes: Int? = nil, hashType: String? = nil, parallelism: Int? = nil, iterations: Int? = nil,
        memoryCostKib: Int? = nil, version: String? = nil, associatedData: String? = nil
    ) {
        self.hashLengthBytes = hashLengthBytes
        self.hashType = hashType
        self.parallelism = parallelism
        self.iterations = iterations
        self.memoryCostKib = memoryCostKib
        self.version = version
        self.associatedData = associatedData
    }
}

/// The answer to ``BatchCreateAccountsRequest``: one entry for each row that was refused; absent where none was.
/// Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchCreateAccountsResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var error: [BatchCreateError]?

    public init(kind: String? = "identitytoolkit#UploadAccountResponse", error: [BatchCreateError]? = nil) {
        self.kind = kind
        self.error = error
    }
}

/// A row that was not imported. Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchCreateError: Codable, Sendable, Equatable {
    public var index: Int?
    public var message: String?

    public init(index: Int? = nil, message: String? = nil) {
        self.index = index
        self.message = message
    }
}

/// The answer to `GET v1/projects/{p}/accounts:batchGet?maxResults&nextPageToken` (legacy `downloadAccount`). Source:
/// REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchGetAccountsResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var users: [Account]?
    public var nextPageToken: String?

    public init(
        kind: String? = "identitytoolkit#DownloadAccountResponse", users: [Account]? = nil,
        nextPageToken: String? = nil
    ) {
        self.kind = kind
        self.users = users
        self.nextPageToken = nextPageToken
    }
}

/// The body of the legacy `downloadAccount`, whose query items are fields. Source: REST reference of Identity Platform,
/// v1 `projects.accounts`.
public struct DownloadAccountRequest: Codable, Sendable, Equatable {
    public var maxResults: Int?
    public var nextPageToken: String?
    public var targetProjectId: String?
    public var tenantId: String?

    public init(
        maxResults: Int? = nil, nextPageToken: String? = nil, targetProjectId: String? = nil, tenantId: String? = nil
    ) {
        self.maxResults = maxResults
        self.nextPageToken = nextPageToken
        self.targetProjectId = targetProjectId
        self.tenantId = tenantId
    }
}

/// `POST v1/projects/{p}/accounts:batchDelete`. Without `force` only disabled accounts go. Source: REST reference of
/// Identity Platform, v1 `projects.accounts`.
public struct BatchDeleteAccountsRequest: Codable, Sendable, Equatable {
    public var localIds: [String]?
    public var force: Bool?
    public var tenantId: String?

    public init(localIds: [String]? = nil, force: Bool? = nil, tenantId: String? = nil) {
        self.localIds = localIds
        self.force = force
        self.tenantId = tenantId
    }
}

/// The answer to ``BatchDeleteAccountsRequest``. Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchDeleteAccountsResponse: Codable, Sendable, Equatable {
    public var errors: [BatchDeleteError]?

    public init(errors: [BatchDeleteError]? = nil) {
        self.errors = errors
    }
}

/// An account that was not deleted. Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct BatchDeleteError: Codable, Sendable, Equatable {
    public var index: Int?
    public var localId: String?
    public var message: String?

    public init(index: Int? = nil, localId: String? = nil, message: String? = nil) {
        self.index = index
        self.localId = localId
        self.message = message
    }
}

/// `POST v1/projects/{p}/accounts:query` and `projects/{p}:queryAccounts`. Source: REST reference of Identity Platform,
/// v1 `projects.accounts`.
public struct QueryAccountsRequest: Codable, Sendable, Equatable {
    /// False asks for the number of accounts alone.
    public var returnUserInfo: Bool?
    public var limit: Int64String?
    public var offset: Int64String?
    /// For instance `USER_ID`, `USER_EMAIL`, `CREATED_AT`.
    public var sortBy: String?
    /// `ASC` or `DESC`.
    public var order: String?
    public var expression: [AccountExpression]?
    public var tenantId: String?

    public init(
        returnUserInfo: Bool? = nil, limit: Int64String? = nil, offset: Int64String? = nil, sortBy: String? = nil,
        order: String? = nil, expression: [AccountExpression]? = nil, tenantId: String? = nil
    ) {
        self.returnUserInfo = returnUserInfo
        self.limit = limit
        self.offset = offset
        self.sortBy = sortBy
        self.order = order
        self.expression = expression
        self.tenantId = tenantId
    }
}

/// A condition on accounts; the fields of one expression exclude each other. Source: REST reference of Identity
/// Platform, v1 `projects.accounts`.
public struct AccountExpression: Codable, Sendable, Equatable {
    public var email: String?
    public var userId: String?
    public var phoneNumber: String?

    public init(email: String? = nil, userId: String? = nil, phoneNumber: String? = nil) {
        self.email = email
        self.userId = userId
        self.phoneNumber = phoneNumber
    }
}

/// The answer to ``QueryAccountsRequest``. Source: REST reference of Identity Platform, v1 `projects.accounts`.
public struct QueryAccountsResponse: Codable, Sendable, Equatable {
    public var recordsCount: Int64String?
    public var userInfo: [Account]?

    public init(recordsCount: Int64String? = nil, userInfo: [Account]? = nil) {
        self.recordsCount = recordsCount
        self.userInfo = userInfo
    }
}
