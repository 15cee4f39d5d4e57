import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import ServerHTTP
import WebPages

/// Signing out at the request of an application (OpenID Connect RP-Initiated Logout 1.0).
extension OAuth {
    /// `GET /oidc/logout`.
    func logout(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.uri.query ?? ""
        guard query.utf8.count <= Self.longestRequest, let parameters = QueryParameters(query) else {
            return pages.error(request, context, "the logout request is too long, or cannot be read")
        }
        if let fault = parameters.fault {
            return pages.error(request, context, fault.sentence, code: "invalid_request (\(fault.name))")
        }
        let hint = try await logoutHint(parameters)
        let session = try await browserSession(request)
        guard let session else {
            // Nothing is left to sign out of; the pages come back here when it is done. Without a user who was signed in, an application that
            // no administrator checked leads no one anywhere (RFC 9700, section 4.11.2).
            let isUnchecked = hint?.application.registration.oauth.isUnchecked == true
            let address = isUnchecked ? nil : target(parameters, hint)
            return Self.redirect(to: address ?? signedOut(parameters, hint))
        }
        guard let hint, hint.session == session.id, try await isNamed(parameters["logout_hint"], by: session) else {
            // A link alone, which any site can show, signs no user out: the user confirms it. So does one who is hinted at as another.
            let escaped = try await withoutToken(parameters, hint).percentEncoded
            let languages = parameters["ui_locales"].map { "&ui_locales=\($0.percentEncoded)" } ?? ""
            return Self.redirect(to: "\(Path.signOut)?logout=\(escaped)\(languages)")
        }
        let client = context.client(hint.application.id, of: .oauth)
        _ = try await realm.sessions.signOut(session.id, of: session.userID, by: client)
        var response = Self.redirect(to: target(parameters, hint) ?? signedOut(parameters, hint))
        response.headers[.clearSiteData] = "\"cache\", \"storage\""
        return response.setting(cookies: cookies.clearingSession)
    }

    /// `POST /oidc/logout`: the same by a redirect to itself, so that the browser's cookies come along. The ID token stays behind.
    func postedLogout(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        guard let body = try? await request.formBytes(limit: Self.longestRequest),
            let parameters = QueryParameters(String(decoding: body, as: UTF8.self))
        else { return pages.error(request, context, "the form cannot be read") }
        if let fault = parameters.fault {
            return pages.error(request, context, fault.sentence, code: "invalid_request (\(fault.name))")
        }
        let query = try await withoutToken(parameters, logoutHint(parameters))
        return Self.redirect(to: query.isEmpty ? Path.logout : "\(Path.logout)?\(query)")
    }

    /// A request to sign out as addresses of this server carry it: with a reference in the place of the ID token.
    private func withoutToken(_ parameters: QueryParameters, _ hint: LogoutHint?) async throws -> String {
        let names = ["client_id", "post_logout_redirect_uri", "state", "ui_locales", "logout_hint"]
        var members = names.compactMap { name in parameters[name].map { (name, $0) } }
        if parameters["id_token_hint"] != nil || parameters[Self.hintReference] != nil {
            // A token that is none leaves the application unknown, whatever else names it.
            var reference = "none"
            if let hint {
                reference = try await realm.hintReferences.reference(
                    to: .init(application: hint.application.id, session: hint.session), for: .signingOut)
            }
            members.append((Self.hintReference, reference))
        }
        return members.map { "\($0.0)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }

    /// `GET /v2/logout`, Auth0's spelling: `returnTo` is an address to return to like any other, so it has to be registered for the
    /// application.
    func auth0Logout(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.uri.query ?? ""
        guard query.utf8.count <= Self.longestRequest, let parameters = QueryParameters(query) else {
            return pages.error(request, context, "the logout request is too long, or cannot be read")
        }
        if let fault = parameters.fault {
            return pages.error(request, context, fault.sentence, code: "invalid_request (\(fault.name))")
        }
        let members = [("client_id", "client_id"), ("post_logout_redirect_uri", "returnTo"), ("state", "state")]
            .compactMap { name, theirs in parameters[theirs].map { "\(name)=\($0.percentEncoded)" } }
        return Self.redirect(to: Path.logout + (members.isEmpty ? "" : "?" + members.joined(separator: "&")))
    }

    /// The page that ends a sign-out without an address to return to, in the language that was asked for. It leads back to where the
    /// application begins, where that is known.
    private func signedOut(_ parameters: QueryParameters, _ hint: LogoutHint?) -> String {
        let application = hint.flatMap { $0.application.start(from: base) == nil ? nil : $0.application.id.rawValue }
        return PagePath(Path.signedOut, [("ui_locales", parameters["ui_locales"]), ("client_id", application)]).text
    }

    /// Whether `logout_hint` leaves it open who signs out, or names the user of the session: by address, id or `sid`.
    private func isNamed(_ hint: String?, by session: CountersignCore.Session) async throws -> Bool {
        guard let hint, hint != session.userID.rawValue, hint != session.id.rawValue else { return true }
        guard let address = EmailAddress(hint) else { return false }
        return try await realm.accounts.user(session.userID)?.email?.canonical == address.canonical
    }

    private struct LogoutHint {
        let application: CountersignCore.Application
        /// Of the ID token; nil where the application is known by its id alone.
        let session: SessionID?
    }

    /// The application that asks, by its ID token or its id; nil where neither is good, or they contradict each other.
    private func logoutHint(_ parameters: QueryParameters) async throws -> LogoutHint? {
        let named = parameters["client_id"]
        if let reference = parameters[Self.hintReference], parameters["id_token_hint"] == nil {
            guard let found = realm.hintReferences.named(by: reference, for: .signingOut),
                named.map({ $0 == found.application.rawValue }) ?? true,
                let application = try await realm.applications.application(found.application)
            else { return nil }
            return LogoutHint(application: application, session: found.session)
        }
        guard let text = parameters["id_token_hint"] else {
            guard let named, let application = try await realm.applications.application(ClientID(rawValue: named))
            else { return nil }
            return LogoutHint(application: application, session: nil)
        }
        guard let payload = CompactJWS(untrusted: text)?.payloadBytes, let claims = try? JSONParser.parse(payload),
            let audience = claims["aud"]?.stringValue, named.map({ $0 == audience }) ?? true,
            try await subject(ofIDToken: text, for: ClientID(rawValue: audience)) != nil,
            let application = try await realm.applications.application(ClientID(rawValue: audience))
        else { return nil }
        return LogoutHint(
            application: application, session: claims["sid"]?.stringValue.map(SessionID.init(rawValue:)))
    }

    /// The registered address that the application names, with its `state`; nil where it names none, or one of another's.
    private func target(_ parameters: QueryParameters, _ hint: LogoutHint?) -> String? {
        guard let hint, let uri = parameters["post_logout_redirect_uri"], RedirectURI.fault(of: uri) == nil,
            RedirectURI.matches(
                uri, hint.application.registration.oauth.postLogoutRedirectURIs,
                freePorts: hasFreePorts(hint.application))
        else { return nil }
        guard let state = parameters["state"], state.utf8.count <= AuthorizationRequest.longestState else { return uri }
        return uri + (uri.contains("?") ? "&" : "?") + "state=\(state.percentEncoded)"
    }
}

extension HTTPField.Name {
    /// Clear Site Data, section 3.1.
    static let clearSiteData = known("Clear-Site-Data")
}
