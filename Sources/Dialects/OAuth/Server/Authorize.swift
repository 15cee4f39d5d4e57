import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServerHTTP
import WebPages

/// The authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core 1.0, section 3.1.2).
extension OAuth {
    /// Bytes of an authorization request.
    static let longestRequest = 16_384

    /// `GET /authorize`.
    func authorize(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.uri.query ?? ""
        guard query.utf8.count <= Self.longestRequest, let given = QueryParameters(query) else {
            return pages.error(request, context, "the query is too long, or cannot be read")
        }
        if let fault = given.fault {
            return pages.error(request, context, fault.sentence, code: "invalid_request (\(fault.name))")
        }
        guard let id = given["client_id"] else { return pages.error(request, context, "client_id is missing") }
        let client = context.client(ClientID(rawValue: "oauth"), of: .oauth)
        if let refusal = try await realm.clientDocuments.prepare(ClientID(rawValue: id), by: client) {
            return pages.error(request, context, refusal.reason)
        }
        guard let application = try await realm.applications.application(ClientID(rawValue: id)) else {
            return pages.error(request, context, "client_id is unknown")
        }
        var (parameters, pushed) = (given, Data?.none)
        if let object = given["request"], application.registration.hasKeys {
            // Only what the application signed counts (RFC 9101, section 6.3), so nothing can be answered to it before it is read.
            guard given["request_uri"] == nil, let signed = await signedParameters(object, application) else {
                return pages.error(
                    request, context, "the request object is not signed for this server by the application")
            }
            parameters = signed
        } else if let uri = given["request_uri"] {
            // Only what was pushed counts beside the client id (RFC 9126, section 4); nothing is fetched.
            guard uri.hasPrefix(AuthorizationRequests.pushedPrefix) else {
                return pages.error(
                    request, context, "request_uri is of elsewhere", code: "request_uri_not_supported")
            }
            guard let found = try await realm.authorizations.pushed(uri, of: application.id) else {
                return pages.error(
                    request, context, "request_uri is unknown, expired or of another application",
                    code: "invalid_request_uri")
            }
            (parameters, pushed) = (QueryParameters(found.parameters), found.id)
        }
        let reader = AuthorizationParameters(oauth: self, parameters: parameters, application: application)
        guard let redirect = reader.redirectURI() else {
            return pages.error(request, context, "redirect_uri is missing or not registered")
        }
        let target = reader.target(redirect.uri)
        if application.registration.oauth.requiresPAR, pushed == nil {
            return await tell(
                AuthorizationAnswer(error: "invalid_request", "The request has to be pushed.", to: target), request,
                context)
        }
        do {
            var asked = try await reader.request(redirect)
            if let pushed { asked.cameOf(pushed: pushed) }
            return try await proceed(asked, target, request, context)
        } catch let refusal as AuthorizationParameters.Refusal {
            return await tell(
                AuthorizationAnswer(error: refusal.error, refusal.description, to: target), request, context)
        } catch {
            return await tell(try faulty(error, target, context), request, context)
        }
    }

    /// What an application is told before its user did anything. One that no administrator checked is told nothing where no user is signed in: a
    /// link to this server would lead on to whatever address its maker chose (RFC 9700, section 4.11.2). The log has the reason.
    private func tell(
        _ answer: AuthorizationAnswer, _ request: Request, _ context: CountersignRequestContext
    ) async -> Response {
        guard answer.target.application.registration.oauth.isUnchecked else { return response(answer, request) }
        if (try? await browserSession(request)) != nil { return response(answer, request) }
        return pages.error(
            request, context, "not told to an unchecked application: \(answer.fields.first?.value ?? "")")
    }

    /// What an application is told where this server fails: its browser brings it no status (RFC 6749, section 4.1.2.1).
    private func faulty(
        _ error: any Error, _ target: AuthorizationAnswer.Target, _ context: CountersignRequestContext
    ) throws -> AuthorizationAnswer {
        switch ServerFailure(error) {
        case .overloaded, .unavailable, .outcomeUnknown:
            if let leftOut = failureLines.refusals.leftOut(at: .now) {
                context.logger.warning(
                    "request of an application not answered: \(error)",
                    metadata: Logger.Metadata().with(leftOut: leftOut))
            }
            return AuthorizationAnswer(
                error: "temporarily_unavailable", "The server has too much to do. Try again in a moment.", to: target)
        case .internalError:
            if let leftOut = failureLines.faults.leftOut(at: .now) {
                context.logger.error(
                    "request of an application failed: \(type(of: error)): \(error)",
                    metadata: Logger.Metadata().with(leftOut: leftOut))
            }
            return AuthorizationAnswer(error: "server_error", "Something went wrong inside the server.", to: target)
        case .body, .status: throw error
        }
    }

    /// The parameters of a request object; nil where the application did not sign it for this server, now, or it has one twice.
    func signedParameters(_ object: String, _ application: CountersignCore.Application) async -> QueryParameters? {
        let values = await realm.applications.parameters(
            ofRequestObject: object, from: application, issuer: issuer(for: application))
        return values.map { QueryParameters($0) }.flatMap { $0.repeated == nil ? $0 : nil }
    }

    /// `POST /authorize`: the same by a redirect to itself, so that the browser's cookies come along. Nothing is changed by it, and an ID token
    /// stays behind.
    func postedAuthorize(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        guard let body = try? await request.formBytes(limit: Self.longestRequest),
            body.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let parameters = QueryParameters(String(decoding: body, as: UTF8.self))
        else { return pages.error(request, context, "the form cannot be read") }
        if let fault = parameters.fault {
            return pages.error(request, context, fault.sentence, code: "invalid_request (\(fault.name))")
        }
        var query = String(decoding: body, as: UTF8.self)
        if let token = parameters["id_token_hint"] {
            // One that is none is refused where the rest of the request is judged.
            var reference = "none"
            let client = ClientID(rawValue: parameters["client_id"] ?? "")
            if let user = try await subject(ofIDToken: token, for: client) {
                reference = try await realm.hintReferences.reference(
                    to: .init(application: client, user: user), for: .signingIn)
            }
            var reader = FormReader(Array(query.utf8))
            var fields: [String] = []
            while let field = try reader.next() {
                if field.name == "id_token_hint" || field.name == Self.hintReference { continue }
                fields.append("\(field.name.percentEncoded)=\(field.value.percentEncoded)")
            }
            query = (fields + ["\(Self.hintReference)=\(reference)"]).joined(separator: "&")
        }
        return Response(
            status: .seeOther, headers: [.location: "\(Path.authorize)?\(query)", .cacheControl: "no-store"])
    }

    /// Names what stands for an ID token where this server leads the browser on.
    static let hintReference = "hint_reference"

    /// A code at once where the browser's session suffices; otherwise the request is kept, and a page asks for what is missing.
    private func proceed(
        _ asked: AuthorizationRequest, _ target: AuthorizationAnswer.Target, _ request: Request,
        _ context: CountersignRequestContext
    ) async throws -> Response {
        let client = context.client(target.application.id, of: .oauth)
        let session = try await browserSession(request)
        switch try await realm.authorizations.finish(
            asked, application: target.application, session: session?.id, by: client)
        {
        case .code(let code):
            // A request that its user does not see is no use of the session.
            let renewed = asked.prompts.contains(.none) ? nil : try await renewedSession(request)
            return response(AuthorizationAnswer(code: code, to: target), request)
                .setting(cookies: renewed.map { [cookies.setting(session: $0)] } ?? [])
        case .over: return pages.error(request, context, "the pushed request was used")
        case .missing(.impossible(let failure)):
            return await tell(
                AuthorizationAnswer(error: failure.rawValue, failure.sentence, to: target), request, context)
        case .missing(let standing):
            let known = cookies.browser(request)
            let fresh = known == nil ? cookies.freshBrowser(realm.random) : nil
            guard let browser = known ?? fresh?.key else {
                return pages.error(request, context, "the browser has no key")
            }
            switch try await realm.authorizations.begin(
                asked, in: browser, isSignedIn: session != nil, by: client)
            {
            case .begun(let handle):
                return Self.page(for: standing, handle).setting(cookies: fresh.map { [$0.setCookie] } ?? [])
            case .limited:
                return await tell(
                    AuthorizationAnswer(
                        error: "temporarily_unavailable", "Too many requests from this address.", to: target), request,
                    context)
            }
        }
    }

    /// `GET /authorize/continue`: back from a page. What is missing now is asked for, or the application gets its answer.
    func resume(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        guard let text = request.queryItems["flow"], text.utf8.count <= 128, let browser = cookies.browser(request),
            let pending = try await realm.authorizations.pending(FlowHandle(text), in: browser)
        else { return try await over(request) }
        let asked = pending.request
        let target = AuthorizationAnswer.Target(
            redirectURI: asked.redirectURI, mode: asked.responseMode, state: asked.state,
            issuer: issuer(for: pending.application), application: pending.application)
        // What was registered may have changed since.
        guard
            RedirectURI.matches(
                asked.redirectURI, pending.application.registration.redirectURIs,
                freePorts: hasFreePorts(pending.application))
        else { return pages.error(request, context, "redirect_uri is not registered any more") }
        let client = context.client(pending.application.id, of: .oauth)
        let session = try await browserSession(request)
        switch try await realm.authorizations.finish(
            asked, application: pending.application, handle: pending.handle, in: browser, session: session?.id,
            by: client)
        {
        case .code(let code): return response(AuthorizationAnswer(code: code, to: target), request)
        case .over: return try await over(request)
        case .missing(.impossible(let failure)): return refuse(failure, target, request)
        case .missing(let standing): return Self.page(for: standing, pending.handle)
        }
    }

    /// A request that is over, or of another browser. The page leads back to the application where a way is known.
    private func over(_ request: Request) async throws -> Response {
        guard let text = request.queryItems["flow"], try await wayBack(ofFlow: text) != nil else {
            return Self.redirect(to: Path.startAgain)
        }
        return Self.redirect(to: "\(Path.startAgain)?flow=\(text.percentEncoded)")
    }

    /// `GET /start-again`.
    func startAgain(_ request: Request) async throws -> Response {
        guard let flow = request.queryItems["flow"], let back = try await wayBack(ofFlow: flow) else {
            return pages.startAgain(request)
        }
        return pages.startAgain(request, flow: flow, back: back)
    }

    /// The application of a request and where it begins; nil where one of them is not known.
    private func wayBack(ofFlow text: String) async throws -> OAuthPages.WayBack? {
        guard text.utf8.count <= 128,
            let application = try await realm.authorizations.application(of: FlowHandle(text)),
            let start = application.start(from: base)
        else { return nil }
        return OAuthPages.WayBack(name: application.registration.displayName ?? application.id.rawValue, start: start)
    }

    /// The token of a session that is in use, where it says so anew.
    private func renewedSession(_ request: Request) async throws -> Secret<String>? {
        guard let token = cookies.session(request) else { return nil }
        return try await realm.sessions.renewed(browser: token)
    }

    /// The session of the browser's cookie, where it goes on.
    func browserSession(_ request: Request) async throws -> Session? {
        guard let token = cookies.session(request) else { return nil }
        return try await realm.sessions.session(ofBrowser: token)?.session
    }

    private static func page(for standing: AuthorizationStanding, _ handle: FlowHandle) -> Response {
        let path =
            switch standing {
            case .consent: Path.consent
            case .terms: Path.terms
            case .signIn, .secondFactor, .passkeyEnrolment, .ready, .impossible: Path.signIn
            }
        return redirect(to: "\(path)?flow=\(handle.token.reveal())")
    }

    /// Relative, so that a browser stays at the address that it knows.
    static func redirect(to path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
    }
}
