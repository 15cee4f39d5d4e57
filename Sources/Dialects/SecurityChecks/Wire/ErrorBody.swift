/// A refusal of the framework's own endpoints, with status 400. Source: MobileFirst Runtime REST API.
public struct ErrorBody: Codable, Sendable, Equatable {
    public var errorCode: ErrorCode?
    /// What people read.
    public var errorMessage: String?

    public init(errorCode: ErrorCode?, errorMessage: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    private enum CodingKeys: String, CodingKey {
        case errorCode
        case errorMessage = "errorMsg"
    }
}

/// What such a refusal is, in a word. The list is open.
public struct ErrorCode: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// No client with that id, or with another key: the client registers again, once.
    public static let invalidClientID = ErrorCode(rawValue: "INVALID_CLIENT_ID")
    public static let invalidRequest = ErrorCode(rawValue: "INVALID_REQUEST")
    public static let unexpectedError = ErrorCode(rawValue: "UNEXPECTED_ERROR")
    public static let applicationDisabled = ErrorCode(rawValue: "APPLICATION_DISABLED")
}

/// A refusal of the endpoints below `az` (RFC 6749, section 5.2). Source: MobileFirst Runtime REST API.
public struct OAuthErrorBody: Codable, Sendable, Equatable {
    public var error: OAuthErrorWord
    public var description: String?

    public init(error: OAuthErrorWord, description: String? = nil) {
        self.error = error
        self.description = description
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}

/// What such a refusal is, in a word (RFC 6749, sections 4.1.2.1 and 5.2). The list is open.
public struct OAuthErrorWord: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let accessDenied = OAuthErrorWord(rawValue: "access_denied")
    public static let invalidClient = OAuthErrorWord(rawValue: "invalid_client")
    public static let invalidGrant = OAuthErrorWord(rawValue: "invalid_grant")
    public static let invalidRequest = OAuthErrorWord(rawValue: "invalid_request")
    public static let invalidScope = OAuthErrorWord(rawValue: "invalid_scope")
    public static let serverError = OAuthErrorWord(rawValue: "server_error")
    public static let temporarilyUnavailable = OAuthErrorWord(rawValue: "temporarily_unavailable")
    public static let unauthorizedClient = OAuthErrorWord(rawValue: "unauthorized_client")
    public static let unsupportedGrantType = OAuthErrorWord(rawValue: "unsupported_grant_type")
    public static let unsupportedResponseType = OAuthErrorWord(rawValue: "unsupported_response_type")
}
