/// What the security checks of a request said, by their names: the body of 200, of 401 with
/// ``AuthenticateHeader/challenges``, and of 403. Source: MobileFirst Foundation, Authentication and security.
///
/// `Document` is any JSON value: what a check says has no shape that the protocol knows. The server's and the client's
/// own type of JSON take its place.
public struct CheckResults<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// What has to be answered, with 401. A value may be null, for a challenge without data.
    public var challenges: [String: Document]?
    /// With 200, and beside the challenges of 401. What a check that adds nothing says is an empty object.
    public var successes: [String: Document]?
    /// With 403. The usual one is ``BlockedFailure``.
    public var failures: [String: Document]?

    public init(
        challenges: [String: Document]? = nil, successes: [String: Document]? = nil,
        failures: [String: Document]? = nil
    ) {
        self.challenges = challenges
        self.successes = successes
        self.failures = failures
    }
}

/// The success of ``ReservedCheck/clockSynchronization``, in every 200 and 401. Source: MobileFirst Runtime REST API.
public struct ClockSynchronization: Codable, Sendable, Equatable {
    /// Milliseconds since 1970.
    public var serverTimeStamp: Int64

    public init(serverTimeStamp: Int64) { self.serverTimeStamp = serverTimeStamp }
}

/// What a check fails with that takes no more answers. Source: MobileFirst Foundation, Authentication and security.
public struct BlockedFailure: Codable, Sendable, Equatable {
    public var failure: String

    public init(failure: String = "Account blocked") { self.failure = failure }
}

/// The user that a check has recognized: the member `user` of its success, and `mfp-user` of introspection. Source:
/// MobileFirst Foundation, Authentication and security.
public struct AuthenticatedUser<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    public var id: String
    public var displayName: String
    /// Milliseconds since 1970.
    public var authenticatedAt: Int64
    /// The check's name.
    public var authenticatedBy: String
    public var attributes: [String: Document]

    public init(
        id: String, displayName: String, authenticatedAt: Int64, authenticatedBy: String,
        attributes: [String: Document] = [:]
    ) {
        self.id = id
        self.displayName = displayName
        self.authenticatedAt = authenticatedAt
        self.authenticatedBy = authenticatedBy
        self.attributes = attributes
    }
}
