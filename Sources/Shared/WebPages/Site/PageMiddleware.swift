import HTTPTypes
import Hummingbird
import ServerHTTP

/// What every request for a page has to be before a page sees it. It stands on the routes of pages alone: programs that ask an API by
/// whatever name, and probes, are left alone.
///
/// - The host is one of this server's (RFC 9110, section 7.4): 421 otherwise, so that no page, mail or redirect is made under a name of
///   a stranger's choice.
/// - A page is read as a document, or by its own script: frames, images and embedded objects get 403 (Fetch Metadata Request Headers).
/// - A form comes from a page of this server: `Sec-Fetch-Site` says so, or where a browser does not send that, `Origin`. Where neither
///   is there, nothing shows it: 403, but for forms that carry the code of a mailed link, which a stranger's page does not know.
public struct PageMiddleware: RouterMiddleware {
    /// Where the forms of a group of pages may come from.
    public enum Forms: Sendable {
        /// From pages of this server, shown by a header of the browser.
        case ownPages
        /// The same, but a client that sends neither header is believed: the form has a secret of its own.
        case withSecret
    }

    private let site: PageSite
    private let forms: Forms

    public init(_ site: PageSite, forms: Forms = .ownPages) {
        self.site = site
        self.forms = forms
    }

    public func handle(
        _ request: Request, context: CountersignRequestContext,
        next: (Request, CountersignRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, site.addresses.admits(host: host) else {
            return refusal(request, "frameWrongHost", status: .misdirectedRequest)
        }
        let isReading = request.method == .get || request.method == .head
        if isReading {
            if let destination = request.headers[.secFetchDest], !["document", "empty"].contains(destination) {
                return refusal(request, "frameEmbedded", status: .forbidden)
            }
        } else if !comesFromOwnPage(request, host: host) {
            return refusal(request, "frameForeignForm", status: .forbidden)
        }
        return try await next(request, context)
    }

    private func comesFromOwnPage(_ request: Request, host: String) -> Bool {
        let (fetchSite, origin) = (request.headers[.secFetchSite], request.headers[.origin])
        // Under `Referrer-Policy: no-referrer` browsers send the origin `null` with forms of the same origin.
        if let origin, origin != "null", !site.addresses.admits(origin: origin, toHost: host) { return false }
        if let fetchSite { return fetchSite == "same-origin" }
        if let origin { return origin != "null" }
        return forms == .withSecret
    }

    private func refusal(_ request: Request, _ key: String, status: HTTPResponse.Status) -> Response {
        var visit = site.visit(request)
        visit.linkItems = [:]
        let page = Page("error", visit.words("errorTitle"), visit.words(key))
        // No cookie, no link by a name that is not ours.
        return page.response(in: visit, status: status)
    }
}

extension HTTPField.Name {
    /// What a browser loads an answer for (Fetch Metadata Request Headers, section 2.1).
    static let secFetchDest = known("Sec-Fetch-Dest")
    /// How the page that a request comes from relates to where it goes (Fetch Metadata Request Headers, section 2.3).
    static let secFetchSite = known("Sec-Fetch-Site")
}
