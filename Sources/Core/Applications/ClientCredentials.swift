import Foundation

/// What a request shows to say which application sends it (RFC 6749, section 2.3; RFC 7521, section 4.2).
///
/// The HTTP layer fills it in and judges nothing; ``Applications/authenticate(_:expecting:by:)`` does.
public struct ClientCredentials: Sendable {
    /// The name and the secret of `Authorization: Basic`.
    public struct Basic: Sendable {
        /// The part before the colon, decoded as a form's (RFC 6749, section 2.3.1).
        public let clientID: String
        /// The part after it, in each form that it can be meant in, each once: decoded as a form's, as RFC 6749 (section 2.3.1) has it;
        /// percent-decoded with its plus signs; and as it came, because many clients encode nothing.
        public let spellings: [Secret<String>]

        /// - Parameters:
        ///   - decoded: the secret percent-decoded; nil where it cannot be.
        ///   - plain: the secret as it came.
        public init(clientID: String, decoded: Secret<String>?, plain: Secret<String>) {
            self.init(clientID: clientID, spellings: [decoded, plain].compactMap { $0 })
        }

        /// - Parameter spellings: the forms of the secret; one that is there twice is taken once.
        public init(clientID: String, spellings: [Secret<String>]) {
            self.clientID = clientID
            self.spellings = spellings.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }

    /// `client_id` of the body.
    public var clientID: String?
    /// `client_secret` of the body.
    public var secret: Secret<String>?
    /// The name and secret of an `Authorization: Basic` header; nil where there is none, or an unreadable one
    /// (``hasUnreadableBasic``).
    public var basic: Basic?
    /// `client_assertion` of the body.
    public var assertion: Secret<String>?
    /// `client_assertion_type` of the body.
    public var assertionType: String?
    /// Whether an `Authorization: Basic` is there that is no name and secret.
    public var hasUnreadableBasic = false

    /// What a request shows; without arguments, nothing.
    public init(
        clientID: String? = nil, secret: Secret<String>? = nil, basic: Basic? = nil, assertion: Secret<String>? = nil,
        assertionType: String? = nil
    ) {
        self.clientID = clientID
        self.secret = secret
        self.basic = basic
        self.assertion = assertion
        self.assertionType = assertionType
    }

    /// The application of a request that shows nothing but its name in the body; nil of every other. A word about an assertion that is not
    /// there, or an `Authorization: Basic` without a secret or that cannot be read, is something else.
    public var nameAlone: ClientID? {
        guard let clientID, secret == nil, basic == nil, !hasUnreadableBasic, assertion == nil, assertionType == nil
        else { return nil }
        return ClientID(rawValue: clientID)
    }
}

/// How an application shows that it is the one that it says (RFC 7591, section 2, `token_endpoint_auth_method`).
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
    /// Nothing is shown: a public client, or one whose endpoint asks for its name alone.
    case none
    /// The secret stands in the body (`client_secret`).
    case secretPost = "client_secret_post"
    /// The secret stands in an `Authorization: Basic` header.
    case secretBasic = "client_secret_basic"
    /// A JWT that the application's private key signed (RFC 7523, section 2.2; OpenID Connect Core 1.0, section 9).
    case privateKeyJWT = "private_key_jwt"
}

/// What an endpoint takes for an application's credentials. An expectation that names no method admits no application.
public struct ClientExpectation: Sendable {
    /// The methods that the endpoint takes.
    public var methods: Set<ClientAuthenticationMethod>
    /// What an assertion may say that it is for: the issuer's identifier, once for each address that the server is reached
    /// by. An assertion names one of them and nothing else.
    public var issuers: Set<String>
    /// What an assertion may say instead, where the application's registration allows it
    /// (``OAuthRegistration/takesTokenEndpointAudience``): the addresses of this server's endpoints.
    public var endpoints: Set<String> = []
    /// Whether an assertion may live longer than ``ClientAssertion/longest``: then it counts until that long after it was made.
    var cutsLifetime = false
    /// Whether the endpoint knows applications that no administrator registered (``ApplicationOrigin``): those of OAuth alone do, where users
    /// are asked.
    public var takesEveryOrigin = false
    /// What an assertion may be signed with.
    public var algorithms: Set<StatementAlgorithm>

    private static let allAlgorithms = Set(StatementAlgorithm.allCases)

    /// Expects one of these methods, and of an assertion one of these issuers and algorithms; nil is every algorithm.
    public init(
        _ methods: Set<ClientAuthenticationMethod>, issuers: Set<String> = [],
        algorithms: Set<StatementAlgorithm>? = nil
    ) {
        self.methods = methods
        self.issuers = issuers
        self.algorithms = algorithms ?? Self.allAlgorithms
    }
}

extension ClientExpectation {
    /// Whether the endpoint knows such an application.
    func admits(_ application: Application) -> Bool {
        takesEveryOrigin || application.registration.oauth.origin == .administrator
    }

    /// What an assertion of an application may say.
    ///
    /// The issuer is known with a slash at its end to applications whose tokens have one, and to those of before the kinds, whose
    /// libraries compare with that.
    func assertions(of registration: OAuthRegistration) -> ClientExpectation {
        var expectation = self
        if registration.issuerStyle == .trailingSlash || registration.kind == nil {
            expectation.issuers.formUnion(issuers.map { $0.hasSuffix("/") ? $0 : $0 + "/" })
        }
        if registration.takesTokenEndpointAudience {
            expectation.issuers.formUnion(endpoints)
            expectation.cutsLifetime = true
        }
        return expectation
    }
}

/// What came of a request's credentials.
public enum ClientAuthentication: Sendable {
    /// The application is the one that the request names, shown by this method.
    case authenticated(Application, by: ClientAuthenticationMethod)
    /// It is not, or not shown to be.
    case refused(ClientAuthenticationRefusal)
}

/// Why an application is not taken for the one that it says. Every case but the last is `invalid_client` in OAuth's words
/// (RFC 6749, section 5.2).
public enum ClientAuthenticationRefusal: Error, Sendable, Equatable {
    /// No application is named.
    case missing
    /// The credentials cannot be read, contradict each other, or are of more than one method.
    case malformed
    /// This endpoint does not take the method.
    case methodNotAdmitted
    /// There is no such application. Told only to a request that shows no credentials.
    case unknown
    /// The application has credentials, and the request shows none.
    case credentialsMissing
    /// The secret or the assertion is not this application's, there is no such application, or it has no credentials where
    /// the endpoint asks for some.
    case wrongCredentials
    /// The requester's address had too many wrong credentials, or the application has shown more assertions than are remembered.
    case limited(until: Date)
}
