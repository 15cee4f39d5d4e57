import JSON

/// `POST v1/token` of the token service: a refresh token in exchange for a new ID token.
///
/// Apple's client sends `grantType` and `refreshToken` as JSON, the web's `grant_type` and `refresh_token` as a form;
/// both spellings are read here, and the first is written. Source: Firebase Auth REST API, "Exchange a refresh token
/// for an ID token".
public struct TokenRequest: Codable, Sendable, Equatable {
    /// `refresh_token`.
    public var grantType: String?
    public var refreshToken: String?

    private enum CodingKeys: String, CodingKey {
        case grantType
        case refreshToken
        case grantTypeInSnakeCase = "grant_type"
        case refreshTokenInSnakeCase = "refresh_token"
    }

    public init(grantType: String? = nil, refreshToken: String? = nil) {
        self.grantType = grantType
        self.refreshToken = refreshToken
    }

    /// The request that a form carries, its fields already percent-decoded.
    public init(form fields: [String: String]) {
        grantType = fields["grant_type"] ?? fields["grantType"]
        refreshToken = fields["refresh_token"] ?? fields["refreshToken"]
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        grantType =
            try container.decodeIfPresent(String.self, forKey: .grantType)
            ?? container.decodeIfPresent(String.self, forKey: .grantTypeInSnakeCase)
        refreshToken =
            try container.decodeIfPresent(String.self, forKey: .refreshToken)
            ?? container.decodeIfPresent(String.self, forKey: .refreshTokenInSnakeCase)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(grantType, forKey: .grantType)
        try container.encodeIfPresent(refreshToken, forKey: .refreshToken)
    }
}

/// The answer to ``TokenRequest``. Access token and ID token are the same string. Source: Firebase Auth REST API,
/// "Exchange a refresh token for an ID token".
public struct TokenResponse: Codable, Sendable, Equatable {
    public var accessToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?
    public var tokenType: String?
    public var refreshToken: String?
    public var idToken: String?
    public var userID: String?
    public var projectID: String?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case tokenType = "token_type"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case userID = "user_id"
        case projectID = "project_id"
    }

    public init(
        accessToken: String? = nil, expiresIn: Int64String? = nil, tokenType: String? = "Bearer",
        refreshToken: String? = nil, idToken: String? = nil, userID: String? = nil, projectID: String? = nil
    ) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.userID = userID
        self.projectID = projectID
    }
}

extension TokenResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("access_token", text: accessToken)
        json.write("expires_in", text: expiresIn?.description)
        json.write("id_token", text: idToken)
        json.write("project_id", text: projectID)
        json.write("refresh_token", text: refreshToken)
        json.write("token_type", text: tokenType)
        json.write("user_id", text: userID)
        json.endObject()
    }
}
