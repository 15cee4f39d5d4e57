import AsyncHTTPClient
import Crypto
import Foundation
import JSON
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

/// A person's browser and the application that it comes from, as far as sign-ins, codes and tokens go: keeps cookies, and fills in the forms
/// of pages.
final class PageVisitor: Sendable {
    struct Tokens: Sendable {
        let access: String
        let refresh: String
    }

    struct Answer: Sendable {
        let status: Int
        let location: String?
        let text: String

        var json: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }
        var error: String? { json?["error"] as? String }
        var tokens: Tokens? {
            guard let access = json?["access_token"] as? String, let refresh = json?["refresh_token"] as? String
            else { return nil }
            return Tokens(access: access, refresh: refresh)
        }
    }

    /// Where a visit has come to.
    enum Landing: Sendable {
        /// At the application, with the address that the browser was sent to.
        case away(String)
        /// At a page that asks for something else than a name and a password.
        case page(String)
    }

    private static let callback = "http://127.0.0.1/callback"
    private static let verifier = String(repeating: "verifier-", count: 5)

    let url: URL
    private let email: String
    private let cookies = Mutex<[String: String]>([:])

    init(url: URL, email: String = "ada@example.org") {
        self.url = url
        self.email = email
    }

    /// The same browser, where the server has another address.
    func moved(to url: URL) -> PageVisitor {
        let visitor = PageVisitor(url: url, email: email)
        let known = cookies.withLock { $0 }
        visitor.cookies.withLock { $0 = known }
        return visitor
    }

    /// Redirects are answers, and a server that was killed leaves no connection for the next.
    private static let client = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 200
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    func send(
        _ method: String, _ path: String, form: [String: String]? = nil, bearer: String? = nil
    ) async throws -> Answer {
        let target = try #require(URL(string: path, relativeTo: url))
        var request = HTTPClientRequest(url: target.absoluteString)
        request.method = .RAW(value: method)
        request.headers.add(name: "Connection", value: "close")
        let known = cookies.withLock { $0 }
        if !known.isEmpty {
            request.headers.add(name: "Cookie", value: known.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        }
        if let bearer { request.headers.add(name: "Authorization", value: "Bearer \(bearer)") }
        if let form {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.headers.add(name: "Sec-Fetch-Site", value: "same-origin")
            request.body = .bytes(Array(Self.encoded(form).utf8))
        }
        let response = try await Self.client.execute(request, timeout: .seconds(600))
        let body = try await response.body.collect(upTo: 1 << 22)
        for cookie in response.headers["Set-Cookie"] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = pair.first, name.contains("cs_") else { continue }
            cookies.withLock { $0[name] = pair.count == 2 ? pair[1] : nil }
        }
        return Answer(
            status: Int(response.status.code), location: response.headers.first(name: "Location"),
            text: String(buffer: body))
    }

    private static func encoded(_ form: [String: String]) -> String {
        form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
    }

    private func authorization(_ more: [String: String]) -> String {
        let challenge = Array(SHA256.hash(data: Data(Self.verifier.utf8))).base64URL
        return "/authorize?"
            + Self.encoded(
                [
                    "client_id": "dev-native", "redirect_uri": Self.callback, "response_type": "code",
                    "scope": "openid offline_access", "state": "s", "code_challenge": challenge,
                    "code_challenge_method": "S256",
                ].merging(more) { $1 })
    }

    // MARK: Pages

    /// Through the pages, with a password.
    func signIn() async throws {
        guard case .away = try await visit() else {
            Issue.record("The pages ask for more than a password.")
            return
        }
    }

    /// From an application's request as far as name and password lead.
    /// - Parameter more: what the request says beside the usual.
    func visit(_ more: [String: String] = [:]) async throws -> Landing {
        var path = try #require(try await send("GET", authorization(more)).location)
        for _ in 0..<8 where !path.hasPrefix(Self.callback) {
            let page = try await send("GET", path)
            if page.status == 303 {
                path = try #require(page.location)
                continue
            }
            #expect(page.status == 200, "\(page.text.prefix(400))")
            // Each form has its own token: only what stands in the one that is sent goes with it.
            let form = page.text.matches(of: /<form[^>]*action="([^"]*)"[\s\S]*?<\/form>/).first {
                $0.output.0.contains("name=\"username\"") || $0.output.0.contains("name=\"password\"")
            }
            guard let (html, action) = form?.output else { return .page(page.text) }
            var fields = Self.hidden(in: html)
            if html.contains("name=\"username\"") { fields["username"] = email }
            if html.contains("name=\"password\"") { fields["password"] = "a quiet afternoon" }
            let posted = try await send("POST", String(action), form: fields)
            path = try #require(posted.location, "\(posted.status) \(posted.text.prefix(400))")
        }
        #expect(path.hasPrefix(Self.callback))
        return .away(path)
    }

    private static func hidden(in html: Substring) -> [String: String] {
        var fields: [String: String] = [:]
        for match in html.matches(of: /<input[^>]*type="hidden"[^>]*>/) {
            let input = match.output
            guard let name = input.firstMatch(of: /name="([^"]*)"/)?.output.1,
                let value = input.firstMatch(of: /value="([^"]*)"/)?.output.1
            else { continue }
            fields[String(name)] = String(value).replacing("&amp;", with: "&").replacing("&#39;", with: "'")
        }
        return fields
    }

    /// The form of a page that makes a passkey, and what the browser is asked to make.
    func passkeyForm(on page: String) async throws -> (action: String, fields: [String: String], options: Data) {
        let form = try #require(
            page.firstMatch(
                of:
                    /<form method="post" action="([^"]*)" hidden data-passkey="create" data-options="([^"]*)"([\s\S]*?)<\/form>/
            ), "\(page)")
        let fields = Self.hidden(in: form.output.3)
        let answer = try await send("POST", String(form.output.2), form: fields)
        let options = try #require(answer.json?["options"], "\(answer.status) \(answer.text)")
        return (String(form.output.1), fields, try JSONSerialization.data(withJSONObject: options))
    }

    // MARK: Codes and tokens

    /// A code of the session that the browser has.
    func code(_ more: [String: String] = [:]) async throws -> String {
        let answer = try await send("GET", authorization(more))
        let location = try #require(answer.location, "\(answer.status) \(answer.text.prefix(400))")
        let parts = location.components(separatedBy: "code=")
        #expect(parts.count == 2, "\(location)")
        return try #require(parts.last?.components(separatedBy: "&").first)
    }

    func redeem(_ code: String) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            form: [
                "grant_type": "authorization_code", "code": code, "redirect_uri": Self.callback,
                "code_verifier": Self.verifier, "client_id": "dev-native",
            ])
    }

    func refresh(_ token: String) async throws -> Answer {
        try await send(
            "POST", "/oauth/token",
            form: ["grant_type": "refresh_token", "refresh_token": token, "client_id": "dev-native"])
    }

    func userInfo(_ token: String) async throws -> Int {
        try await send("GET", "/userinfo", bearer: token).status
    }
}
