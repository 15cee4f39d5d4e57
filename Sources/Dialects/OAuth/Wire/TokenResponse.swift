import JSON

/// What the token endpoint answers (RFC 6749, section 5.1; OpenID Connect Core 1.0, section 3.1.3.3).
public struct TokenResponse: Codable, Sendable, Equatable {
    public var accessToken: String
    /// `Bearer` or `DPoP`.
    public var tokenType: String
    /// Seconds.
    public var expiresIn: Int
    /// What was granted, with spaces between.
    public var scope: String
    public var refreshToken: String?
    public var idToken: String?

    public init(
        accessToken: String, tokenType: String, expiresIn: Int, scope: String, refreshToken: String? = nil,
        idToken: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.scope = scope
        self.refreshToken = refreshToken
        self.idToken = idToken
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case scope
        case refreshToken = "refresh_token"
        case idToken = "id_token"
    }

    /// What other servers may leave out is as RFC 6749 says (section 5.1): the scope that was asked for is here an empty text, and a life
    /// that is not told is taken for a short one.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try members.decode(String.self, forKey: .accessToken)
        tokenType = try members.decode(String.self, forKey: .tokenType)
        expiresIn = try members.decodeIfPresent(Int.self, forKey: .expiresIn) ?? 60
        scope = try members.decodeIfPresent(String.self, forKey: .scope) ?? ""
        refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
        idToken = try members.decodeIfPresent(String.self, forKey: .idToken)
    }
}

extension TokenResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("access_token", text: accessToken)
        json.write("expires_in", number: expiresIn)
        json.write("id_token", text: idToken)
        json.write("refresh_token", text: refreshToken)
        json.write("scope", text: scope)
        json.write("token_type", text: tokenType)
        json.endObject()
    }
}
