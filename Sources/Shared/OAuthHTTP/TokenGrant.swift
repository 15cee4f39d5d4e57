import CountersignCore
import Hummingbird
import ServerHTTP

/// A request to the token endpoint whose application was authenticated.
public struct TokenRequest: Sendable {
    public let form: OAuthForm
    public let application: CountersignCore.Application
    public let method: ClientAuthenticationMethod
    /// The thumbprint of the key that the request proved the possession of (RFC 9449); nil where it proved none.
    public let keyThumbprint: String?
    /// What its refresh token is of, where that was looked at with the credentials; nil where it was not.
    public let refreshToken: RefreshTokenLook?
    public let request: Request
    public let context: CountersignRequestContext

    public init(
        form: OAuthForm, application: CountersignCore.Application, method: ClientAuthenticationMethod,
        keyThumbprint: String?, refreshToken: RefreshTokenLook? = nil, request: Request,
        context: CountersignRequestContext
    ) {
        self.form = form
        self.application = application
        self.method = method
        self.keyThumbprint = keyThumbprint
        self.refreshToken = refreshToken
        self.request = request
        self.context = context
    }

    /// The client, as the core counts and logs it.
    public func client(of dialect: Dialect) -> ClientContext { context.client(application.id, of: dialect) }
}

/// A way to get tokens at the one token endpoint (RFC 6749, section 4.5). Protocols add theirs to the table that the composition root
/// makes; none knows another's.
public protocol TokenGrant: Sendable {
    /// `grant_type`.
    var type: String { get }
    /// Answers in the protocol's own words.
    /// - Returns: nil where the request is another protocol's of the same type.
    /// - Throws: what the core throws; refusals are answers.
    func redeem(_ request: TokenRequest) async throws -> Response?
}

/// All grants of a server. Of several of one type the first that knows the request answers it.
public struct TokenGrants: Sendable {
    private let grants: [any TokenGrant]
    /// `grant_types_supported`, each once.
    public let types: [String]

    public init(_ grants: [any TokenGrant]) {
        self.grants = grants
        types = grants.map(\.type).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// - Returns: nil where there is no such type, or none of its grants knows the request.
    public func redeem(_ type: String, _ request: TokenRequest) async throws -> Response? {
        for grant in grants where grant.type == type {
            if let answer = try await grant.redeem(request) { return answer }
        }
        return nil
    }
}

/// Endpoints that several protocols answer: each takes the request that is its own.
public struct SharedEndpoints: Sendable {
    /// An answer to a request for what is known of an access token's user; nil where the token is another protocol's.
    public var userInfo: @Sendable (Request, CountersignRequestContext) async throws -> Response?
    /// An answer to a request that begins a sign-in without a browser; nil where its `login_hint` is spelled as another protocol's.
    public var backchannel: @Sendable (OAuthForm, Request, CountersignRequestContext) async throws -> Response?
    /// The user of an ID token that another protocol issued as this issuer, with a `sub` of its own spelling; nil for other tokens.
    public var user: @Sendable (TokenClaims) -> UserID?

    public init(
        userInfo: @escaping @Sendable (Request, CountersignRequestContext) async throws -> Response?,
        backchannel: @escaping @Sendable (OAuthForm, Request, CountersignRequestContext) async throws -> Response?,
        user: @escaping @Sendable (TokenClaims) -> UserID?
    ) {
        self.userInfo = userInfo
        self.backchannel = backchannel
        self.user = user
    }
}
