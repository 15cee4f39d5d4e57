import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import OneTimePassword
import QRCode
import ServerHTTP

/// The page behind an invitation, `/guardian/enroll?ticket=gten_…`: shows the QR code of a device or of an app that makes
/// codes, and asks for the first code of that.
///
/// Opening the link changes nothing, because mail scanners open links too; its buttons do. It works without JavaScript:
/// while a device is waited for, the page comes again every few seconds.
struct EnrolmentPage: Sendable {
    private let guardian: Guardian
    private let template: MustacheTemplate

    init(guardian: Guardian) throws {
        self.guardian = guardian
        template = try MustacheTemplate(string: String(decoding: PackageResources.enroll_mustache, as: UTF8.self))
    }

    private var realm: Realm { guardian.realm }

    // MARK: Showing

    func show(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        func item(_ name: String) -> String? {
            request.uri.queryParameters[name[...]].map { String($0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let ticket = item("ticket") else { return try page(.deadLink, status: .badRequest) }
        if let enrollment = item("enrollment") {
            return try await enrolling(
                ticket, enrollment, method: item("method").flatMap(EnrolmentMethod.init(rawValue:)))
        }
        return try await landing(ticket)
    }

    /// What an invitation offers.
    private func landing(_ ticket: String, problem: String? = nil) async throws -> Response {
        switch try await realm.enrolments.status(ofTicket: FlowHandle(ticket)) {
        case .unknown: return try page(.deadLink, status: .notFound)
        case .expired: return try page(.expired, status: .gone)
        case .used: return try page(.used, status: .gone)
        case .open(let offered):
            var view = EnrolmentView(title: "Protect your account", problem: problem)
            view.choices = offered.kinds.compactMap { EnrolmentMethod($0) }.map { method in
                .init(ticket: ticket, method: method.rawValue, label: method.button)
            }
            view.text =
                view.choices.isEmpty
                ? "There is nothing that could be enrolled at present. Ask whoever invited you."
                : "Add a second step to the sign-in of \(offered.user.email?.canonical ?? "your account")."
            return try page(view, status: problem == nil ? .ok : .conflict)
        }
    }

    /// The code to scan, until it has been.
    private func enrolling(
        _ ticket: String, _ enrollment: String, method: EnrolmentMethod?, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        switch try await realm.enrolments.status(ofTicket: FlowHandle(enrollment)) {
        case .unknown: return try page(.deadLink, status: .notFound)
        case .expired:
            return try await landing(ticket, problem: "The code on this page was good for five minutes. Begin again.")
        case .used(let recoveryCode):
            var view = EnrolmentView.done
            view.recoveryCode = recoveryCode.map { Self.grouped($0.reveal()) }
            return try page(view)
        case .open(let offered):
            let isPush = method != .otp && offered.kinds.contains(.push)
            guard isPush || offered.kinds.contains(.totp),
                let uri = isPush ? guardian.enrollmentURI(offered) : guardian.codesURI(offered)
            else { return try await landing(ticket) }
            var view = EnrolmentView(
                title: "Scan this code",
                text: isPush ? EnrolmentMethod.push.instruction : EnrolmentMethod.otp.instruction,
                problem: problem)
            view.code = .init(
                picture: try SVGQRCode.render(uri, label: "QR code for your authenticator app"), uri: uri,
                link: "On this phone? Open the app",
                secret: isPush ? nil : offered.totpSecret.map { Self.grouped(Base32.encode($0.reveal())) })
            if isPush {
                view.isWaiting = true
                view.next = Self.path(ticket, enrollment, .push)
            } else {
                view.confirmation = .init(ticket: ticket, enrollment: enrollment)
            }
            return try page(view, status: status)
        }
    }

    // MARK: Doing

    private struct Submission: Decodable, Sendable {
        var ticket: String?
        var method: String?
        var enrollment: String?
        var code: String?
    }

    func submit(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let submission: Submission
        do {
            submission = try await request.decodeBody(as: Submission.self, accepting: .form)
        } catch is RequestBodyFault {
            return try page(.deadLink, status: .badRequest)
        }
        guard let ticket = submission.ticket, !ticket.isEmpty else { return try page(.deadLink, status: .badRequest) }
        let isExempt = guardian.options.isDevelopment && context.source.isLoopback
        let client = ClientContext(
            clientID: ClientID(rawValue: "enrolment-page"), dialect: .guardian,
            limitedSource: isExempt ? nil : context.source.limitKey, source: context.source.text)
        if let enrollment = submission.enrollment, let code = submission.code {
            return try await confirm(code, ticket, enrollment, client)
        }
        return try await begin(ticket, submission.method.flatMap(EnrolmentMethod.init(rawValue:)), client)
    }

    private func begin(_ ticket: String, _ method: EnrolmentMethod?, _ client: ClientContext) async throws -> Response {
        switch try await realm.enrolments.beginDevice(invitation: FlowHandle(ticket), by: client) {
        case .offered(let offered):
            let location = Self.path(ticket, offered.handle.token.reveal(), method ?? .push)
            return Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
        case .refused(.limitReached): return try page(.enrolled, status: .conflict)
        case .unknown(.sourceLimited): return try page(.tooManyTries, status: .tooManyRequests)
        case .refused, .unknown: return try await landing(ticket)
        }
    }

    private func confirm(
        _ code: String, _ ticket: String, _ enrollment: String, _ client: ClientContext
    ) async throws -> Response {
        let digits = code.filter { !$0.isWhitespace }
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(Secret(digits), name: ""), to: .flow(FlowHandle(enrollment), FlowExpectation(.enrolFactor)),
            by: client)
        switch verdict {
        case .accomplished(.codesEnrolled(let enrolment)):
            var view = EnrolmentView.done
            view.recoveryCode = enrolment.recoveryCode.map { Self.grouped($0.reveal()) }
            return try page(view)
        case .refused(let refusal) where refusal.reason == .wrongAnswer || refusal.reason == .replayed:
            return try await enrolling(
                ticket, enrollment, method: .otp,
                problem: "That is not the code. Wait for the next one, and look at the phone's clock.",
                status: .unprocessableContent)
        case .refused(let refusal) where refusal.reason == .factorLimitReached:
            return try page(.enrolled, status: .conflict)
        case .refused(let refusal) where refusal.reason == .flowExhausted:
            return try await landing(ticket, problem: "Too many wrong codes. Begin again.")
        case .refused(let refusal) where refusal.reason == .sourceLimited:
            return try page(.tooManyTries, status: .tooManyRequests)
        default: return try await enrolling(ticket, enrollment, method: .otp)
        }
    }

    // MARK: Making pages

    private static func path(_ ticket: String, _ enrollment: String, _ method: EnrolmentMethod) -> String {
        var components = URLComponents()
        components.path = "/guardian/enroll"
        components.queryItems = [
            URLQueryItem(name: "ticket", value: ticket), URLQueryItem(name: "enrollment", value: enrollment),
            URLQueryItem(name: "method", value: method.rawValue),
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

    private func page(_ view: EnrolmentView, status: HTTPResponse.Status = .ok) throws -> Response {
        .html(template.render(view), status: status)
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

    var button: String {
        switch self {
        case .push: "Use an app that asks you"
        case .otp: "Use an app that shows codes"
        }
    }

    var instruction: String {
        switch self {
        case .push: "Open the authenticator app on your phone and scan the code with it. This page goes on by itself."
        case .otp: "Scan it with any authenticator app, then type what the app shows."
        }
    }
}

/// What the template shows.
struct EnrolmentView {
    struct Code {
        var picture: String
        var uri: String
        var link: String
        var secret: String?
    }

    struct Confirmation {
        var ticket: String
        var enrollment: String
    }

    struct Choice {
        var ticket: String
        var method: String
        var label: String
    }

    var title: String
    var text: String?
    var problem: String?
    var code: Code?
    var confirmation: Confirmation?
    var recoveryCode: String?
    var choices: [Choice] = []
    /// Whether the page comes again by itself.
    var isWaiting = false
    var next: String?

    init(title: String, text: String? = nil, problem: String? = nil) {
        self.title = title
        self.text = text
        self.problem = problem
    }

    static let deadLink = EnrolmentView(
        title: "This link is not good", text: "It is not complete, or not one of ours. Ask whoever invited you.")
    static let expired = EnrolmentView(
        title: "This link has expired", text: "It was good for five days. Ask whoever invited you for another.")
    static let used = EnrolmentView(
        title: "This link was used", text: "If it was not you, tell whoever runs the service at once.")
    static let tooManyTries = EnrolmentView(
        title: "Too many tries", text: "Wait a while, and open the link again.")
    static let done = EnrolmentView(
        title: "Done", text: "From now on your sign-in has a second step. You can close this page.")
    static let enrolled = EnrolmentView(
        title: "There is one already", text: "Your account has a second step. Ask whoever invited you to add another.")
}
