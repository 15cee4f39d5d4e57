/// The query of `GET az/v1/authorization`. Source: MobileFirst Runtime REST API.
public struct AuthorizationRequest: Codable, Sendable, Equatable {
    /// `code`.
    public var responseType: String?
    public var clientID: String?
    public var scope: Scope?
    public var redirectURI: String?
    public var state: String?

    public init(
        responseType: String? = "code", clientID: String?, scope: Scope?, redirectURI: String?, state: String? = nil
    ) {
        self.responseType = responseType
        self.clientID = clientID
        self.scope = scope
        self.redirectURI = redirectURI
        self.state = state
    }

    private enum CodingKeys: String, CodingKey {
        case scope, state
        case responseType = "response_type"
        case clientID = "client_id"
        case redirectURI = "redirect_uri"
    }
}

/// What a redirect carries in its query; the redirect endpoint of web clients says it in JSON. Source: MobileFirst Runtime
/// REST API.
public struct AuthorizationResponse: Codable, Sendable, Equatable {
    public var code: String?
    public var error: OAuthErrorWord?
    public var state: String?

    public init(code: String? = nil, error: OAuthErrorWord? = nil, state: String? = nil) {
        self.code = code
        self.error = error
        self.state = state
    }
}

/// The form of `POST az/v1/token`. Source: MobileFirst Runtime REST API.
public struct TokenRequest: Codable, Sendable, Equatable {
    public var grantType: GrantType?
    public var code: String?
    /// The same as when the code was asked for.
    public var redirectURI: String?
    /// A JWS with ``ClientAssertion`` inside.
    public var clientAssertion: String?
    public var clientAssertionType: String?
    public var clientID: String?
    /// Of confidential clients.
    public var scope: Scope?
    public var refreshToken: String?
    /// `TRUE` asks for a refresh token, too.
    public var wantsRefreshToken: String?

    public init(
        grantType: GrantType?, code: String? = nil, redirectURI: String? = nil, clientAssertion: String? = nil,
        clientAssertionType: String? = ClientAssertion.type, clientID: String? = nil, scope: Scope? = nil,
        refreshToken: String? = nil, wantsRefreshToken: String? = nil
    ) {
        self.grantType = grantType
        self.code = code
        self.redirectURI = redirectURI
        self.clientAssertion = clientAssertion
        self.clientAssertionType = clientAssertionType
        self.clientID = clientID
        self.scope = scope
        self.refreshToken = refreshToken
        self.wantsRefreshToken = wantsRefreshToken
    }

    private enum CodingKeys: String, CodingKey {
        case code, scope
        case grantType = "grant_type"
        case redirectURI = "redirect_uri"
        case clientAssertion = "client_assertion"
        case clientAssertionType = "client_assertion_type"
        case clientID = "client_id"
        case refreshToken = "refresh_token"
        case wantsRefreshToken = "get_refresh_token"
    }
}

/// What a token is asked for with. The list is open, so that a server can say what it refuses.
public struct GrantType: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let authorizationCode = GrantType(rawValue: "authorization_code")
    public static let refreshToken = GrantType(rawValue: "refresh_token")
    public static let clientCredentials = GrantType(rawValue: "client_credentials")
}

/// An access token. Source: MobileFirst Runtime REST API.
public struct TokenResponse: Codable, Sendable, Equatable {
    public var accessToken: String
    /// `Bearer`.
    public var tokenType: String?
    /// Seconds.
    public var expiresIn: Int?
    public var scope: Scope?
    public var refreshToken: String?

    public init(
        accessToken: String, tokenType: String? = "Bearer", expiresIn: Int?, scope: Scope?,
        refreshToken: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.scope = scope
        self.refreshToken = refreshToken
    }

    private enum CodingKeys: String, CodingKey {
        case scope
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
    }
}

/// What an access token says to services that can read it; for clients it is opaque. Source: MobileFirst Foundation,
/// Authentication and security.
public struct AccessTokenClaims: Codable, Sendable, Equatable {
    public var iss: String
    /// The client's id.
    public var sub: String
    public var aud: String
    /// Milliseconds since 1970, unlike in other JWTs.
    public var exp: Int64
    public var scope: Scope

    public init(iss: String = Self.issuer, sub: String, aud: String = Self.issuer, exp: Int64, scope: Scope) {
        self.iss = iss
        self.sub = sub
        self.aud = aud
        self.exp = exp
        self.scope = scope
    }

    /// Issuer and audience of every token.
    public static let issuer = "com.ibm.mfp"
}
