import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP
import WebPages

extension OAuth {
    /// Every endpoint that programs call, one line each.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let group = OAuthGroup(router: router, realm: realm)
        for path in Self.metadataPaths { group.on(.get, path, metadata) }
        // Made once, and not for each request.
        let grants = grants
        group.on(.post, Path.token) { request, context in try await token(request, context, grants) }
        group.on(.post, Path.push, push)
        group.on(.post, Path.revoke, revoke)
        group.on(.post, Path.introspect, introspect)
        group.on(.post, Path.device, beginDevice)
        group.on(.post, Path.backchannel, backchannel)
        group.on(.get, Path.userInfo, userInfo)
        group.on(.post, Path.userInfo, userInfo)
        group.on(.post, Path.register, register)
        group.on(.get, "\(Path.register)/{id}", showRegistration)
        group.on(.put, "\(Path.register)/{id}", changeRegistration)
        group.on(.delete, "\(Path.register)/{id}", removeRegistration)
        group.on(.post, Path.passkeyChallenge, passkeyChallenge)
        group.on(.post, Path.passkeyRegister, passkeyRegister)
        group.on(.post, Path.methods, beginMethod)
        group.on(.get, Path.methods, listMethods)
        group.on(.get, "\(Path.methods)/{id}", showMethod)
        group.on(.delete, "\(Path.methods)/{id}", removeMethod)
        group.on(.post, "\(Path.methods)/{id}/verify", verifyMethod)
    }

    /// Every endpoint that people's browsers are led to. What other servers' pages post is answered by a redirect to the same by GET, so
    /// that these two need not come from a page of this server.
    public func addPages(to router: some RouterMethods<CountersignRequestContext>) {
        router.post(RouterPath(Path.authorize)) { request, context in try await postedAuthorize(request, context) }
        router.post(RouterPath(Path.logout)) { request, context in try await postedLogout(request, context) }
        let group = router.group().add(middleware: PageMiddleware(options.site))
        group.get(RouterPath(Path.authorize)) { request, context in try await authorize(request, context) }
        group.get(RouterPath(Path.resume)) { request, context in try await resume(request, context) }
        group.get(RouterPath(Path.startAgain)) { request, _ in try await startAgain(request) }
        group.get(RouterPath(Path.logout)) { request, context in try await logout(request, context) }
        group.get(RouterPath(Path.auth0Logout)) { request, context in try await auth0Logout(request, context) }
    }

    enum Path {
        static let authorize = "/authorize"
        static let resume = "/authorize/continue"
        static let token = "/oauth/token"
        static let push = "/oauth/par"
        static let revoke = "/oauth/revoke"
        static let introspect = "/oauth/introspect"
        static let device = "/oauth/device/code"
        static let activate = "/activate"
        static let backchannel = "/bc-authorize"
        static let userInfo = "/userinfo"
        static let register = "/oidc/register"
        static let passkeyChallenge = "/passkey/challenge"
        static let passkeyRegister = "/passkey/register"
        /// What users may do with their own accounts (Auth0, My Account API): the audience of its tokens, and its one list.
        static let account = "/me/"
        static let methods = "/me/v1/authentication-methods"
        static let logout = "/oidc/logout"
        static let auth0Logout = "/v2/logout"
        static let keys = "/.well-known/jwks.json"
        static let signIn = "/sign-in"
        static let consent = "/sign-in/consent"
        static let terms = "/sign-in/terms"
        static let startAgain = "/start-again"
        static let signOut = "/sign-out"
        static let signedOut = "/signed-out"
    }

    static let metadataPaths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    /// Whether a path is of the list that users have of their own account, which refuses in its own form.
    static func isOfMethods(path: String) -> Bool { path == Path.methods || path.hasPrefix(Path.methods + "/") }

    /// This protocol's words for failures that no endpoint translated, at paths that no other protocol shares; nil for others.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        let path = request.uri.path
        let isOfMethods = Self.isOfMethods(path: path)
        guard
            isOfMethods || path == Path.register || path.hasPrefix(Path.register + "/")
                || path == Path.passkeyChallenge || path == Path.passkeyRegister
        else { return nil }
        let refused: OAuthFailure =
            switch failure {
            case .internalError:
                OAuthFailure("server_error", "Something went wrong inside the server.", status: failure.status)
            case .overloaded, .unavailable, .outcomeUnknown:
                OAuthFailure("temporarily_unavailable", "There is too much to do.", status: failure.status)
            case .body(let fault): OAuthFailure("invalid_request", "\(fault)", status: failure.status)
            case .status(.methodNotAllowed):
                OAuthFailure(
                    "invalid_request", "The endpoint is there, but not for this method.", status: failure.status)
            case .status: OAuthFailure("invalid_request", "There is no such endpoint.", status: failure.status)
            }
        return try isOfMethods ? AccountProblem(refused).response() : refused.response()
    }

    /// Headers that pages of other origins may read of answers (RFC 9449, section 8).
    public static let exposedHeaders: [HTTPField.Name] = [.retryAfter, .wwwAuthenticate, .dpopNonce, .location]

    /// Whether a path is that of a document which every client reads alike: metadata, keys.
    public static func isDocument(path: String) -> Bool { metadataPaths.contains(path) || path == Path.keys }

    /// Whether a browser is led to a path, which pages of other origins never call, whatever protocol has a like path.
    public static func isOfBrowsers(path: String) -> Bool { path == Path.auth0Logout }

    /// Whether pages of other origins may call a path: never the ones that a browser is led to.
    public static func isPublic(path: String) -> Bool {
        isDocument(path: path) || path == Path.userInfo || path == Path.backchannel
            || path.hasPrefix("/oauth/") || path == Path.register || path.hasPrefix(Path.register + "/")
            || path == Path.passkeyChallenge || path == Path.passkeyRegister
            || isOfMethods(path: path)
    }
}

private struct OAuthGroup<Routes: RouterMethods<CountersignRequestContext>> {
    let router: Routes
    let realm: Realm

    func on(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Request, CountersignRequestContext) async throws -> Response
    ) {
        let isOfMethods = OAuth.isOfMethods(path: path)
        @Sendable func refusal(_ failure: OAuthFailure) throws -> Response {
            try isOfMethods ? AccountProblem(failure).response() : failure.response()
        }
        router.on(RouterPath(path), method: method) { [realm] request, context in
            let response: Response
            do {
                response = try await handler(request, context)
            } catch let failure as OAuthFailure {
                response = try refusal(failure)
            } catch let problem as AccountProblem {
                response = try problem.response()
            } catch let challenge as TokenChallenge {
                response = try isOfMethods ? AccountProblem(challenge).response() : challenge.response()
            } catch RequestBodyFault.duplicateMember("resource") {
                // RFC 8707, section 2.2, leaves it open how many an access token is for: here it is one.
                response = try refusal(.invalidTarget("An access token is for one API: name one resource."))
            } catch let fault as RequestBodyFault {
                let status: HTTPResponse.Status = fault.status == .contentTooLarge ? .contentTooLarge : .badRequest
                response = try refusal(OAuthFailure("invalid_request", "\(fault)", status: status))
            }
            return try await response.tellingNonce(to: request, of: realm)
        }
    }
}
