/// `POST v1/projects/{p}:createSessionCookie`. Source: REST reference of Identity Platform, v1
/// `projects.createSessionCookie`.
public struct CreateSessionCookieRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    /// Seconds, from five minutes to fourteen days.
    public var validDuration: Int64String?
    public var tenantId: String?

    public init(idToken: String? = nil, validDuration: Int64String? = nil, tenantId: String? = nil) {
        self.idToken = idToken
        self.validDuration = validDuration
        self.tenantId = tenantId
    }
}

/// The answer to ``CreateSessionCookieRequest``. Source: REST reference of Identity Platform, v1
/// `projects.createSessionCookie`.
public struct CreateSessionCookieResponse: Codable, Sendable, Equatable {
    public var sessionCookie: String?

    public init(sessionCookie: String? = nil) {
        self.sessionCookie = sessionCookie
    }
}
