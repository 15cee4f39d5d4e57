import HTTPTypes
import Hummingbird
import ServerHTTP

extension PageSite {
    /// Answers of which no dialect has words, as pages for browsers: a path that does not exist, a failure of ours. Nil where the
    /// client does not ask for pages.
    /// - Parameter reference: what the log calls the request.
    public func format(_ failure: ServerFailure, _ request: Request, reference: String) -> Response? {
        guard request.headers[.accept]?.lowercased().contains("text/html") == true else { return nil }
        var visit = visit(request)
        visit.linkItems = [:]
        let (kind, title, text): (PageKind, String, String) =
            switch failure {
            case .status(.notFound): ("not-found", "notFoundTitle", "notFoundText")
            case .overloaded, .unavailable, .outcomeUnknown: ("error", "busyTitle", "busyText")
            case .internalError, .body, .status: ("error", "errorTitle", "errorText")
            }
        var page = Page(kind, visit.words(title), visit.words(text))
        if failure.status.code >= 500 { page.blocks = visit.naming(reference) }
        page.blocks.append(.links([.init(visit.words("homeLink"), to: "/")]))
        return visit.response(page, status: failure.status)
    }
}

extension PageVisit {
    /// The number under which the log has the request, for people who ask their operator about it.
    public func naming(_ reference: String) -> [PageBlock] {
        reference.isEmpty ? [] : [.text(words("errorReference", ["number": .words(reference)]))]
    }
}
