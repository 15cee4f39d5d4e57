import Foundation
import JSON

/// The tokens of a signed-in user. Source: Native authentication API reference (Microsoft Learn).
public struct TokenResponse: Codable, Sendable, Equatable {
    /// `Bearer`.
    public var tokenType: String?
    /// The granted scopes, with a space between them.
    public var scope: String?
    /// Seconds for which the access token is good.
    public var expiresIn: Int?
    /// Seconds for which it may be used while the server is away.
    public var extendedExpiresIn: Int?
    /// Seconds after which another should be fetched.
    public var refreshIn: Int?
    public var accessToken: String?
    public var refreshToken: String?
    public var idToken: String?
    /// A ``ClientInfo`` in Base64 for URLs.
    public var clientInfo: String?

    public init(
        tokenType: String? = nil, scope: String? = nil, expiresIn: Int? = nil, extendedExpiresIn: Int? = nil,
        refreshIn: Int? = nil, accessToken: String? = nil, refreshToken: String? = nil, idToken: String? = nil,
        clientInfo: String? = nil
    ) {
        self.tokenType = tokenType
        self.scope = scope
        self.expiresIn = expiresIn
        self.extendedExpiresIn = extendedExpiresIn
        self.refreshIn = refreshIn
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.clientInfo = clientInfo
    }

    private enum CodingKeys: String, CodingKey {
        case scope
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case extendedExpiresIn = "ext_expires_in"
        case refreshIn = "refresh_in"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case clientInfo = "client_info"
    }
}

/// What an authority says of itself (OpenID Connect Discovery, section 3).
public struct ProviderMetadata: Codable, Sendable, Equatable {
    public var issuer: String?
    public var authorizationEndpoint: String?
    public var tokenEndpoint: String?
    public var keysEndpoint: String?
    public var endSessionEndpoint: String?

    public init(
        issuer: String? = nil, authorizationEndpoint: String? = nil, tokenEndpoint: String? = nil,
        keysEndpoint: String? = nil, endSessionEndpoint: String? = nil
    ) {
        self.issuer = issuer
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.keysEndpoint = keysEndpoint
        self.endSessionEndpoint = endSessionEndpoint
    }

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case keysEndpoint = "jwks_uri"
        case endSessionEndpoint = "end_session_endpoint"
    }
}

/// How the vendor's clients identify a user: user and tenant. Source: Native authentication API reference (Microsoft
/// Learn).
public struct ClientInfo: Codable, Sendable, Equatable {
    /// The user's object id.
    public var uid: String
    /// The id of the tenant that the user is of.
    public var utid: String

    public init(uid: String, utid: String) {
        self.uid = uid
        self.utid = utid
    }

    /// Reads what ``text`` writes; nil where it is something else.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text, accepting: .all),
            let info = try? JSONDecoder().decode(Self.self, from: Data(bytes))
        else { return nil }
        self = info
    }

    /// JSON in Base64 for URLs (RFC 4648, section 5), without padding.
    public var text: String {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        json.write("uid", text: uid)
        json.write("utid", text: utid)
        json.endObject()
        return json.bytes.base64URL
    }
}

extension TokenResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("access_token", text: accessToken)
        json.write("client_info", text: clientInfo)
        json.write("expires_in", number: expiresIn)
        json.write("ext_expires_in", number: extendedExpiresIn)
        json.write("id_token", text: idToken)
        json.write("refresh_in", number: refreshIn)
        json.write("refresh_token", text: refreshToken)
        json.write("scope", text: scope)
        json.write("token_type", text: tokenType)
        json.endObject()
    }
}
