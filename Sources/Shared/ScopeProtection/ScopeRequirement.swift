import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Logging

/// What a resource asks of the token that comes with a request.
public struct ScopeRequirement: Sendable, Equatable {
    /// All of these have to be in the token's scope.
    public var scope: Set<String>
    /// Seconds since the user last proved anything, at most (RFC 9470, section 3); nil for any.
    public var maxAge: Int?
    /// One of these authentication contexts (RFC 9470, section 3), the best first; empty for any.
    public var authenticationContexts: [String]
    /// Contexts that are taken too, though a client is not told to ask for them: stronger ones.
    public var strongerContexts: Set<String> = []

    /// - Parameter scope: elements separated by blanks; none asks for a good token alone.
    public init(_ scope: String, maxAge: Int? = nil, authenticationContexts: [String] = []) {
        self.scope = Set(scope.spaceSeparated)
        self.maxAge = maxAge
        self.authenticationContexts = authenticationContexts
    }

    /// How much was proven of a user, from the least to the most, as Countersign and OpenID Connect's extension for authentication
    /// contexts call it: one factor, two, one that cannot be phished, one in hardware that cannot.
    public enum Assurance: String, Sendable, CaseIterable {
        /// One factor, such as a password alone.
        case aal1
        /// Two factors.
        case aal2
        /// A proof that cannot be phished, such as a passkey: `phr`, phishing-resistant (OpenID Connect Extended
        /// Authentication Profile ACR Values 1.0).
        case phr
        /// The same with a key in protected hardware: `phrh` (OpenID Connect Extended Authentication Profile ACR Values
        /// 1.0).
        case phrh
    }

    /// Asks for a scope and for at least so much assurance.
    public init(_ scope: String, atLeast least: Assurance, maxAge: Int? = nil) {
        self.init(scope, maxAge: maxAge, authenticationContexts: [least.rawValue])
        strongerContexts = Set(Assurance.allCases.drop { $0 != least }.dropFirst().map(\.rawValue))
    }

    /// For clients of security checks, whose tokens all have the scope of registered clients.
    public static func securityChecks(_ scope: String = "") -> ScopeRequirement {
        ScopeRequirement("RegisteredClient \(scope)")
    }

    /// What is missing.
    public enum Shortfall: Sendable, Equatable {
        /// The request has no token. The answer is 401 without an error code (RFC 6750, section 3.1).
        case noToken
        /// The request shows a token in a form that cannot be read, or more than one: 400, `invalid_request`.
        case malformedRequest
        /// The token is unknown, expired, revoked, or bound to a key that was not proven: 401, `invalid_token`.
        case invalidToken
        /// The token is good, and its scope lacks an element: 403, `insufficient_scope`.
        case insufficientScope
        /// The user has to prove more, or again.
        case insufficientAuthentication
    }

    /// What a good token is short of; nil where it is enough.
    public func shortfall(of token: ValidToken, at now: Date) -> Shortfall? {
        guard token.expiresAt > now else { return .invalidToken }
        guard scope.isSubset(of: token.scope) else { return .insufficientScope }
        if !authenticationContexts.isEmpty {
            guard let context = token.authenticationContext,
                authenticationContexts.contains(context) || strongerContexts.contains(context)
            else { return .insufficientAuthentication }
        }
        if let maxAge {
            guard let at = token.authenticatedAt, now <= at + Double(maxAge) else { return .insufficientAuthentication }
        }
        return nil
    }

    /// The scope as a text, in one order.
    var words: String { scope.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }.joined(separator: " ") }

    /// The status for it, and what `WWW-Authenticate` says (RFC 6750, section 3; RFC 9470, section 3). The form is also the
    /// one that clients of security checks read: the error before the scope, and no comma in it.
    public func answer(to shortfall: Shortfall) -> (status: HTTPResponse.Status, challenge: String) {
        switch shortfall {
        case .noToken: return (.unauthorized, "Bearer")
        case .malformedRequest: return (.badRequest, #"Bearer error="invalid_request""#)
        case .invalidToken: return (.unauthorized, #"Bearer error="invalid_token""#)
        case .insufficientScope:
            return (.forbidden, #"Bearer error="insufficient_scope", scope="\#(Self.quotable(words))""#)
        case .insufficientAuthentication:
            var parts = [
                #"Bearer error="insufficient_user_authentication""#,
                #"error_description="Another authentication is needed""#,
            ]
            if !authenticationContexts.isEmpty {
                parts.append(#"acr_values="\#(Self.quotable(authenticationContexts.joined(separator: " ")))""#)
            }
            if let maxAge { parts.append(#"max_age="\#(maxAge)""#) }
            return (.unauthorized, parts.joined(separator: ", "))
        }
    }

    /// Scope elements have neither quotes nor backslashes (RFC 6749, section 3.3); they are removed.
    private static func quotable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }))
    }
}

/// Lets requests through whose token is enough, and answers the others.
public struct ScopeMiddleware<Context: RequestContext>: RouterMiddleware {
    private let requirement: ScopeRequirement
    private let validator: any TokenValidator
    private let now: Now

    /// Guards the routes behind it with bearer tokens that `validator` finds good. Tokens that are bound to a key are
    /// refused: ``ProtectedResourceMiddleware`` takes those.
    public init(_ requirement: ScopeRequirement, validator: any TokenValidator, now: @escaping Now = systemNow) {
        self.requirement = requirement
        self.validator = validator
        self.now = now
    }

    /// Calls `next` for a request whose token is enough. Others get the status of the ``ScopeRequirement/Shortfall``,
    /// 409 with `MFP-Conflict` where the issuer is in the middle of a change, or 500 where the validator fails.
    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let token: String
        switch PresentedToken(request.headers[values: .authorization], schemes: [.bearer]) {
        case .none: return refuse(.noToken)
        case .malformed: return refuse(.malformedRequest)
        case .token(_, let text): token = text
        }
        let verdict: TokenVerdict
        do {
            verdict = try await validator.validate(token)
        } catch let error as CancellationError {
            throw error
        } catch {
            context.givenLogger.error("a token could not be validated: \(type(of: error))")
            return Response(status: .internalServerError, headers: [.cacheControl: "no-store"])
        }
        switch verdict {
        case .invalid: return refuse(.invalidToken)
        case .conflict:
            return Response(status: .conflict, headers: [.mfpConflict: "try again", .cacheControl: "no-store"])
        case .valid(let valid):
            // A bound token counts with the proof of its key alone (RFC 9449, section 7.1).
            guard valid.keyThumbprint == nil else { return refuse(.invalidToken) }
            if let shortfall = requirement.shortfall(of: valid, at: now()) { return refuse(shortfall) }
            return try await ValidToken.$current.withValue(valid) { try await next(request, context) }
        }
    }

    private func refuse(_ shortfall: ScopeRequirement.Shortfall) -> Response {
        let (status, challenge) = requirement.answer(to: shortfall)
        return Response(status: status, headers: [.wwwAuthenticate: challenge, .cacheControl: "no-store"])
    }
}

extension HTTPField.Name {
    /// The same request may be sent again.
    public static let mfpConflict: Self = {
        guard let name = Self("MFP-Conflict") else { preconditionFailure("MFP-Conflict is the name of a header field") }
        return name
    }()
}

extension RouterMethods {
    /// The routes that are added to what this gives ask for a token of that scope:
    ///
    ///     router.requires(scope: "accounts:read", validator: validator).get("balance") { _, _ in "19938.80" }
    public func requires(
        scope: String, validator: any TokenValidator, now: @escaping Now = systemNow
    ) -> RouterGroup<Context> {
        requires(ScopeRequirement(scope), validator: validator, now: now)
    }

    /// The same, with more to ask for than a scope.
    public func requires(
        _ requirement: ScopeRequirement, validator: any TokenValidator, now: @escaping Now = systemNow
    ) -> RouterGroup<Context> {
        group().add(middleware: ScopeMiddleware(requirement, validator: validator, now: now))
    }
}
