import AdminServer
import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP
import WebPages

/// One request for a page of the console: who asks, with what role, about what.
struct ConsoleScene: Sendable {
    let console: Console
    let context: CountersignRequestContext
    let route: ConsoleRoute
    var visit: PageVisit
    /// Who asks.
    let user: User
    /// As of this request.
    let role: AdministratorRole
    /// The path of the request.
    let path: String
    /// What the form says, or the query.
    let fields: [String: String]
    /// The files that the form brings, where the page takes some.
    let files: [String: MultipartForm.File]
    /// Whether a form was sent.
    let isForm: Bool

    var realm: Realm { console.realm }
    var words: Words { visit.words }
    var now: Date { realm.clock.now }

    func may(_ right: AdministrationRight) -> Bool { role.rights.contains(right) }

    /// A part of the path, decoded.
    func parameter(_ name: String) -> String {
        context.parameters.get(name).map { $0.removingPercentEncoding ?? $0 } ?? ""
    }

    /// What a form or a query says; nil where that is nothing.
    func field(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Bytes as people read limits: `4`, `0.06`.
    static func mebibytes(_ bytes: Int) -> String {
        let hundredths = bytes * 100 / 1_048_576
        return hundredths.isMultiple(of: 100)
            ? "\(hundredths / 100)" : "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    /// What the form says; before it was sent, what the command shows in its place.
    /// - Throws: ``ConsoleProblem`` where a form that was sent says nothing.
    func typed(_ name: String, placeholder: String) throws -> String {
        if let field = field(name) { return field }
        guard !isForm else { throw missing }
        return placeholder
    }

    /// Does an operation in the user's name, where the user's role has its right.
    /// - Throws: ``AdministrationError``.
    func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
        let client = context.client(Console.clientID, of: .admin, isAdministrator: true)
        return try await operation.perform(on: realm, as: .user(user.id, role), by: client)
    }

    // MARK: Forms

    /// The field that shows a form to be of this page and this session.
    var csrf: PageForm.HiddenField { csrf(of: path) }

    /// The same for a form that another path of the console takes.
    func csrf(of path: String) -> PageForm.HiddenField {
        .init(
            name: "csrf",
            value: visit.sessionToken.map { FormToken.text(for: Self.purpose(of: path), session: $0) } ?? "")
    }

    /// The fields of a form that acts once: ``csrf(of:)``, and what tells it from every other form.
    /// - Parameter path: of the page that takes the form; nil: this one.
    func locks(of path: String? = nil) -> [PageForm.HiddenField] {
        let path = path ?? self.path
        let id = visit.sessionToken.map { FormID(for: Self.purpose(of: path), session: $0, at: now, realm.random).text }
        return [csrf(of: path), .init(name: FormID.field, value: id ?? "")]
    }

    /// What tells the form that was sent from every other one; nil where it is none of this page and session, or too old.
    func formID() -> FormID? {
        FormID(fields[FormID.field], for: Self.purpose(of: path), session: visit.sessionToken, at: now)
    }

    func isOfOwnPage() -> Bool {
        FormToken.admits(fields["csrf"], for: Self.purpose(of: path), session: visit.sessionToken)
    }

    private static func purpose(of path: String) -> String { "console \(path)" }

    /// A button of this page that does at once what a page of the console asks about.
    /// - Parameters:
    ///   - label: the key of what it says.
    ///   - path: of the page that asks, without a query.
    ///   - what: the value of `{what}` in it.
    func button(
        _ label: String, _ path: String, _ hidden: [(String, String)] = [], of what: String = ""
    ) -> PageBlock {
        .form(
            PageForm(
                action: path, hidden: locks(of: path) + hidden.map { .init(name: $0.0, value: $0.1) },
                buttons: [.init(words.plain(label, ["what": .words(what)]), isSecondary: true)]))
    }

    // MARK: Pages

    /// A page in the frame. What a change has said before is above its content.
    /// - Parameter title: the key of its title.
    func page(_ kind: PageKind, _ title: String, _ blocks: [PageBlock] = []) -> Page {
        page(kind, words(title), blocks)
    }

    func page(_ kind: PageKind, _ title: PageText, _ blocks: [PageBlock] = []) -> Page {
        var page = Page(kind, title)
        page.isWide = true
        // A link of a stranger's cannot make the page say that something was done.
        if let done = field("done"), done.hasPrefix("consoleDone"), console.options.site.messages.keys.contains(done),
            FormToken.admits(
                field("mark"), for: Self.purpose(of: Self.purpose(ofNotice: done, at: path)),
                session: visit.sessionToken)
        {
            page.blocks.append(.notice(words(done)))
        }
        page.blocks += blocks
        return page
    }

    /// The command that does the same as the page.
    func command(_ operation: any AdministrationOperation) -> [PageBlock] {
        guard let operation = operation as? any CommandedOperation else { return [] }
        return [.command(PageCommand(words.plain("consoleCommand"), ShellCommand.line(of: operation)))]
    }

    /// The same of what only a running server knows: the command names this one.
    func commandAtServer(_ operation: any CommandedOperation) -> [PageBlock] {
        let line = ShellCommand.line(
            operation.commandLine + ["--server", realm.site.baseURLs.first ?? "https://login.example.com"])
        return [.command(PageCommand(words.plain("consoleCommand"), line))]
    }

    /// What a change gave out once; none where this page follows no such change.
    /// - Parameter caption: the key of what it is.
    func secretBlocks(_ caption: String) -> [PageBlock] {
        guard field("once") != nil, let note = visit.note(at: now) else { return [] }
        return [.code(.init(caption: words.plain(caption), text: note.reveal()))]
    }

    /// Which page of a list is asked for, as the links to its neighbours say it; one place at most.
    var places: (after: String?, before: String?) {
        let after = field("after")
        return (after, after == nil ? field("before") : nil)
    }

    /// The links to the neighbours of a page of a list.
    /// - Parameter items: what the list's query says beside its place.
    func pager(_ list: String, _ items: [(String, String?)] = [], before: String?, after: String?) -> PageBlock {
        .pager(
            PagePager(
                words.plain("consolePages"),
                back: before.map {
                    .init(words("consoleBack"), to: PagePath(list, items + [("before", $0)]).text)
                },
                forward: after.map {
                    .init(words("consoleForward"), to: PagePath(list, items + [("after", $0)]).text)
                }))
    }

    /// What a question says, with what becomes of the tokens that a user answers for; for those who may know of them.
    /// - Parameter key: of the message that says it; by default that they open nothing any more.
    func text(
        _ text: PageText, withTokensOf user: String, _ key: String = "consoleAndTokens"
    ) async throws -> PageText {
        let count = try await tokens(of: user)
        return count == 0 ? text : words(key, ["text": .text(text), "count": .number(count)])
    }

    /// How many tokens of programs a user answers for; 0 for those who may not know of them.
    func tokens(of user: String) async throws -> Int {
        guard may(ListMachineTokens.right) else { return 0 }
        return try await realm.machineTokens.count(of: UserID(rawValue: user))
    }

    /// Leads from a page that has nothing to show to the first of its section.
    private var wayOn: [PageBlock] {
        let section = route.section ?? .overview
        return section.path(for: role).map { [.links([.init(words(section.label), to: $0)])] } ?? []
    }

    /// Why nothing was done, or is shown.
    func error(_ problem: PageText) -> Page {
        var page = Page("error", words("errorTitle"), problem: problem, wayOn)
        page.isWide = true
        return page
    }

    func notFound() -> Page {
        var page = Page("not-found", words("notFoundTitle"), words("consoleNotFound"))
        page.isWide = true
        page.blocks += wayOn
        return page
    }

    func forbidden() -> Page {
        var page = Page("forbidden", words("consoleForbiddenTitle"), words("consoleForbidden"))
        page.isWide = true
        return page
    }

    /// Why an operation was refused: what the command says, in the words of pages.
    func problem(_ error: AdministrationError) -> PageText {
        words("consoleRefused", ["reason": .text(words.saying(error.message))])
    }

    // MARK: Answers

    func answer(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        var page = page
        page.sheet = .console
        let name = user.email?.canonical ?? user.id.rawValue
        page.menu = PageMenu(
            of: role, in: route.section,
            who: words(
                "consoleWho", ["address": .text(PageText(address: name)), "role": .words(words.plain(role.label))]),
            words: words)
        page.menu?.signOut = visit.sessionToken.map { token in
            PageForm(
                action: "/sign-out",
                hidden: [.init(name: "csrf", value: FormToken.text(for: "sign-out", session: token))],
                buttons: [.init(words.plain("signOut"), name: "decision", value: "this", isQuiet: true)])
        }
        return visit.response(page, status: status)
    }

    func answer(_ download: ConsoleDownload) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: download.type, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(download.name)\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: download.bytes)))
    }

    /// Leads on after a change.
    mutating func lead(_ outcome: ConsoleOutcome) throws -> Response {
        switch outcome {
        case .lead(let path, let notice, let secret):
            let bare = path.prefix { $0 != "?" }
            let mark = csrf(of: Self.purpose(ofNotice: notice, at: String(bare))).value
            var items: [(String, String?)] = [("done", notice), ("mark", mark)]
            if let secret, let token = visit.sessionToken {
                try visit.note(secret, of: token, at: now, realm.random)
                items.append(("once", "1"))
            }
            let query = PagePath("", items).text
            return visit.redirect(to: path.contains("?") ? path + "&" + query.dropFirst() : path + query)
        case .file(let download): return answer(download)
        case .result(let path, let result):
            let text = Array(try JSONEncoder().encode(result)).base64URL
            return visit.redirect(
                to: PagePath(
                    path, [("result", text), ("mark", csrf(of: Self.purpose(ofResult: text, at: path)).value)]
                )
                .text)
        }
    }

    /// What came of a job that led here; nil where the address was not made by this server for this session.
    func result<Result: Decodable>(_ type: Result.Type) -> Result? {
        guard let text = field("result"), let bytes = [UInt8](base64URL: text),
            FormToken.admits(
                field("mark"), for: Self.purpose(of: Self.purpose(ofResult: text, at: path)),
                session: visit.sessionToken)
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(bytes))
    }

    private static func purpose(ofNotice notice: String, at path: String) -> String { "done \(path) \(notice)" }
    private static func purpose(ofResult text: String, at path: String) -> String { "result \(path) \(text)" }
}

extension Console {
    /// What the log calls the console, as it calls applications.
    static let clientID = ClientID(rawValue: "console")
}

extension AdministratorRole {
    /// The key of what pages call it.
    var label: String {
        switch self {
        case .owner: "roleOwner"
        case .operator: "roleOperator"
        case .support: "roleSupport"
        case .auditor: "roleAuditor"
        }
    }
}
