import CountersignCore
import HTTPTypes
import Hummingbird

/// Forms that carry the secret of a mailed link or of an invitation (docs/decisions/0186).
extension PageVisit {
    /// The hidden field `csrf` of such a form; nil where the browser has no key (``keepBrowser(_:)``).
    /// - Parameter secret: the link's.
    public func linkToken(for secret: String) -> String? {
        browser.map { FormToken.text(for: FormToken.linkPurpose, flow: secret, in: $0) }
    }

    /// The answer to a form that is not of a page that this browser was given. Nothing was done, and the link goes on.
    public func staleForm() -> Response {
        response(Page("error", words("errorTitle"), problem: words("staleForm")), status: .forbidden)
    }
}

extension PageSite {
    /// Whether such a form is of a page that this browser was given. A program that has the link's secret needs nothing else: it sends
    /// neither a key nor one of the headers by which browsers say where a form comes from.
    public func admits(linkForm token: String?, for secret: String, _ request: Request) -> Bool {
        let key = cookies.browser(request)
        let isProgram =
            key == nil && request.headers[.secFetchSite] == nil && request.headers[.origin] == nil
        return isProgram || FormToken.admits(token, for: FormToken.linkPurpose, flow: secret, in: key)
    }
}

extension FormToken {
    fileprivate static let linkPurpose = "link"
}
