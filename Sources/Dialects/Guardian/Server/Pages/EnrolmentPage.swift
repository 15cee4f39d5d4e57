import CPageFiles
import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OneTimePassword
import QRCode
import ServerHTTP
import WebPages

/// The page of an invitation, `/guardian/enroll?ticket=gten_…`: shows the QR code of a device or of an app that makes
/// codes, and asks for the first code of that.
///
/// Opening the link changes nothing, because mail scanners open links too; its buttons do. While the server waits for a device, a script
/// asks whether it has enrolled; without JavaScript the browser loads the page again every four seconds.
struct EnrolmentPage: Sendable {
    private let guardian: Guardian
    private let site: PageSite
    private let template: PageTemplate

    init(guardian: Guardian, site: PageSite) throws {
        self.guardian = guardian
        self.site = site
        template = try PageTemplate(PageFile.enrollTemplate.bytes)
    }

    private var realm: Realm { guardian.realm }

    // MARK: Showing

    func show(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.queryItems
        func item(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }
        let visit = visit(request)
        guard let ticket = item("ticket") else { return page(\.deadLink, visit, status: .badRequest) }
        if let enrollment = item("enrollment") {
            return try await enrolling(
                ticket, enrollment, method: item("method").flatMap(EnrolmentMethod.init(rawValue:)), visit)
        }
        return try await landing(ticket, visit)
    }

    /// What an invitation offers.
    private func landing(
        _ ticket: String, _ visit: PageVisit, problem: String? = nil
    ) async throws -> Response {
        let words = EnrolmentWords.of(visit.language)
        switch try await realm.enrolments.status(ofTicket: FlowHandle(ticket)) {
        case .unknown: return page(\.deadLink, visit, status: .notFound)
        case .expired: return page(\.expired, visit, status: .gone)
        case .used: return page(\.used, visit, status: .gone)
        case .open(let offered):
            var visit = visit
            visit.linkItems = ["ticket": ticket]
            var message = words.protect(offered.user.email?.canonical)
            var content = EnrolmentContent()
            content.choices = offered.kinds.compactMap { EnrolmentMethod($0) }.map { method in
                .init(ticket: ticket, method: method.rawValue, label: words.button(method))
            }
            if content.choices.isEmpty { message.text = words.nothingOffered }
            return page(
                Page("enrol", message, problem: problem), content, visit, status: problem == nil ? .ok : .conflict)
        }
    }

    /// The code to scan, until it has been.
    private func enrolling(
        _ ticket: String, _ enrollment: String, method: EnrolmentMethod?, _ visit: PageVisit,
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let words = EnrolmentWords.of(visit.language)
        switch try await realm.enrolments.status(ofTicket: FlowHandle(enrollment)) {
        case .unknown: return page(\.deadLink, visit, status: .notFound)
        case .expired: return try await landing(ticket, visit, problem: words.begunTooLongAgo)
        case .used(let recoveryCode): return done(recoveryCode, visit)
        case .open(let offered):
            let isPush = method != .otp && offered.kinds.contains(.push)
            guard isPush || offered.kinds.contains(.totp),
                let uri = isPush ? guardian.enrollmentURI(offered) : guardian.codesURI(offered)
            else { return try await landing(ticket, visit) }
            var visit = visit
            visit.linkItems = ["ticket": ticket, "enrollment": enrollment]
            visit.linkItems?["method"] = method?.rawValue
            let message = PageMessage(title: words.scan, text: words.instruction(isPush ? .push : .otp))
            var page = Page("enrol", message, problem: problem)
            var content = EnrolmentContent()
            content.code = .init(
                picture: try SVGQRCode.render(uri, label: words.qrCode), uri: uri, link: words.openApp,
                secret: isPush ? nil : offered.totpSecret.map { Self.grouped(Base32.encode($0.reveal())) })
            if isPush {
                page.refreshSeconds = 4
                page.refreshesWithoutScript = true
                page.script = .wait
                content.next = Self.path(ticket, enrollment, .push, visit)
                content.wait =
                    PagePath(
                        "/guardian/enroll/wait",
                        [("ticket", ticket), ("enrollment", enrollment), ("lang", visit.language.rawValue)]
                    ).text
            } else {
                page.problemField = problem == nil ? nil : "code"
                content.confirmation = .init(
                    ticket: ticket, enrollment: enrollment,
                    field: .oneTimeCode(name: "code", label: words.codeLabel, isInvalid: problem != nil),
                    button: words.confirm)
            }
            return self.page(page, content, visit, status: status)
        }
    }

    /// `/guardian/enroll/wait`: `{"next": "/…"}` as soon as the page that waits for a device has something else to show, `{}` after
    /// a while.
    func wait(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let query = request.queryItems
        let visit = visit(request)
        guard let ticket = query["ticket"], let enrollment = query["enrollment"] else {
            return try .json(["next": "/guardian/enroll"])
        }
        return try await context.departure.answer(next: Self.path(ticket, enrollment, .push, visit)) {
            try await realm.enrolments.isOver(ticket: FlowHandle(enrollment), within: .seconds(20))
        }
    }

    // MARK: Doing

    private struct Submission: Decodable, Sendable {
        var ticket: String?
        var method: String?
        var enrollment: String?
        var code: String?
        var csrf: String?
        var lang: String?
    }

    func submit(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        guard let submission = try await request.submission(as: Submission.self) else {
            return page(\.deadLink, visit(request), status: .badRequest)
        }
        let visit = visit(request, lang: submission.lang)
        guard let ticket = submission.ticket, !ticket.isEmpty else {
            return page(\.deadLink, visit, status: .badRequest)
        }
        guard site.admits(linkForm: submission.csrf, for: ticket, request) else { return visit.staleForm() }
        let client = context.client(
            ClientID(rawValue: "enrolment-page"), of: .guardian, locale: visit.language.rawValue)
        if let enrollment = submission.enrollment, let code = submission.code {
            return try await confirm(code, ticket, enrollment, visit, client)
        }
        return try await begin(ticket, submission.method.flatMap(EnrolmentMethod.init(rawValue:)), visit, client)
    }

    private func begin(
        _ ticket: String, _ method: EnrolmentMethod?, _ visit: PageVisit, _ client: ClientContext
    ) async throws -> Response {
        switch try await realm.enrolments.beginDevice(invitation: FlowHandle(ticket), by: client) {
        case .offered(let offered):
            return Self.redirect(to: Self.path(ticket, offered.handle.token.reveal(), method ?? .push, visit))
        case .refused(.limitReached): return page(\.enrolled, visit, status: .conflict)
        case .unknown(.sourceLimited): return page(\.tooManyTries, visit, status: .tooManyRequests)
        case .refused, .unknown: return try await landing(ticket, visit)
        }
    }

    private func confirm(
        _ code: String, _ ticket: String, _ enrollment: String, _ visit: PageVisit, _ client: ClientContext
    ) async throws -> Response {
        let words = EnrolmentWords.of(visit.language)
        let digits = code.filter { !$0.isWhitespace }
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(Secret(digits), name: ""), to: .flow(FlowHandle(enrollment), .enrolmentTicket),
            by: client)
        switch verdict {
        case .accomplished(.codesEnrolled):
            // The page of the enrolment shows the recovery code, as it does once a device has enrolled.
            return Self.redirect(to: Self.path(ticket, enrollment, .otp, visit))
        case .refused(let refusal) where refusal.reason == .wrongAnswer || refusal.reason == .replayed:
            return try await enrolling(
                ticket, enrollment, method: .otp, visit, problem: words.wrongCode, status: .unprocessableContent)
        case .refused(let refusal) where refusal.reason == .factorLimitReached:
            return page(\.enrolled, visit, status: .conflict)
        case .refused(let refusal) where refusal.reason == .flowExhausted:
            return try await landing(ticket, visit, problem: words.tooManyCodes)
        case .refused(let refusal) where refusal.reason == .sourceLimited:
            return page(\.tooManyTries, visit, status: .tooManyRequests)
        default: return try await enrolling(ticket, enrollment, method: .otp, visit)
        }
    }

    // MARK: Making pages

    /// A visit whose page says nothing of the ticket that it was asked about; one that is open adds it.
    private func visit(_ request: Request, lang: String? = nil) -> PageVisit {
        var visit = site.visit(request, lang: lang)
        visit.linkItems = [:]
        visit.keepBrowser(realm.random)
        return visit
    }

    private static func redirect(to location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    private static func path(
        _ ticket: String, _ enrollment: String, _ method: EnrolmentMethod, _ visit: PageVisit
    ) -> String {
        var components = URLComponents()
        components.path = "/guardian/enroll"
        components.queryItems = [
            URLQueryItem(name: "ticket", value: ticket), URLQueryItem(name: "enrollment", value: enrollment),
            URLQueryItem(name: "method", value: method.rawValue),
            URLQueryItem(name: "lang", value: visit.language.rawValue),
        ]
        return components.string ?? components.path
    }

    /// In groups of four, as people read and type it.
    private static func grouped(_ text: String) -> String {
        var groups: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }

    private func page(
        _ message: KeyPath<EnrolmentWords, PageMessage>, _ visit: PageVisit, status: HTTPResponse.Status
    ) -> Response {
        page(
            Page("error", EnrolmentWords.of(visit.language)[keyPath: message]), EnrolmentContent(), visit,
            status: status)
    }

    private func done(_ recoveryCode: Secret<String>?, _ visit: PageVisit) -> Response {
        var content = EnrolmentContent()
        content.recoveryCode = recoveryCode.map { Self.grouped($0.reveal()) }
        return page(Page("enrol", EnrolmentWords.of(visit.language).done), content, visit)
    }

    private func page(
        _ page: Page, _ content: EnrolmentContent, _ visit: PageVisit, status: HTTPResponse.Status = .ok
    ) -> Response {
        var content = content
        let words = EnrolmentWords.of(visit.language)
        content.csrf = visit.linkItems?["ticket"].flatMap { visit.linkToken(for: $0) }
        content.labels = .init(
            typeSecret: words.typeSecret, recoveryCode: words.recoveryCode, scanned: words.scanned,
            waiting: words.waiting)
        return template.response(page, content: content, in: visit, status: status)
    }
}

/// What the page can enrol.
enum EnrolmentMethod: String {
    case push
    case otp

    init?(_ kind: FactorKind) {
        switch kind {
        case .push: self = .push
        case .totp: self = .otp
        default: return nil
        }
    }
}

/// What the template shows.
private struct EnrolmentContent: Sendable {
    struct Code: Sendable {
        var picture: String
        var uri: String
        var link: String
        var secret: String?
    }

    struct Confirmation: Sendable {
        var ticket: String
        var enrollment: String
        var field: PageField
        var button: String
    }

    /// What stands on the page whatever it shows.
    struct Labels: Sendable {
        var typeSecret: String
        var recoveryCode: String
        var scanned: String
        var waiting: String
    }

    struct Choice: Sendable {
        var ticket: String
        var method: String
        var label: String
    }

    var labels: Labels?
    var csrf: String?
    var code: Code?
    var confirmation: Confirmation?
    var recoveryCode: String?
    var choices: [Choice] = []
    var next: String?
    var wait: String?
}
