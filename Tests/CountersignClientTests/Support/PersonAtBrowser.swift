import CountersignClient
import DialectTestSupport
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// A user at a browser without scripts: keeps cookies, follows redirects, and types a name and a password.
final class PersonAtBrowser: AuthorizationBrowser {
    static let address = "ada@example.org"

    private let server: TestServer
    private let jar = Mutex<[String: String]>([:])
    private let visited = Mutex<[URL]>([])
    /// What becomes of the answer before the client gets it.
    private let change: @Sendable (URL) -> URL

    init(_ server: TestServer, change: @escaping @Sendable (URL) -> URL = { $0 }) {
        self.server = server
        self.change = change
    }

    /// The pages that a client sent the browser to.
    var pages: [URL] { visited.withLock { $0 } }

    func authorize(
        _ begin: @Sendable (_ redirectURI: String) async throws -> AuthorizationPage
    ) async throws -> URL {
        let redirectURI = "http://127.0.0.1:49152/callback"
        let page = try await begin(redirectURI)
        visited.withLock { $0.append(page.url) }
        let end = try await walk(from: page.url.absoluteString) { $0.hasPrefix(redirectURI + "?") }
        return change(try #require(URL(string: end)))
    }

    /// Goes where redirects and forms lead, until an address is the end.
    func walk(from address: String, isEnd: (String) -> Bool) async throws -> String {
        var reply = try await send(.get, address)
        for _ in 0..<12 {
            if let location = reply.headers[.location] {
                if isEnd(location) { return location }
                reply = try await send(.get, location)
                continue
            }
            let forms = PageForm.all(of: reply.text)
            let typed = ["username": Self.address, "password": TestServer.password]
            guard
                let (form, field) = forms.lazy.compactMap({ form in
                    typed.keys.first(where: form.names.contains).map { (form, $0) }
                }).first, let value = typed[field]
            else { break }
            reply = try await send(.post, form.action, form.body([field: value]))
        }
        throw Unexpected(what: "\(reply.status) \(reply.text.prefix(2000))")
    }

    func send(_ method: HTTPRequest.Method, _ address: String, _ body: String? = nil) async throws -> Reply {
        var headers: HTTPFields = [.accept: "text/html"]
        let cookies = jar.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        if !cookies.isEmpty { headers[.cookie] = cookies.joined(separator: "; ") }
        if body != nil {
            headers[.contentType] = "application/x-www-form-urlencoded"
            if let site = HTTPField.Name("Sec-Fetch-Site") { headers[site] = "same-origin" }
        }
        let path = address.replacing(ServerTransport.base, with: "")
        let reply = try await server.send(method, path, headers: headers, body: body.map { Array($0.utf8) })
        for line in reply.headers[values: .setCookie] {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            jar.withLock { $0[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1]) }
        }
        return reply
    }
}
