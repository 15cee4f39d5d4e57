import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Cookies of the servers that this client speaks to, for as long as the process runs: load balancers and gateways know
/// it again by them.
final class CookieJar: Sendable {
    /// In memory: what an ephemeral session would have.
    let storage = URLSessionConfiguration.ephemeral.httpCookieStorage ?? .shared

    func header(for url: URL) -> String? {
        guard let cookies = storage.cookies(for: url), !cookies.isEmpty else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    /// - Parameter headers: of an answer, with names in lower case.
    func keep(_ headers: [String: String], from url: URL) {
        guard let value = headers["set-cookie"] else { return }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }
}
