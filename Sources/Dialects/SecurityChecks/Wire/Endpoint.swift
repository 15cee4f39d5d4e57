/// The endpoints, each with its path below ``base``. Source: MobileFirst Runtime REST API.
public enum Endpoint {
    /// Where all of them stand: the server's context and `api`.
    public static let base = "/mfp/api"

    /// `POST` makes a client; followed by the client's id, `PUT` changes it and `GET` reads it.
    public static let registration = "/registration/v1/self"
    public static let preauthorize = "/preauth/v1/preauthorize"
    public static let logout = "/preauth/v1/logout"
    public static let heartbeat = "/preauth/v1/heartbeat"
    public static let authorization = "/az/v1/authorization"
    /// Followed by the client's id; of web clients alone.
    public static let authorizationRedirect = "/az/v1/authorization/redirect"
    public static let token = "/az/v1/token"
    public static let introspection = "/az/v1/introspection"
    /// Followed by an adapter's name and the resource's path.
    public static let adapters = "/adapters"

    /// Where a registration's answer says that the client is: without `v1`, and clients look for this very text. Source:
    /// MobileFirst Runtime REST API.
    public static func registeredClient(_ clientID: String) -> String { "\(base)/registration/clients/\(clientID)" }

    /// Where a native client has its codes sent. It reads the redirect and never follows it.
    /// - Parameter scheme: the server's, `http` or `https`.
    public static func nativeRedirectURI(scheme: String) -> String { "\(scheme)://mfpredirecturi" }

    /// Where a web client has its codes sent: a path alone.
    public static func webRedirectURI(_ clientID: String) -> String { "\(base)\(authorizationRedirect)/\(clientID)" }
}

/// Header fields with a meaning in this protocol. Source: MobileFirst's web SDK.
public enum HeaderName {
    /// With status 409, whatever its value: the same request can be sent again.
    public static let conflict = "MFP-Conflict"
    /// Says what is missing: see ``AuthenticateHeader``.
    public static let authenticate = "WWW-Authenticate"
}

/// The numbers that both sides go by.
public enum ProtocolLimits {
    /// Seconds for which a client's assertion is good. Source: MobileFirst's web SDK.
    public static let assertionSeconds = 60
    /// How often a client sends a request again that met a conflict. Source: MobileFirst's web SDK.
    public static let conflictRepeats = 7
    /// Seconds between two heartbeats, where the app says nothing. Source: MobileFirst Runtime REST API.
    public static let heartbeatSeconds = 420
}
