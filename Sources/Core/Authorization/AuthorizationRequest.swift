import Foundation

/// What an application asked for in a browser (RFC 6749, section 4.1.1; OpenID Connect Core 1.0, section 3.1.2.1). It was validated:
/// the redirect URI is one of the application's.
public struct AuthorizationRequest: Codable, Sendable, Equatable {
    /// How the answer is brought to the redirect URI.
    public enum ResponseMode: String, Codable, Sendable, CaseIterable {
        /// In the query of the redirect URI (RFC 6749, section 4.1.2).
        case query
        /// In its fragment (OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1).
        case fragment
        /// By a form that the browser posts to it (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// What the user is asked for, whatever the session says (OpenID Connect Core 1.0, section 3.1.2.1; Initiating User Registration
    /// 1.0).
    public enum Prompt: String, Codable, Sendable, CaseIterable {
        /// Nothing: where a page would be needed, the application is told an error.
        case none
        /// To sign in anew, also with a session.
        case login
        /// To agree again, also where there is a consent.
        case consent
        /// To say which account is meant.
        case selectAccount = "select_account"
        /// To make an account (Initiating User Registration via OpenID Connect 1.0).
        case create
    }

    /// The application that asks.
    public var client: ClientID
    /// Where the answer goes: an address of the application's registration.
    public var redirectURI: String
    /// Whether the request named the address, so that the token request has to repeat it (RFC 6749, section 4.1.3).
    public var namesRedirectURI = true
    /// How the answer goes there.
    public var responseMode = ResponseMode.query
    /// The application's own value, which the answer repeats (RFC 6749, section 4.1.1); at most ``longestState``
    /// characters.
    public var state: String?
    /// What the ID token repeats (OpenID Connect Core 1.0, section 3.1.2.1); at most ``longestNonce`` characters.
    public var nonce: String?
    /// The challenge that the token request has to answer (RFC 7636); nil where the request had none.
    public var challenge: PKCEChallenge?
    /// The scopes that were asked for, in the request's order.
    public var scopes: [String] = []
    /// The identifiers of the APIs that tokens are to be for (RFC 8707).
    public var resources: [String] = []
    /// `dpop_jkt` (RFC 9449, section 10).
    public var keyThumbprint: String?
    /// What the user is to be asked for in any case; empty leaves that to the session.
    public var prompts: Set<Prompt> = []
    /// Seconds.
    public var maxAge: Int?
    /// In the order of preference.
    public var acrValues: [String] = []
    /// Whether one of them has to be met (OpenID Connect Core 1.0, section 5.5.1.1).
    public var isACREssential = false
    /// Prefills the first page and decides nothing.
    public var loginHint: String?
    /// Whose ID token the application has.
    public var hintedUser: UserID?
    /// BCP 47, in the order of preference.
    public var languages: [String] = []
    /// Single claims that were asked for (OpenID Connect Core 1.0, section 5.5): names, by where they are told.
    public var idTokenClaims: [String] = []
    /// Single claims that the user info endpoint is to tell.
    public var userInfoClaims: [String] = []
    /// The row of the pushed request that this came of, which is used up with it (RFC 9126, section 4).
    var pushed: Data?

    /// A request of this application that asks for nothing yet; the dialect sets the rest.
    public init(client: ClientID, redirectURI: String) {
        self.client = client
        self.redirectURI = redirectURI
    }

    /// The classes that were asked for and can be met by some user, in the order of preference.
    var classes: [ContextClass] { acrValues.compactMap(ContextClass.init(requested:)) }

    /// Whether `phr` or `phrh` is the first of the values that this server knows. Where it cannot be met, the next one counts.
    var prefersResistance: Bool {
        acrValues.first(where: ContextClass.requestable.contains).map(ContextClass.resistances.contains) ?? false
    }

    /// What a token says of a session's class: the word that the request had for it.
    /// - Parameter others: further words that are true of the session (``ProofRegistry/resistanceClasses(of:)``), which are said to
    ///   whom they mean something: where the request had them.
    /// - Parameter isEssential: whether nothing may be said but one of the values (OpenID Connect Core 1.0, section 5.5.1.1): of a
    ///   session that is stronger than all of them the first that it is more than.
    public static func told(
        _ present: ContextClass, asked values: [String], others: Set<String> = [], isEssential: Bool = false
    ) -> String {
        if let own = values.first(where: { ContextClass(requested: $0) == present || others.contains($0) }) {
            return own
        }
        let lesser = values.first { ContextClass(requested: $0).map { $0 < present } ?? false }
        return isEssential ? lesser ?? present.rawValue : present.rawValue
    }

    /// Characters of `state` and `nonce`.
    public static let longestState = 2048
    /// Characters of `nonce`.
    public static let longestNonce = 512
}

/// An authorization request that waits for its user, as the pages see it.
public struct PendingAuthorization: Sendable {
    /// The `flow` parameter of pages. The browser that began it has to show its ``BrowserKey`` beside it.
    public let handle: FlowHandle
    /// What the application asked for.
    public let request: AuthorizationRequest
    /// The application, as it is registered now.
    public let application: Application
    /// When the browser brought the request.
    public let createdAt: Date
    /// Until when the user may take it up.
    public let expiresAt: Date
    let body: AuthorizationBody
    let record: FlowRecord

    /// What the content security policy of a page has to allow as the target of its forms: the origin or the scheme of the redirect
    /// URI.
    public var formActionSource: String? { RedirectURI.policySource(of: request.redirectURI) }

    /// The host that the user is led back to, or the scheme, to be shown beside the application's name.
    public var redirectHost: String? { RedirectURI.shownHost(of: request.redirectURI) }
}

/// What is missing before an application gets what it asked for.
public enum AuthorizationStanding: Sendable, Equatable {
    /// A user has to sign in, in the way that the demand says.
    case signIn(SignInDemand)
    /// The session has one factor, and two are asked for: ask for the second one, or have one enrolled.
    case secondFactor
    /// Nothing will do but a proof that cannot be relayed, and the user has nothing that gives one: a passkey can be enrolled by what the
    /// session was proven with.
    case passkeyEnrolment
    /// The user has still to agree to the operator's terms of use.
    case terms
    /// The user has still to allow the application what the question names.
    case consent(ConsentQuestion)
    /// Nothing.
    case ready
    /// It cannot be given; the application is told why.
    case impossible(AuthorizationFailure)
}

/// Who has to sign in, and how.
public struct SignInDemand: Sendable, Equatable {
    /// Prefills the first field.
    public var identifier: String?
    /// The user who has to sign in; nil for any.
    public var user: UserID?
    /// Whether all factors have to be given anew.
    public var isFresh = false
    /// Whether the page for new accounts comes first.
    public var createsAccount = false
    /// Whether the user is to say which account.
    public var selectsAccount = false
    /// Whether one factor is not enough.
    public var needsTwoFactors = false
    /// Whether nothing will do but a proof that cannot be relayed. The user has what gives it.
    public var needsPasskey = false

    /// A demand that any user meets by any full sign-in.
    public init() {}
}

/// What a user is asked before an application gets it.
public struct ConsentQuestion: Sendable, Equatable {
    /// One scope of the question.
    public struct Scope: Sendable, Equatable {
        /// The scope as the request spells it.
        public let name: String
        /// Where the scope is an API's; pages have words of their own for those of OpenID Connect.
        public let definition: Resource.Scope?
    }

    /// What the application would get, one by one.
    public let scopes: [Scope]
    /// The APIs that it would get tokens for.
    public let resources: [Resource]
}

/// Why an application does not get what it asked for (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6; OpenID
/// Connect Core Error Code unmet_authentication_requirements 1.0).
public enum AuthorizationFailure: String, Sendable, Codable {
    /// The user denied it.
    case accessDenied = "access_denied"
    /// The request may show no page, and no session is what it needs.
    case loginRequired = "login_required"
    /// The request may show no page, and the user would have to do something.
    case interactionRequired = "interaction_required"
    /// The request may show no page, and the user has not allowed it.
    case consentRequired = "consent_required"
    /// The request may show no page, and the user would have to say which account is meant.
    case accountSelectionRequired = "account_selection_required"
    /// The user cannot prove as much as the request insists on.
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
}

/// What the row of a waiting request keeps, sealed.
struct AuthorizationBody: Codable, Sendable {
    var request: AuthorizationRequest
    /// The browser that began it.
    var browser: Data
    /// When it is over; nil in rows of before, which were over when they expired.
    var expiresAt: Date?
    /// What the user has said so far.
    var chosenSession: SessionID?
    var consentedBy: UserID?
    /// What that consent hangs on; nil where a server of an earlier version wrote it.
    var consentBasis: GrantBasis?
    var isDenied = false
    /// The user to whom no second factor is available.
    var withoutSecondFactor: UserID?
    /// The user to whom no passkey is.
    var withoutPasskey: UserID?
}
