import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Where a browser ends after a request and its redirects: at a page of this server, or at an application's address.
struct Landing: Sendable {
    /// The status of the first answer.
    var answered: Int
    var page: TestPage?
    var away: String?

    /// The page's name.
    var kind: String? { page?.kind }
}

extension TestBrowser {
    struct TooManyRedirects: Error {}

    /// Opens a link and follows redirects of this server, up to the first that leads elsewhere.
    func land(_ path: String) async throws -> Landing {
        var (path, answered) = (path, nil as Int?)
        for _ in 0..<8 {
            let reply = try await send(.get, path, headers: [.acceptLanguage: "en"])
            answered = answered ?? reply.status
            guard reply.status == 303 else {
                return Landing(
                    answered: answered ?? reply.status, page: TestPage(reply: reply, path: path, language: "en"))
            }
            path = try #require(reply.headers[.location])
            if !path.hasPrefix("/") { return Landing(answered: 303, away: path) }
        }
        throw TooManyRedirects()
    }

    /// Sends the page's form that has all of the fields, and follows what comes.
    func sendForm(
        of page: TestPage, _ fields: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Landing {
        let form = try #require(page.form(with: fields), "\(page.html)", sourceLocation: sourceLocation)
        return try await sendForm(form, fields)
    }

    /// Sends a form, and follows what comes.
    func sendForm(_ form: TestPage.Form, _ fields: [String: String]) async throws -> Landing {
        let reply = try await post(form.action, form.values.merging(fields) { $1 })
        guard reply.status == 303 else {
            return Landing(
                answered: reply.status, page: TestPage(reply: reply, path: form.action, language: "en"))
        }
        let location = try #require(reply.headers[.location])
        var landing = location.hasPrefix("/") ? try await land(location) : Landing(answered: 303, away: location)
        landing.answered = reply.status
        return landing
    }
}
