import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Synchronization
import Testing

/// A browser without scripts: keeps cookies, follows redirects, fills in the forms of pages.
final class TestBrowser: Sendable {
    let server: TestServer
    private let address: String
    private let jar = Mutex<[String: String]>([:])
    private let written = Mutex<[String]>([])

    /// - Parameter address: where it asks from; nil: from where no other does.
    init(_ server: TestServer, at address: String? = nil) {
        self.server = server
        self.address = address ?? TestServer.freshAddress()
    }

    /// What the browser holds, by name.
    var cookies: [String: String] { jar.withLock { $0 } }
    /// Every `Set-Cookie` so far.
    var setCookies: [String] { written.withLock { $0 } }

    func keep(_ cookies: [String: String]) { jar.withLock { $0 = cookies } }

    /// A page as a link leads to it; redirects are followed.
    func open(_ path: String, language: String = "en") async throws -> TestPage {
        try await follow(send(.get, path, headers: [.acceptLanguage: language]), path, language)
    }

    /// Sends the page's form that has all of the fields, with what it has beside them.
    func submit(
        _ page: TestPage, _ fields: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestPage {
        let form = try #require(page.form(with: fields), "\(page.html)", sourceLocation: sourceLocation)
        let values = form.values.merging(fields) { _, typed in typed }
        return try await follow(post(form.action, values), form.action, page.language)
    }

    /// A form as a browser sends it from a page of ours.
    func post(
        _ path: String, _ fields: [String: String], headers: HTTPFields = [.known("Sec-Fetch-Site"): "same-origin"]
    ) async throws -> Reply {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        let body = fields.map { "\(Self.escaped($0.key))=\(Self.escaped($0.value))" }.joined(separator: "&")
        return try await send(.post, path, headers: headers, body: Array(body.utf8))
    }

    /// The same of a form with files, as a browser sends it: the names of fields, and of files with what is in them.
    func post(
        _ path: String, _ fields: [String: String], files: [String: (name: String, bytes: [UInt8])],
        headers: HTTPFields = [.known("Sec-Fetch-Site"): "same-origin"]
    ) async throws -> Reply {
        let boundary = "----formBoundary7MA4YWxkTrZu0gW"
        var body: [UInt8] = []
        for (name, value) in fields {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        for (name, file) in files {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file.name)\"".utf8
            body += "\r\nContent-Type: application/octet-stream\r\n\r\n".utf8
            body += file.bytes + Array("\r\n".utf8)
        }
        body += "--\(boundary)--\r\n".utf8
        var headers = headers
        headers[.contentType] = "multipart/form-data; boundary=\(boundary)"
        return try await send(.post, path, headers: headers, body: body)
    }

    /// Where an answer leads.
    func follow(_ reply: Reply, from path: String) async throws -> TestPage { try await follow(reply, path, "en") }

    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: [UInt8]? = nil
    ) async throws -> Reply {
        var headers = headers
        let sent = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !sent.isEmpty { headers[.cookie] = sent }
        if headers[.accept] == nil { headers[.accept] = "text/html" }
        let reply = try await server.send(method, path, headers: headers, body: body, from: address)
        for line in reply.headers[values: .setCookie] { keep(line) }
        // Every page that any test sees, and every refusal, is sound HTML.
        if reply.headers[.contentType]?.hasPrefix("text/html") == true, method != .head {
            let faults = PageMarkup.faults(in: reply.bytes)
            #expect(faults.isEmpty, "\(method) \(path): \(faults)")
        }
        return reply
    }

    private func keep(_ line: String) {
        written.withLock { $0.append(line) }
        let parts = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
            pair.count == 2
        else { return }
        let isGone = parts.contains("Max-Age=0")
        jar.withLock { $0[String(pair[0])] = isGone ? nil : String(pair[1]) }
    }

    private func follow(_ reply: Reply, _ path: String, _ language: String) async throws -> TestPage {
        var (reply, path) = (reply, path)
        for _ in 0..<8 where reply.status == 303 {
            path = try #require(reply.headers[.location])
            #expect(path.hasPrefix("/") && !path.hasPrefix("//"), "\(path)")
            reply = try await send(.get, path, headers: [.acceptLanguage: language])
        }
        return TestPage(reply: reply, path: path, language: language)
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}

/// A page that a browser shows.
struct TestPage: Sendable {
    let reply: Reply
    /// Where it is, after redirects.
    let path: String
    let language: String

    struct Form: Sendable {
        var action: String
        /// What is sent where nothing is typed, without buttons.
        var values: [String: String] = [:]
        /// Names of everything in it, buttons included.
        var names: Set<String> = []
    }

    var html: String { reply.text }
    var status: Int { reply.status }

    /// The page's name.
    var kind: String? { bytes.first("<main ", until: ">")?.first("data-page=\"", until: "\"")?.text }

    var hasAlert: Bool { reply.has("role=\"alert\"") }

    /// What it says above its content that a form has done.
    var notice: String? { bytes.first("<p class=\"notice\" role=\"status\">", until: "</p>")?.text }

    /// The recovery codes that it shows, in groups.
    var recoveryCodes: [String] {
        html.matches(of: /<li class="secret"><span aria-hidden="true">([A-Z0-9 ]+)</).map { String($0.1) }
    }

    func form(with fields: [String: String]) -> Form? {
        forms.first { form in fields.keys.allSatisfy(form.names.contains) }
    }

    private var bytes: PageBytes { PageBytes(reply.bytes) }

    var forms: [Form] { writtenForms.map(\.form) }

    /// Forms that a script shows and fills in.
    var formsOfScripts: [Form] { writtenForms.filter(\.isHidden).map(\.form) }

    private var writtenForms: [(form: Form, isHidden: Bool)] {
        bytes.all("<form method=\"post\" action=\"", until: "</form>").map { written -> (form: Form, isHidden: Bool) in
            let action = written.first("", until: "\"")
            var form = Form(action: Self.plain(action?.text ?? ""))
            let rest = written.behind(action)
            for tag in rest.all("<", until: ">") {
                guard let name = ["input", "button", "select", "textarea"].first(where: tag.begins) else { continue }
                let attributes = tag.attributes
                guard let field = attributes["name"] else { continue }
                form.names.insert(field)
                let isChosen = ["radio", "checkbox"].contains(attributes["type"])
                if name == "input", !isChosen || attributes["checked"] != nil {
                    form.values[field] = attributes["value"] ?? ""
                }
            }
            return (form, rest.begins("\" hidden"))
        }
    }

    /// Targets of the page's links, by their text.
    var links: [String: String] {
        var links: [String: String] = [:]
        for link in bytes.all("<a ", until: "</a>") {
            guard let tag = link.first("", until: ">"), let target = tag.first("href=\"", until: "\"") else { continue }
            let text = Self.plain(String(link.behind(tag).text.dropFirst()))
            if links[text] == nil { links[text] = Self.plain(target.text) }
        }
        return links
    }

    /// The radio buttons of a name: their values by their labels.
    func choices(_ name: String) -> [String: String] {
        var choices: [String: String] = [:]
        for match in html.matches(of: /<input type="radio"([^>]*)><label[^>]*>([\s\S]*?)<\/label>/) {
            let attributes = PageBytes(Array(match.1.utf8)).attributes
            guard attributes["name"] == name else { continue }
            choices[Self.plain(match.2.replacing(/<[^>]*>/, with: ""))] = attributes["value"]
        }
        return choices
    }

    static func plain(_ text: some StringProtocol) -> String {
        var text = String(text)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            text = text.replacing(entity, with: character)
        }
        return text
    }
}

extension TestServer {
    /// The newest mail's code to an address.
    func code(mailedTo address: String) async throws -> String {
        let messages = try await realm.outbox.messages()
        let newest = messages.last { $0.message.recipient == address && $0.content.values["code"] != nil }
        return try #require(newest?.content.values["code"])
    }
}
